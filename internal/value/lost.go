package value

import "regexp"

var beforeIncomplete = regexp.MustCompile(`(("(\\.|[^"\\])*"|'(\\.|[^'\\])*' <repeats \d+ times>), )*(<incomplete sequence)`)

// WithoutLost is the text of a value without the characters before one that is incomplete, of which gdb loses the
// last. Texts of both are compared so.
func WithoutLost(text string) string { return beforeIncomplete.ReplaceAllString(text, "$5") }
