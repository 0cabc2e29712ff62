package alike

import "testing"

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"sort", "sort", 0}, {"sort", "sorts", 1}, {"sort", "srot", 1},
		{"sort", "port", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "badc", 2}, {"ca", "abc", 3},
	} {
		if got, back := Edits(c.a, c.b), Edits(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q, %q: %d, back %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
