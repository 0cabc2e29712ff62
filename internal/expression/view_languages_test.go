package expression

import (
	"strings"
	"testing"
)

// Strings, slices and vectors of Rust and Go are shown with what they hold, as the printers of these languages do.
func TestViewsOfLanguages(t *testing.T) {
	for _, p := range []struct {
		source       string
		cc           []string
		stop, within string
		shown        map[string]string // by function and variable; addresses are @
	}{
		{"views.rs", []string{"rustc", "-g"}, "views::look", "look work", map[string]string{
			"look text": `"owned"`, "work owned": `"owned text"`, "work empty": `""`, "work part": `"owned"`,
			"work numbers": "Vec(size=3)={1, 2, 3}", "work none": "Vec(size=0)",
			"work words": `Vec(size=2)={"one", "two"}`, "work strings": `Vec(size=2)={"x", "yy"}`,
			"work request": `views::Request {command: "GET", sizes: Vec(size=2)={4, 5}}`,
		}},
		{"views.go", []string{"go", "build", "-gcflags=-N -l"}, "main.look", "main.look main.work", map[string]string{
			"main.look text": `"hello"`, "main.look sizes": "[]int = {0, 7}", "main.work empty": `""`,
			"main.work text": `"hello"`, "main.work numbers": "[]int = {0, 7}", "main.work none": "[]int = {}",
			"main.work words": `[]string = {"one", "two"}`, "main.work local": `{command = "GET", sizes = []int = {4, 5}}`,
		}},
	} {
		t.Run(p.source, func(t *testing.T) {
			s := start(t, build(t, p.source, p.cc...))
			if !s.runTo(p.stop, 20) {
				t.Fatalf("%s has no code", p.stop)
			}
			seen := 0
			for _, q := range s.viewsOf(strings.Fields(p.within)...) {
				want, known := p.shown[q.function+" "+q.expression]
				if !known {
					continue
				}
				seen++
				if ours := anAddress.ReplaceAllString(q.viewed, "@"); ours != want {
					t.Errorf("%s in %s: %s%s, want %s; members %s", q.expression, q.function, ours, q.refused, want, q.ours)
				}
			}
			if seen != len(p.shown) {
				t.Errorf("%d variables, %d wanted", seen, len(p.shown))
			}
		})
	}
}
