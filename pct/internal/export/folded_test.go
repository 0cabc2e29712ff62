package export

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

func folded(weights bool) func(io.Writer, *Profile) error {
	return func(w io.Writer, p *Profile) error { return Folded(w, p, weights) }
}

func TestFolded(t *testing.T) {
	p := profileOf(t, "main uniquify_db qsort 1820\nmain 3\nmain uniquify_db 7\nabort 1\n")
	const want = "abort 1\nmain 3\nmain;uniquify_db 7\nmain;uniquify_db;qsort 1820\n"
	if got := write(t, p, folded(false)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := write(t, p, folded(true)); !strings.Contains(got, "main;uniquify_db;qsort 18200000\n") {
		t.Errorf("with weights:\n%s", got)
	}
	p.Groups = []path.Group{{Name: "n=1", Tree: p.Groups[0].Tree}, {Name: "n=2;3", Tree: &calltree.Tree{
		Frames: p.Groups[0].Tree.Frames, Nodes: make([]calltree.Node, 1), Self: []calltree.Weight{{Weight: 5, Samples: 2}},
	}}}
	if got, want := write(t, p, folded(false)), "n=1;abort 1\nn=1;main 3\nn=1;main;uniquify_db 7\nn=1;main;uniquify_db;qsort 1820\nn=2:3;? 2\n"; got != want {
		t.Errorf("groups: got\n%swant\n%s", got, want)
	}
	if got := write(t, &Profile{}, folded(false)); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestFoldedHostile reads the lines as flamegraph.pl does: the number after the last
// blank, the names between semicolons.
func TestFoldedHostile(t *testing.T) {
	got := write(t, hostileProfile(t), folded(false))
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) < len(hostile) {
		t.Fatalf("%d lines of %d paths:\n%s", len(lines), len(hostile), got)
	}
	longest := 0
	for _, text := range lines {
		at := strings.LastIndexByte(text, ' ')
		if _, err := strconv.Atoi(text[at+1:]); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		depth := strings.Count(text[:at], ";")
		longest = max(longest, depth)
		if depth != 1 && depth != len(hostile) || strings.ContainsAny(text, "\x1b\t\r") {
			t.Errorf("%d semicolons in %q", depth, text)
		}
	}
	if longest != len(hostile) {
		t.Errorf("the longest path has %d semicolons, want %d", longest, len(hostile))
	}
}

// TestFoldedSums holds the sum of each name, wherever it is on a line, against the
// function profile.
func TestFoldedSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := randomProfile(r)
		sums, want := map[string]int{}, map[string]int{}
		for text := range strings.Lines(write(t, p, folded(false))) {
			names, number, _ := strings.Cut(strings.TrimSpace(text), " ")
			n, _ := strconv.Atoi(number)
			counted := map[string]bool{}
			for name := range strings.SplitSeq(names, ";") {
				if !counted[name] {
					counted[name] = true
					sums[name] += n
				}
			}
		}
		tree := p.Groups[0].Tree
		for n, self := range tree.Self {
			counted := map[string]bool{}
			for _, f := range tree.Path(int32(n)) {
				if name := tree.Frames[f].Name; !counted[name] {
					counted[name] = true
					want[name] += self.Samples
				}
			}
		}
		for name, n := range want {
			if sums[name] != n {
				t.Errorf("%s: got %d, want %d", name, sums[name], n)
			}
		}
	}
}
