package flame

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// trees builds groups of call paths, a line each: WEIGHT frame;frame;frame, the
// outermost first, after a line "= NAME" of the group NAME. A frame may be
// NAME@OBJECT.
func trees(lines ...string) []Group {
	var groups []Group
	var b *calltree.Builder
	var self map[int32]calltree.Weight
	name := ""
	end := func() {
		if b != nil {
			groups = append(groups, Group{name, b.Compact(self)})
		}
		b, self = calltree.NewBuilder(), map[int32]calltree.Weight{}
	}
	for _, line := range lines {
		if next, ok := strings.CutPrefix(line, "= "); ok {
			end()
			name = next
			continue
		}
		if b == nil {
			end()
		}
		var n int
		fmt.Sscan(line, &n)
		_, path, _ := strings.Cut(line, " ")
		node := int32(0)
		for frame := range strings.SplitSeq(path, ";") {
			name, object, _ := strings.Cut(frame, "@")
			node = b.Child(node, b.Frame(calltree.Frame{Name: name, Function: name, Object: object}))
		}
		self[node] = self[node].Plus(calltree.Weight{Weight: uint64(1000 * n), Samples: n})
	}
	end()
	return groups
}

// drawn writes a layout as lines: a dot for each level, the frame, start, total and
// self in samples.
func drawn(g *Graph, l *layout) string {
	var b strings.Builder
	for i := range l.boxes {
		box := &l.boxes[i]
		fmt.Fprintf(&b, "%s%s %d+%d %d\n", strings.Repeat(".", int(box.depth)), g.name(box), box.start.Samples, box.total.of.Samples, box.self.of.Samples)
	}
	return b.String()
}

