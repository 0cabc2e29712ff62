package path

import (
	"slices"
	"testing"
)

// An arrow in a string is no end of a function.
func TestSplitCalls(t *testing.T) {
	for text, want := range map[string][]string{
		"main":                            {"main"},
		"f(n=1) <- g() <- main":           {"f(n=1)", "g()", "main"},
		`f(s=0x1 " <- ") <- g`:            {`f(s=0x1 " <- ")`, "g"},
		`f(s=0x1 "\" <- ") <- g`:          {`f(s=0x1 "\" <- ")`, "g"},
		`f(c=34 '"') <- g(c=34 '"') <- h`: {`f(c=34 '"')`, `g(c=34 '"')`, "h"},
		`f(c=92 '\\', s=0x1 "\\") <- g`:   {`f(c=92 '\\', s=0x1 "\\")`, "g"},
		`f(s=0x1 " <- `:                   {`f(s=0x1 " <- `},
		`operator"" _km(x=1) <- main`:     {`operator"" _km(x=1)`, "main"},
	} {
		if got := splitCalls(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
