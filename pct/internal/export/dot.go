package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/report"
)

// Dot writes a call graph for Graphviz. Its nodes are the functions, or what else frames are
// told apart by, with the shares of all that they took with and without what they called; an
// edge has the share of the samples in which the one called the other, each sample once.
// Both are computed from whole call paths, not divided among callers by averages.
// What has a share below threshold is left out.
func Dot(out io.Writer, p *Profile, threshold float64) error {
	o := newOutline(p.whole())
	w := bufio.NewWriter(out)
	all := max(1, o.totals[0].Weight)
	share := func(weight uint64) float64 { return float64(weight) / float64(all) }
	self := make([]uint64, len(o.Frames))
	for _, f := range o.Bodies() {
		self[f.Frame] = f.Weight.Weight
	}
	fmt.Fprintf(w, "digraph pct {\n\tlabel=%s;\n\tlabelloc=t; fontname=\"Helvetica\";\n"+
		"\tnode [shape=box, style=filled, fontname=\"Helvetica\"];\n\tedge [fontname=\"Helvetica\"];\n",
		dotString(fmt.Sprintf("%s\n%s: %d %s, %d samples", shorten(p.title(), 2*longest), line(p.Resource), o.totals[0].Weight, line(report.Units(p.Unit)), o.totals[0].Samples)))
	shown := make([]bool, len(o.Frames))
	hidden, nodes, functions, heaviest := 0, 0, o.Functions(), 0.0
	if len(functions) > 0 {
		heaviest = share(functions[0].Weight.Weight)
	}
	cut := calltree.NewCut(threshold, 0, heaviest)
	for _, f := range functions {
		total := share(f.Weight.Weight)
		if total < cut.Threshold && o.totals[0].Weight > 0 || cut.Rows > 0 && nodes == cut.Rows {
			hidden++
			continue
		}
		nodes++
		shown[f.Frame] = true
		own := share(self[f.Frame])
		name := line(o.Frames[f.Frame].Name)
		fmt.Fprintf(w, "\tn%d [label=%s, tooltip=%s, fillcolor=%q, fontsize=%.0f];\n", f.Frame,
			dotString(fmt.Sprintf("%s\nself %.1f%%\ntotal %.1f%%", shorten(name, longest), 100*own, 100*total)),
			dotString(shorten(name, 10*longest)), heat(total), 10+14*own)
	}
	edges := o.edges()
	order := make([]calltree.Node, 0, len(edges))
	for e := range edges {
		order = append(order, e)
	}
	slices.SortFunc(order, func(a, b calltree.Node) int {
		return cmp.Or(cmp.Compare(edges[b], edges[a]), cmp.Compare(a.Parent, b.Parent), cmp.Compare(a.Frame, b.Frame))
	})
	for _, e := range order {
		if s := share(edges[e]); (s >= cut.Threshold || o.totals[0].Weight == 0) && shown[e.Parent] && shown[e.Frame] {
			fmt.Fprintf(w, "\tn%d -> n%d [label=\"%.1f%%\", penwidth=%.2f, weight=%.0f, color=%q];\n",
				e.Parent, e.Frame, 100*s, 1+4*s, 1+100*s, heat(s))
		}
	}
	if hidden > 0 {
		fmt.Fprintf(w, "\t// %d below %g%% are left out\n", hidden, 100*threshold)
	}
	w.WriteString("}\n")
	return w.Flush()
}

// longest is how many characters of a name are shown.
const longest = 50

// edges returns the weight of the samples in which one frame, Parent, called another.
func (o *outline) edges() map[calltree.Node]uint64 {
	sums := map[calltree.Node]uint64{}
	locked := map[calltree.Node]bool{} // edges that are on the path already: its samples are counted
	type step struct {
		edge   calltree.Node
		locked bool
	}
	var path []step
	for n, depth := range o.preorder() {
		for _, s := range path[min(depth-1, len(path)):] {
			if s.locked {
				delete(locked, s.edge)
			}
		}
		path = path[:min(depth-1, len(path))]
		node := o.Nodes[n]
		if node.Parent == 0 {
			path = append(path, step{})
			continue
		}
		s := step{edge: calltree.Node{Parent: o.Nodes[node.Parent].Frame, Frame: node.Frame}}
		if !locked[s.edge] {
			s.locked, locked[s.edge] = true, true
			sums[s.edge] += o.totals[n].Weight
		}
		path = append(path, s)
	}
	return sums
}

// heat is a colour from pale to red for a share.
func heat(share float64) string {
	share = min(1, max(0, share))
	return fmt.Sprintf("#%02x%02x%02x", 255-int(20*share), 240-int(140*share), 230-int(150*share))
}

// dotString quotes a text; a newline in it starts another line of a label. Graphviz
// knows the entities of HTML.
func dotString(s string) string {
	return `"` + strings.NewReplacer("&", "&amp;", `\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// shorten keeps the ends of a text, at most so many characters.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	return string(runes[:most-most/3-1]) + "…" + string(runes[len(runes)-most/3:])
}