func TestLayout(t *testing.T) {
	g := New(trees("3 main;b;c", "2 main;b", "4 main;a", "1 main", "5 start;c"), Options{})
	const want = `all 0+15 0
.main 0+10 1
..a 0+4 4
..b 4+5 2
...c 4+3 3
.start 10+5 0
..c 10+5 5
`
	if got := drawn(g, g.up()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	const inverted = `all 0+15 0
.a 0+4 0
..main 0+4 4
.b 4+2 0
..main 4+2 2
.c 6+8 0
..b 6+3 0
...main 6+3 3
..start 9+5 5
.main 14+1 1
`
	if got := drawn(g, g.down()); got != inverted {
		t.Errorf("inverted: got\n%swant\n%s", got, inverted)
	}
}

func TestGroups(t *testing.T) {
	g := New(trees("= n=1", "3 main;b", "= n=2", "2 main;b", "1 main;b;n=1"), Options{})
	const want = `all 0+6 0
.n=1 0+3 0
..b 0+3 0
...main 0+3 3
.n=2 3+3 0
..b 3+2 0
...main 3+2 2
..n=1 5+1 0
...b 5+1 0
....main 5+1 1
`
	if got := drawn(g, g.down()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(g.t.functions()) != 3 { // the function n=1 is one, the group is none
		t.Errorf("%d functions, want 3", len(g.t.functions()))
	}
}

// TestThreshold leaves out what is narrow, and says so in place and in words.
func TestThreshold(t *testing.T) {
	g := New(trees("90 main;a", "4 main;b;x", "3 main;c", "3 main;d"), Options{Threshold: 0.05})
	const want = `all 0+100 0
.main 0+100 0
..a 0+90 90
..(3 narrower frames) 90+10 0
`
	if got := drawn(g, g.up()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := g.omitted(g.up()); len(got) != 1 || got[0] != "Left out: 3 frames narrower than 5%, with all on them, from the stacks of 10.00% of the samples." {
		t.Errorf("told %q", got)
	}
}

// TestNesting holds, on random trees, boxes against those that they are on: inside,
// side by side, all of the width but what is their own or left out.
func TestNesting(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var lines []string
		for range 1 + r.IntN(60) {
			names := make([]string, 1+r.IntN(9))
			for i := range names {
				names[i] = string(rune('a' + r.IntN(4)))
			}
			lines = append(lines, fmt.Sprintf("%d %s", 1+r.IntN(9), strings.Join(names, ";")))
		}
		for _, threshold := range []float64{0, 0.02} {
			g := New(trees(lines...), Options{Threshold: threshold})
			for _, l := range []*layout{g.up(), g.down()} {
				checkNesting(t, g, l, threshold == 0)
				if t.Failed() {
					t.Fatalf("seed %d, inverted %v:\n%s", seed, l.inverted, drawn(g, l))
				}
			}
		}
	}
}

func checkNesting(t *testing.T, g *Graph, l *layout, all bool) {
	t.Helper()
	var open []*box
	sums := map[*box]calltree.Weight{}
	last := map[*box]*box{}
	for i := range l.boxes {
		b := &l.boxes[i]
		open = append(open[:b.depth], b)
		if b.depth == 0 {
			continue
		}
		parent := open[b.depth-1]
		sums[parent] = sums[parent].Plus(b.total.of)
		if b.start.Weight < parent.start.Weight || b.start.Plus(b.total.of).Weight > parent.start.Plus(parent.total.of).Weight {
			t.Errorf("box %d is not inside its parent", i)
		}
		if before := last[parent]; before != nil {
			if before.start.Plus(before.total.of) != b.start {
				t.Errorf("box %d does not begin where the one before ends", i)
			}
			if g.name(before) >= g.name(b) && b.frame != restFrame {
				t.Errorf("box %d is not after %s", i, g.name(before))
			}
		}
		last[parent] = b
	}
	for i := range l.boxes {
		b := &l.boxes[i]
		if sum := sums[b].Plus(b.self.of); all && sum != b.total.of || sum.Weight > b.total.of.Weight {
			t.Errorf("box %d has %v, and on it and itself are %v", i, b.total.of, sum)
		}
	}
}

// TestStable draws the same graph of the same paths in any order.
func TestStable(t *testing.T) {
	lines := []string{"3 main;b;c", "2 main;b", "4 main;a", "1 main", "5 start;c", "5 start;d;e"}
	write := func(lines []string) string {
		var b bytes.Buffer
		if err := New(trees(lines...), Options{Title: "T"}).SVG(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := write(lines)
	slices.Reverse(lines)
	if write(lines) != first {
		t.Error("the order of the paths matters")
	}
}

func TestDeep(t *testing.T) {
	path := "main" + strings.Repeat(";recurse", 10_000)
	g := New(trees("7 "+path, "3 main;leaf"), Options{})
	for _, l := range []*layout{g.up(), g.down()} {
		if l.rows != maxDepth {
			t.Errorf("inverted %v: %d rows, want %d", l.inverted, l.rows, maxDepth)
		}
		if got := g.omitted(l); len(got) != 1 || got[0] != "Not drawn: what is on 300 frames, with 70.00% of the samples." {
			t.Errorf("told %q", got)
		}
	}
	var out bytes.Buffer
	if err := g.SVG(&out); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, out.Bytes())
}

// TestLarge bounds the size of a document of 200,000 paths.
func TestLarge(t *testing.T) {
	large := &calltree.Tree{Nodes: make([]calltree.Node, 1)}
	for i := range 3000 {
		large.Frames = append(large.Frames, calltree.Frame{Name: fmt.Sprintf("namespace::function_%d<%s>", i, strings.Repeat("x", i%300))})
	}
	from := 0
	for _, callees := range []int{4, 25, 50, 40} {
		to := len(large.Nodes)
		for parent := from; parent < to; parent++ {
			for i := range callees {
				large.Nodes = append(large.Nodes, calltree.Node{Parent: int32(parent), Frame: int32((parent*7 + i*13) % len(large.Frames))})
			}
		}
		from = to
	}
	large.Self = make([]calltree.Weight, len(large.Nodes))
	for i := from; i < len(large.Nodes); i++ {
		large.Self[i] = calltree.Weight{Weight: 1000, Samples: 1}
	}
	if whole := large.Whole().Samples; whole != 200_000 {
		t.Fatalf("%d paths", whole)
	}
	g := New([]Group{{"", large}}, Options{})
	var svg, html bytes.Buffer
	if err := g.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	if err := g.HTML(&html); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d and %d boxes, %d and %d bytes", len(g.up().boxes), len(g.down().boxes), svg.Len(), html.Len())
	if svg.Len() > 5<<20 || html.Len() > 10<<20 {
		t.Errorf("%d bytes of SVG, %d of HTML", svg.Len(), html.Len())
	}
	if max(len(g.up().boxes), len(g.down().boxes)) > maxBoxes+maxDepth || min(len(g.up().boxes), len(g.down().boxes)) < 100 {
		t.Errorf("%d and %d boxes", len(g.up().boxes), len(g.down().boxes))
	}
	if !strings.Contains(svg.String(), "(A graph has no more than 10,000 frames.)") {
		t.Error("the bound is not told")
	}
}

func TestDiff(t *testing.T) {
	now := trees("500 main;a", "480 main;b", "20 main;new")
	base := trees("1000 main;a", "500 main;b", "400 main;gone;x", "100 main;gone")
	g := New(now, Options{Compared: "before", Base: base})
	levels := map[string]int{}
	for i := range g.up().boxes {
		levels[g.name(&g.up().boxes[i])] = g.t.level(g.up().boxes[i].total)
	}
	// Shares: a 50% and was 50%, b 48% and was 25%, new 2% and was none.
	for name, want := range map[string]int{"main": 0, "a": 0, "b": 3, "new": diffLevels} {
		if got, ok := levels[name]; !ok || got != want {
			t.Errorf("%s has level %d, want %d", name, got, want)
		}
	}
	if _, ok := levels["gone"]; ok {
		t.Error("what is gone is drawn")
	}
	want := []string{"Vanished since the base, and not drawn: 1 call path with 25.00% of the base.", "25.00%: gone ← main"}
	if !slices.Equal(g.notes, want) {
		t.Errorf("told %q, want %q", g.notes, want)
	}
	if got := g.change(amount{now[0].Tree.Self[2], base[0].Tree.Self[2]}); got != "base 50.00% ± 1.12: not distinguishable" {
		t.Errorf("told %q", got)
	}
	less := New(base, Options{Compared: "after", Base: now})
	for i := range less.up().boxes {
		b := &less.up().boxes[i]
		if less.name(b) == "b" && less.t.level(b.total) != -3 {
			t.Errorf("b has level %d the other way round", less.t.level(b.total))
		}
	}
}

// TestWeightless shares samples that weigh nothing by their number.
func TestWeightless(t *testing.T) {
	groups := trees("3 a", "1 b")
	for i := range groups[0].Tree.Self {
		groups[0].Tree.Self[i].Weight = 0
	}
	var out bytes.Buffer
	if err := New(groups, Options{Threshold: 0.3}).SVG(&out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, "total 75.00% ± 21.65, 3 samples") || strings.Contains(s, "NaN") {
		t.Errorf("%s", s)
	}
}

func wellFormed(t *testing.T, doc []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
