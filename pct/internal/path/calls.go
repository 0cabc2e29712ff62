package path

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Calls are the samples of a selection at the nodes of one calling context tree.
type Calls struct {
	*contexts         // with the Builder of all nodes
	Groups    []Group // the heaviest first; one without a name if the samples aren't split
	// Seen is, of each node, what samples tell of its activations, nil unless Options ask for that.
	// Uncounted are the directories of runs of which they are not known.
	Seen      []Cost
	Uncounted []string

	selected *Selection
	at       [][]spot // of each run and node
}

// Group is the tree of the samples that have one value of Options.By.
type Group struct {
	Name string         // NAME=VALUE, "" without
	Tree *calltree.Tree // of the Builder's frames; of its nodes too, if the samples aren't split
}

// CallSample is a sample, or several of which only their number is known.
type CallSample struct {
	Process int           // number of its process among those of the runs, in their order
	Pid     int           // of its process
	Program string        // path of the executable
	Thread  uint32        // kernel thread id
	Time    time.Duration // since the start of the first process of its tree
	CPU     time.Duration // CPU time of the process so far, 0 unknown
	Node    int32         // innermost frame
	Weight  calltree.Weight
	Partial bool // the path does not reach its outermost frame
	Untimed bool // Time, CPU and Thread mean nothing
	Fields  []Field
}

// Field is a value that was sampled beside the stack.
type Field struct{ Name, Value string }

// Calls puts the selection's call paths into a tree, in which a path that ends before
// its outermost frame, or main, begins with a frame "?". Frames are told apart by
// o.Granularity; o.By splits the samples into groups.
func (s *Selection) Calls(t Translator, o Options) (*Calls, error) {
	if !o.Activations {
		c, _, err := s.calls(t, o)
		return c, err
	}
	c, costs, err := s.counted(t, o)
	if err != nil {
		return nil, err
	}
	c.Seen = make([]Cost, len(costs))
	for n := range costs {
		c.Seen[n] = costs[n].cost()
	}
	return c, nil
}

// calls returns the tree, and the symbols that it was made of.
func (s *Selection) calls(t Translator, o Options) (*Calls, *symbols, error) {
	label := frame.shortLabel
	if o.Granularity == Location {
		label = func(f frame, _ Granularity) string { return f.shortLabel(Symbol) }
	}
	split, err := s.splitter(o, nil)
	if err != nil {
		return nil, nil, err
	}
	all, err := s.resolve(t, o.Templates, false)
	if err != nil {
		return nil, nil, err
	}
	c := &Calls{selected: s}
	c.contexts, c.at = s.weigh(all, o.shape(label), split)
	for _, p := range c.parts {
		c.Groups = append(c.Groups, Group{p.group, p.Tree(c.Builder).Refine(o.Refinements)})
	}
	slices.SortFunc(c.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Tree.Whole().Weight, a.Tree.Whole().Weight), cmp.Compare(a.Name, b.Name))
	})
	return c, all, nil
}

// Samples are the selected samples, in the order in which the runs have them.
func (c *Calls) Samples() iter.Seq[CallSample] {
	return func(yield func(CallSample) bool) {
		numbers := map[*process]int{}
		for _, p := range c.selected.runs.processes {
			numbers[p] = len(numbers)
		}
		for i, r := range c.selected.runs.all {
			for _, s := range c.selected.samples[i].All() {
				sample := CallSample{
					Process: numbers[r.process], Pid: r.Meta.Pid, Program: r.Meta.Exe,
					Thread: s.Thread, Time: moment(r, s, false), CPU: s.CPU,
					Node: c.node(c.at[i][s.Node], s.Partial), Weight: weightOf(s), Partial: s.Partial, Untimed: s.Untimed,
				}
				for _, f := range s.Fields {
					sample.Fields = append(sample.Fields, Field{r.Fields[f.Field], f.Value})
				}
				if !yield(sample) {
					return
				}
			}
		}
	}
}
