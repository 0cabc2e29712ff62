package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/report"
)

// Callgrind writes the profile format of Callgrind, version 1, which KCachegrind and
// callgrind_annotate read. The frames must be of path.Location.
//
// A function is told apart by its object, its source file and its name; one that was
// inlined is called by the one that it was inlined into. In a recursion it has, from its
// second activation on, the names f'2, f'3, …, as with Callgrind's option
// --separate-recs: the inclusive cost of f is the weight of all samples that have f
// on their path, each once, and no inclusive cost is above the total.
//
// How often a function was called isn't known from samples: each line of calls has the
// count 1, as callgrind_annotate takes 0 for no call at all. An outermost function that others
// call elsewhere is called by a function "(root)", as callgrind_annotate adds up inclusive
// costs by callers. What is not known is "???", as Callgrind writes it.
func Callgrind(out io.Writer, p *Profile) error {
	o := newOutline(p.whole())
	c := &callgrind{out: bufio.NewWriterSize(out, 1<<16), defined: map[string]bool{}, numbers: map[string]int{}}
	of, names := c.readFunctions(o.Frames)
	c.reduced = reduce(o, of, names)
	c.header(p, o.totals[0])
	c.records(o)
	return c.out.Flush()
}

// functionName is a function as Callgrind tells it apart.
type functionName struct{ object, file, name string }

type callgrind struct {
	out *bufio.Writer
	*reduced
	functions []functionName
	defined   map[string]bool // compressed names that stand in the file already
	numbers   map[string]int  // of objects and files
}

// readFunctions returns the function of each frame, and the number of its name:
// callgrind_annotate doesn't tell objects apart.
func (c *callgrind) readFunctions(frames []calltree.Frame) (of, names []int32) {
	byObject, byName := map[functionName]int32{}, map[functionName]int32{}
	for i := range frames {
		f := &frames[i]
		name := functionName{named(f.Object), named(f.File), named(cmp.Or(f.Function, f.Name))}
		id, ok := byObject[name]
		if !ok {
			id = int32(len(c.functions))
			c.functions = append(c.functions, name)
			byObject[name] = id
		}
		name.object = ""
		same, ok := byName[name]
		if !ok {
			same = id
			byName[name] = id
		}
		of, names = append(of, id), append(names, same)
	}
	return of, names
}

func named(s string) string {
	if s == "" {
		return "???"
	}
	return line(s)
}

func (c *callgrind) header(p *Profile, whole calltree.Weight) {
	resource := eventName(p.Resource)
	fmt.Fprintf(c.out, "# callgrind format\nversion: 1\ncreator: %s\ncmd: %s\n", line(p.Creator), line(strings.Join(p.Commands, "; ")))
	for _, limit := range p.Limits {
		fmt.Fprintf(c.out, "desc: Selected: %s\n", line(limit))
	}
	fmt.Fprintf(c.out, "desc: Costs: weights of samples, by whole call paths\n"+
		"desc: Calls: their numbers are not known; 1 stands for each line of calls\n"+
		"desc: Recursion: f'2 is f within f, f'3 within that; the inclusive cost of f has each sample once\n"+
		"positions: line\nevent: %s : %s in %s\nevents: %s Samples\nsummary: %d %d\n",
		resource, line(p.Resource), line(report.Units(p.Unit)), resource, whole.Weight, whole.Samples)
}

// eventName is a resource as a name of an event: letters, digits and underscores.
func eventName(resource string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, resource)
	if name == "" || name[0] >= '0' && name[0] <= '9' || name == "Samples" {
		return "_" + name
	}
	return name
}

// A record is a cost at a line of an activation: its own, or that of what was called
// there.
type record struct {
	caller int32
	line   int32
	callee int32 // none for its own
}

// root is the caller of outermost functions that others call elsewhere.
const root = -1

