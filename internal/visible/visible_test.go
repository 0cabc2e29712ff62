package visible

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want, source, lines string }{
		{"main", "main", "main", "main"},
		{"größe ≤ 名前", "größe ≤ 名前", "größe ≤ 名前", "größe ≤ 名前"},
		{"a\x1b[2J\r\nb\tc", `a\x1b[2J\x0d\x0ab\x09c`, `a\x1b[2J\x0d\x0ab` + "\tc", `a\x1b[2J\x0d` + "\nb\tc"},
		{"\x7f\u009b31m\u202ex\u2066", `\x7f\u009b31m\u202ex\u2066`, `\x7f\u009b31m\u202ex\u2066`, `\x7f\u009b31m\u202ex\u2066`},
		{"\xff\xc3(\x9b", `\xff\xc3(\x9b`, `\xff\xc3(\x9b`, `\xff\xc3(\x9b`},
		{"\ufffd", "\ufffd", "\ufffd", "\ufffd"},
	} {
		if got := Text(c.text); got != c.want {
			t.Errorf("Text(%q) = %s", c.text, got)
		}
		if got := Source(c.text); got != c.source {
			t.Errorf("Source(%q) = %s", c.text, got)
		}
		var b strings.Builder
		if n, err := Writer(&b).Write([]byte(c.text)); n != len(c.text) || err != nil || b.String() != c.lines {
			t.Errorf("Write(%q) = %d, %v: %s", c.text, n, err, b.String())
		}
	}
}

// Each character that is to be escaped is, and no other one; JSON stays the same document.
func TestEveryCharacter(t *testing.T) {
	hidden := "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		want := r >= ' ' && r < 0x7f || r >= 0xa0 && !strings.ContainsRune(hidden, r)
		if got := Text(string(r)) == string(r); got != want {
			t.Errorf("%U as text: %q", r, Text(string(r)))
		}
		document, err := json.Marshal("a" + string(r) + "b")
		if err != nil {
			t.Fatal(err)
		}
		document = JSON(document)
		if got := strings.ContainsRune(string(document), r) == want; !got && r != '"' && r != '\\' && r != '<' && r != '>' && r != '&' {
			t.Errorf("%U in JSON: %s", r, document)
		}
		var back string
		if err := json.Unmarshal(document, &back); err != nil || back != "a"+string(r)+"b" {
			t.Errorf("%U in JSON: %s is %q, %v", r, document, back, err)
		}
	}
}
