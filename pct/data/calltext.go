package data

import "strings"

// How arguments are shown that have no value, arguments that are no single number, and functions without a name.
const (
	ArgumentUnknown = "?"
	ArgumentPlural  = "..."
	FunctionUnknown = "??"
)

// A CallText is a function with its arguments, as ArgumentsField shows it: "worker(n=1000, deep=1)".
type CallText struct {
	function  string
	arguments strings.Builder
}

// NewCallText is a function without arguments so far.
func NewCallText(function string) *CallText {
	return &CallText{function: function}
}

// Argument adds an argument.
func (t *CallText) Argument(name, text string) {
	if t.arguments.Len() > 0 {
		t.arguments.WriteString(", ")
	}
	t.arguments.WriteString(name + "=" + text)
}

// String is the function with the arguments that were added.
func (t *CallText) String() string { return t.function + "(" + t.Arguments() + ")" }

// Arguments are the arguments that were added: "n=1000, deep=1".
func (t *CallText) Arguments() string { return t.arguments.String() }

// JoinCalls is a call path of functions with or without arguments, innermost first.
func JoinCalls(calls []string) string { return strings.Join(calls, " <- ") }
