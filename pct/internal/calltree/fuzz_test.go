package calltree

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A pattern names what it is made of, in a time that does not grow with the number of its stars.
func FuzzPattern(f *testing.F) {
	f.Add("f", "f")
	f.Add("*a*a*a*b", strings.Repeat("a", 200))
	f.Add("lib?.so*:f(*)", "libc.so.6:f(int)")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		p, err := ParsePattern(pattern)
		if err != nil {
			return
		}
		plain := !strings.ContainsAny(pattern, "*?") && utf8.ValidString(pattern) && utf8.ValidString(name)
		if is := p.Name(name); plain && is != (pattern == name) {
			t.Errorf("%q of %q: %v", name, pattern, is)
		}
		if utf8.ValidString(name) && !p.Name(name) && strings.Trim(pattern, "*") == "" {
			t.Errorf("%q is not of %q", name, pattern)
		}
		p.Frame(&Frame{Function: name})
	})
}