// records writes the costs, function by function.
func (c *callgrind) records(o *outline) {
	costs := map[record]calltree.Weight{}
	totals := make([]calltree.Weight, len(c.nodes))
	for n := range o.preorder() {
		if self, at := o.Self[n], c.at[n]; self.Samples > 0 {
			totals[at] = totals[at].Plus(self)
			own := record{c.nodes[at].activation, int32(o.Frames[o.Nodes[n].Frame].Line), none}
			costs[own] = costs[own].Plus(self)
		}
	}
	outermost, called := map[int32]calltree.Weight{}, map[int32]bool{} // activations, names
	for n := len(c.nodes) - 1; n > 0; n-- {
		node := c.nodes[n]
		totals[node.parent] = totals[node.parent].Plus(totals[n])
		if node.parent == 0 {
			outermost[node.activation] = outermost[node.activation].Plus(totals[n])
			continue
		}
		if c.activations[node.activation].level == 1 {
			called[c.names[node.activation]] = true
		}
		call := record{c.nodes[node.parent].activation, node.line, node.activation}
		costs[call] = costs[call].Plus(totals[n])
	}
	for a, w := range outermost {
		if called[c.names[a]] {
			costs[record{root, 0, a}] = w
		}
	}
	order := make([]record, 0, len(costs))
	for r := range costs {
		order = append(order, r)
	}
	slices.SortFunc(order, func(a, b record) int {
		return cmp.Or(c.compare(a.caller, b.caller), cmp.Compare(a.line, b.line), c.compare(a.callee, b.callee))
	})
	for i, r := range order {
		if i == 0 || r.caller != order[i-1].caller {
			c.out.WriteByte('\n')
			c.position(r.caller)
		}
		if r.callee != none {
			c.called(r.caller, r.callee)
			c.out.WriteString("calls=1 0\n")
		}
		fmt.Fprintf(c.out, "%d %d %d\n", max(0, r.line), costs[r].Weight, costs[r].Samples)
	}
}

// compare orders activations by what they are of.
func (c *callgrind) compare(a, b int32) int {
	if a < 0 || b < 0 || a == b {
		return cmp.Compare(a, b)
	}
	x, y := c.activations[a], c.activations[b]
	f, g := c.functions[x.function], c.functions[y.function]
	return cmp.Or(cmp.Compare(f.object, g.object), cmp.Compare(f.file, g.file), cmp.Compare(f.name, g.name), cmp.Compare(x.level, y.level))
}

// position writes the lines that name a function. Names are compressed: written
// once, with a number, and by their number from then on.
func (c *callgrind) position(a int32) {
	if a == root {
		c.named("ob", c.number("ob", "???"), "???")
		c.named("fl", c.number("fl", "???"), "???")
		c.named("fn", len(c.activations)+1, "(root)")
		return
	}
	f := c.functions[c.activations[a].function]
	c.named("ob", c.number("ob", f.object), f.object)
	c.named("fl", c.number("fl", f.file), f.file)
	c.named("fn", int(a)+1, c.title(a))
}

// called writes the lines that name a function which another one called. What is left
// out is that of the caller.
func (c *callgrind) called(caller, a int32) {
	f, from := c.functions[c.activations[a].function], functionName{"???", "???", ""}
	if caller != root {
		from = c.functions[c.activations[caller].function]
	}
	if f.object != from.object {
		c.named("cob", c.number("ob", f.object), f.object)
	}
	if f.file != from.file {
		c.named("cfl", c.number("fl", f.file), f.file)
	}
	c.named("cfn", int(a)+1, c.title(a))
}

// title is the name of an activation.
func (c *callgrind) title(a int32) string {
	name := c.functions[c.activations[a].function].name
	if level := c.activations[a].level; level > 1 {
		name += "'" + strconv.Itoa(int(level))
	}
	return name
}

// number returns that of an object or file.
func (c *callgrind) number(kind, name string) int {
	n, ok := c.numbers[kind+name]
	if !ok {
		n = len(c.numbers) + 1
		c.numbers[kind+name] = n
	}
	return n
}

// named writes a line such as fn=(3) main, or fn=(3) if that was written before. Those of
// callers and of callees have the same numbers.
func (c *callgrind) named(key string, number int, name string) {
	id := key[len(key)-2:] + strconv.Itoa(number)
	if c.defined[id] {
		fmt.Fprintf(c.out, "%s=(%d)\n", key, number)
		return
	}
	c.defined[id] = true
	fmt.Fprintf(c.out, "%s=(%d) %s\n", key, number, name)
}
