package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

func dot(threshold float64) func(io.Writer, *Profile) error {
	return func(w io.Writer, p *Profile) error { return Dot(w, p, threshold) }
}

// TestDot has Graphviz draw a call graph, and reads its texts.
func TestDot(t *testing.T) {
	p := profileOf(t, "main a spin 60\nmain b spin 30\nmain b 9\nmain rare 1\n")
	svg := texts(t, run(t, "dot", "-Tsvg", file(t, "p.dot", write(t, p, dot(0.02)))))
	for _, want := range []string{"main", "total 100.0%", "a", "total 60.0%", "b", "self 9.0%", "total 39.0%", "spin", "self 90.0%", "60.0%", "39.0%", "30.0%", "cpu: 1000000 µs, 100 samples"} {
		if !svg[want] {
			t.Errorf("the picture has no %q: %v", want, svg)
		}
	}
	if svg["rare"] || svg["1.0%"] {
		t.Errorf("what is below the threshold is there: %v", svg)
	}
	p.Resource, p.Unit = "memory", "byte"
	if text := write(t, p, dot(0)) + write(t, p, Callgrind); !strings.Contains(text, "memory: 1000000 bytes,") || !strings.Contains(text, "memory in bytes") {
		t.Errorf("the unit is not in the plural:\n%s", text)
	}
	if all := texts(t, run(t, "dot", "-Tsvg", file(t, "p.dot", write(t, p, dot(0))))); !all["rare"] {
		t.Errorf("at threshold 0 there is no rare: %v", all)
	}
}

// texts are those of an SVG picture.
func texts(t *testing.T, svg string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for in := ""; ; {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			in = token.Name.Local
		case xml.CharData:
			if in == "text" {
				all[string(token)] = true
			}
		case xml.EndElement:
			in = ""
		}
	}
}

func TestDotHostile(t *testing.T) {
	text := write(t, hostileProfile(t), dot(0))
	svg := run(t, "dot", "-Tsvg", file(t, "p.dot", text))
	shown := texts(t, svg)
	for _, want := range []string{"<script>alert(1)</script>", "a;b c", `quote"back\slash`, "größe→", `\N\n%s{}`, "&amp;", "?"} {
		if !shown[want] {
			t.Errorf("the picture has no %q: %v", want, shown)
		}
	}
	if strings.Contains(svg, "<script") {
		t.Error("the picture has a script")
	}
}

// TestDotEdges holds the edges of random trees against their definition: the weight of
// the samples on whose path the one frame is just within the other, each once.
func TestDotEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		p := randomProfile(r)
		tree := p.Groups[0].Tree
		want := map[calltree.Node]uint64{}
		for n, w := range tree.Self {
			counted := map[calltree.Node]bool{}
			frames := tree.Path(int32(n))
			for i := 1; i < len(frames); i++ {
				if e := (calltree.Node{Parent: frames[i], Frame: frames[i-1]}); !counted[e] {
					counted[e] = true
					want[e] += w.Weight
				}
			}
		}
		got := newOutline(tree).edges()
		for e, w := range want {
			if got[e] != w {
				t.Fatalf("%v: got %d, want %d", e, got[e], w)
			}
		}
		if text := write(t, p, dot(0)); len(regexp.MustCompile(` -> `).FindAllString(text, -1)) != len(got) {
			t.Fatalf("%d edges in\n%s", len(got), text)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"short", "short"}, {"exactly ten", "exactly ten"}, {strings.Repeat("ä", 30), strings.Repeat("ä", 7) + "…" + strings.Repeat("ä", 3)},
	} {
		if got := shorten(c.in, 11); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
	if got := dotString("a\"b\\c\nd"); got != `"a\"b\\c\nd"` {
		t.Error(fmt.Sprint(got))
	}
}
