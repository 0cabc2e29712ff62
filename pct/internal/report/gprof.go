package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// GprofStyle says how gprof's two tables are written.
type GprofStyle struct {
	Unit      string  // of what is shown, "seconds", "byte"
	Scale     float64 // of the graph's weights, in that unit
	Decimals  int
	Threshold float64 // only functions whose total is this fraction of the whole or more
}

// GprofFlat writes the flat profile: functions by the weight of their bodies. What is
// not known, such as calls where only stacks were sampled, is "-".
func GprofFlat(w io.Writer, g *calltree.CallGraph, style GprofStyle) error {
	out := bufio.NewWriter(w)
	unit := Units(style.Unit)
	fmt.Fprintf(out, "# %6s %11s %11s %11s %11s %10s %10s\n", "%", "cumulative", "self", "total", "", "self", "total")
	each, factor := style.eachCall(g)
	fmt.Fprintf(out, "# %6s %11s %11s %11s %11s %10s %10s   name\n", unitOfShare(unit), unit, unit, unit, "calls", each, each)
	order := make([]*calltree.CallGraphEntry, 0, len(g.Entries))
	for i := range g.Entries {
		if e := &g.Entries[i]; !e.Whole() {
			order = append(order, e)
		}
	}
	slices.SortStableFunc(order, func(a, b *calltree.CallGraphEntry) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	cumulative, shown, hidden, cut := 0.0, 0, 0, style.cut(g)
	for _, e := range order {
		cumulative += e.Self
		if g.Whole > 0 && part(e.Total(), g.Whole) < cut.Threshold || cut.Rows > 0 && shown == cut.Rows {
			hidden++
			continue
		}
		shown++
		calls, self, total := notCounted, notCounted, notCounted
		if g.Counted {
			calls, self, total = "", "", ""
		}
		if g.Counted && e.Calls > 0 {
			calls = fmt.Sprint(e.Calls)
			self, total = perCall(e.Self*factor, e.Calls), perCall(e.Total()*factor, e.Calls)
		}
		fmt.Fprintf(out, "  %6.2f %11s %11s %11s %11s %10s %10s   %s\n", 100*part(e.Self, g.Whole),
			style.amount(cumulative), style.amount(e.Self), style.amount(e.Total()), calls, self, total, entryName(e))
	}
	notShown(out, hidden, cut)
	return out.Flush()
}

const (
	seconds    = "seconds"
	notCounted = "-"
)

// unitOfShare is the second line of the title of the first column.
func unitOfShare(unit string) string {
	if unit == seconds {
		return "time"
	}
	return ""
}

func part(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

func notShown(out io.Writer, hidden int, cut calltree.Cut) {
	if hidden > 0 {
		fmt.Fprintf(out, "# %d more not shown\n", hidden)
	}
	if cut.Lowered {
		fmt.Fprintln(out, lowered(cut))
	}
}

// cut is which entries of a graph are shown, the heaviest of which is the first.
func (s GprofStyle) cut(g *calltree.CallGraph) calltree.Cut {
	heaviest := 0.0
	if len(g.Entries) > 0 && g.Whole > 0 {
		heaviest = part(g.Entries[0].Total(), g.Whole)
	}
	return calltree.NewCut(s.Threshold, 0, heaviest)
}

// amount writes a weight. One that is nothing but what was left by rounding is 0.
func (s GprofStyle) amount(weight float64) string {
	text := fmt.Sprintf("%.*f", s.Decimals, weight*s.Scale)
	return strings.TrimPrefix(text, "-")
}

// eachCall returns the unit in which the weight of a call is shown, and what a weight is to be
// multiplied by: of times, ms or as small a unit as the longest needs.
func (s GprofStyle) eachCall(g *calltree.CallGraph) (unit string, factor float64) {
	if s.Unit != seconds {
		return s.Unit + "/call", s.Scale
	}
	longest := 0.0
	for i := range g.Entries {
		if e := &g.Entries[i]; e.Calls > 0 {
			longest = max(longest, e.Total()*s.Scale/float64(e.Calls))
		}
	}
	switch {
	case longest == 0 || longest >= 1e-3:
		return "ms/call", s.Scale * 1e3
	case longest >= 1e-6:
		return "us/call", s.Scale * 1e6
	}
	return "ns/call", s.Scale * 1e9
}

func perCall(weight float64, calls uint64) string {
	return fmt.Sprintf("%.2f", math.Abs(weight/float64(calls)))
}

// entryName is a function's name, or a cycle's, and the cycle that it is in.
func entryName(e *calltree.CallGraphEntry) string {
	switch {
	case e.Whole():
		return fmt.Sprintf("<cycle %d as a whole>", e.Cycle)
	case e.Cycle > 0:
		return fmt.Sprintf("%s <cycle %d>", visible.Text(e.Name), e.Cycle)
	}
	return visible.Text(e.Name)
}

// GprofGraph writes the call graph: for each function its callers, itself with its index number, and
// its callees.
func GprofGraph(w io.Writer, g *calltree.CallGraph, style GprofStyle) error {
	p := graphPrinter{bufio.NewWriter(w), g, style, 0, map[int]uint64{}}
	for i := range g.Entries {
		if e := &g.Entries[i]; e.Whole() {
			p.cycles[e.Cycle] = e.Calls
		} else {
			p.whole += e.Self
		}
	}
	called := "called"
	if !g.Counted {
		called += "     samples"
	}
	fmt.Fprintf(p.out, "# %-6s %6s %11s %11s   %15s   name\n", "index", cmp.Or(strings.TrimSpace("% "+unitOfShare(style.Unit)), "%"), "self", "children", called)
	shown, hidden, cut := 0, 0, style.cut(g)
	for i := range g.Entries {
		e := &g.Entries[i]
		if g.Whole > 0 && part(e.Total(), g.Whole) < cut.Threshold || cut.Rows > 0 && shown == cut.Rows {
			hidden++
			continue
		}
		shown++
		for j := range e.Callers {
			p.line(&e.Callers[j], e)
		}
		p.primary(i, e)
		for j := range e.Members {
			p.member(&e.Members[j])
		}
		for j := range e.Callees {
			p.line(&e.Callees[j], &g.Entries[e.Callees[j].Entry])
		}
		fmt.Fprintf(p.out, "# %s\n", strings.Repeat("-", 78))
	}
	notShown(p.out, hidden, cut)
	return p.out.Flush()
}

type graphPrinter struct {
	out    *bufio.Writer
	graph  *calltree.CallGraph
	style  GprofStyle
	whole  float64        // of all functions, which the rounding of bins in gmon.out makes another number than that of all samples
	cycles map[int]uint64 // calls of each from outside
}

// calls are those to a callee from outside: to its cycle where it is in one.
func (p graphPrinter) calls(callee *calltree.CallGraphEntry) uint64 {
	if callee.Cycle > 0 {
		return p.cycles[callee.Cycle]
	}
	return callee.Calls
}

// row writes a line of the table.
func (p graphPrinter) row(index, percent, self, children, called string, samples int, name string) {
	if p.graph.Counted {
		called = fmt.Sprintf("%15s", called)
	} else {
		called = fmt.Sprintf("%6s %11d", called, samples)
	}
	fmt.Fprintf(p.out, "  %-6s %6s %11s %11s   %s   %s\n", index, percent, self, children, called, name)
}

func (p graphPrinter) primary(i int, e *calltree.CallGraphEntry) {
	called := notCounted
	if p.graph.Counted {
		called = fmt.Sprint(e.Calls)
		if e.Recursive > 0 {
			called += fmt.Sprintf("+%d", e.Recursive)
		}
		if e.Calls+e.Recursive == 0 {
			called = ""
		}
	}
	p.row(fmt.Sprintf("[%d]", i+1), fmt.Sprintf("%.1f", 100*part(e.Total(), p.whole)), p.style.amount(e.Self), p.style.amount(e.Children),
		called, e.Samples, p.name(i))
}

// name is an entry's name and index number.
func (p graphPrinter) name(i int) string {
	return fmt.Sprintf("%s [%d]", entryName(&p.graph.Entries[i]), i+1)
}

// line writes an arc to callee, from or to the entry that it names.
func (p graphPrinter) line(l *calltree.CallGraphLine, callee *calltree.CallGraphEntry) {
	name := "<spontaneous>"
	called := notCounted
	if l.Entry != calltree.Spontaneous {
		name = p.name(l.Entry)
	}
	self, children := p.style.amount(l.Self), p.style.amount(l.Children)
	if l.Recursion {
		self, children = "", ""
	}
	if p.graph.Counted {
		switch {
		case l.Entry == calltree.Spontaneous:
			self, children, called = "", "", ""
		case l.Recursion:
			called = fmt.Sprint(l.Calls)
		default:
			called = fmt.Sprintf("%d/%d", l.Calls, p.calls(callee))
		}
	}
	p.row("", "", self, children, called, l.Samples, "    "+name)
}

// member writes the line of a cycle's member below that of the cycle.
func (p graphPrinter) member(l *calltree.CallGraphLine) {
	e := &p.graph.Entries[l.Entry]
	called := notCounted
	if p.graph.Counted {
		called = fmt.Sprint(l.Calls)
		if e.Recursive > 0 {
			called += fmt.Sprintf("+%d", e.Recursive)
		}
	}
	p.row("", "", p.style.amount(l.Self), p.style.amount(l.Children), called, l.Samples, "    "+p.name(l.Entry))
}
