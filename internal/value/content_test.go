package value_test

import (
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/value"
)

func TestContent(t *testing.T) {
	for s, want := range map[string]string{
		`"x"`: "x", `0x4006 "x"`: "x", `(char *) 0x4006 "x"`: "x", `0x4006 <buffer+2> "x"`: "x", `L"wide"`: "wide", `0x40 u"a\x3b1\x3b2"`: "aαβ", `120 L'x'`: "x", `233 L'é'`: "é", `U'x' <repeats 11 times>, "y"`: strings.Repeat("x", 11) + "y", `65 'A'`: "A", `-1 '\377'`: "\xff", `0 '\000'`: "", `39 '\''`: "'",
		`"a\"b\\\n\033[0m"`: "a\"b\\\n\x1b[0m", `"key1\000\000"`: "key1", `""`: "", `0x4006 ""...`: "", `"abc"...`: "abc",
		`0x4006 'a' <repeats 12 times>, "bc"...`: strings.Repeat("a", 12) + "bc", `"ab", '\000' <repeats 15 times>`: "ab",
		// What is no text stays as it is.
		`0x4006`: `0x4006`, `0x4006 <table+8>`: `0x4006 <table+8>`, `5`: `5`, `{x = 1, s = "x"}`: `{x = 1, s = "x"}`, `GREEN`: `GREEN`, ``: ``, `a "b"`: `a "b"`,
		`"x`: `"x`, `"x" y`: `"x" y`, `"\`: `"\`, `'ab'`: `'ab'`, `0x4006 'a'`: `0x4006 'a'`, `"a", 'b'`: `"a", 'b'`, `'a' <repeats 99999999 times>`: `'a' <repeats 99999999 times>`,
		`<error: Cannot access memory at address 0x8>`: `<error: Cannot access memory at address 0x8>`,
	} {
		if got := value.Content(s); got != want {
			t.Errorf("%s stands for %q, want %q", s, got, want)
		}
	}
}

// FuzzContent: what gdb shows of a text is read back.
func FuzzContent(f *testing.F) {
	typ := &value.Type{Kind: value.Pointer, Size: 8, Elem: &value.Type{Kind: value.Character, Size: 1}}
	for _, s := range []string{"", "GET", "a\"\\\n\x00b", strings.Repeat("x", 30) + "7\xff", "\x011", "\xf2", "ab\xf2", "\xf2\x80ab"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s, _, _ = strings.Cut(s, "\x00")
		s = s[:min(len(s), 199)]
		v := value.Value{Type: typ, Bytes: []byte("\x06\x40\x00\x00\x00\x00\x00\x00"), Texts: [][]byte{append([]byte(s), 0)}}
		if text := v.Text(nil); value.Content(text) != s {
			t.Errorf("%q is shown as %s, which stands for %q", s, text, value.Content(text))
		}
	})
}
