// Package contexts finds the few optimizable contexts of a calling context tree that
// matter: the technique of Hall and Goldberg, "Call Path Profiling of Monotonic Program
// Resources in UNIX" (USENIX 1993), section 4.4, done without a user.
//
// The user of the paper asks for a function profile, takes its most significant
// function that is no mere root, asks who calls it, and follows the callers as long as
// one of them holds a good part of the weight. What is left then is a call path such as
// (address_information db_get_property db_read_record): not so short that it is but the
// name of a function which all call, not so long that each path has next to nothing.
// Find does these steps:
//
//  1. A path of calls that comes back to a function is cut there, as the paper's
//     appendix does it, so that no function stands on a path twice. A function is
//     significant if the paths that it is on have the weight Least.
//  2. Each sample has a place, the innermost significant function on its path: many
//     small functions count for the one that unites them.
//  3. Of the samples that are in no context yet, the place that has most of them is the
//     head of the next context. A dispatcher is the place of few samples, and so none.
//  4. Its caller takes its place if it is the only one, does work itself, and has most
//     of its weight in the head: qsort for the function that it compares with.
//  5. The path is extended outwards by the heaviest caller, as long as that has a third
//     of the path's weight and is no root, such as main or the start of a thread.
//     A path without any caller takes a root, too.
//  6. Outer frames that tell nothing apart, as all of the weight comes by them, are
//     dropped again, down to two frames.
//  7. The samples on that path are in the context now. From step 3 on with the others,
//     until no place holds the weight Least.
//
// A head that is the place of less than a quarter of the samples on its path takes
// those alone: they are what it does itself, the others belong to other heads.
package contexts

import (
	"cmp"
	"math"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Options of Find.
type Options struct {
	// Name says what tells frames apart: those of one name are the same function.
	Name  func(*calltree.Frame) string
	Least float64 // weight of a significant function, as a fraction of the whole
	Most  int     // contexts
}

// A Context is a call path that holds a significant part of the weight.
type Context struct {
	Path   []string        // names, the outermost first
	Weight calltree.Weight // of all samples on the path: the f_p of section 4.2
	Fresh  calltree.Weight // of those that are in no context before this one
	Itself bool            // Fresh is only what the last function does itself, and functions that are not significant

	Function calltree.Weight // of the last function of Path, by whatever path

	// Callers are those of the path's outermost function, with the fresh samples
	// that come by them, the heaviest first.
	Callers []Part
	// Bodies are the functions where the fresh samples were found, the heaviest
	// first.
	Bodies []Part
}

// Part is a function's part of a context.
type Part struct {
	Name string
	calltree.Weight
}

// Contexts are those of a tree.
type Contexts struct {
	List  []Context
	Whole calltree.Weight
	Rest  calltree.Weight // in no context
	Of    []int32         // of each node of the tree: the context its samples are in, -1 if none
}

const (
	dominant   = 1.0 / 3 // of a path's weight: its caller is followed
	only       = 0.9     // of a head's weight: it has one caller
	worker     = 0.1     // of a function's weight is its own: it works
	most       = 0.5     // of a caller's weight is in the head
	same       = 0.95    // of a path's weight: nothing is told apart
	outermost  = 0.9     // of a function's weight is called by nobody: it is a root
	united     = 0.25    // of a path's weight is at its head: the head stands for all of it
	deviations = 3       // a function with less than so many standard errors is not significant
)

// Least returns the fraction from which a function of a profile of so many samples is
// significant: 5%, and three standard errors.
func Least(samples int) float64 {
	const d2 = deviations * deviations
	return math.Max(0.05, d2/float64(samples+d2))
}

// bySize puts contexts in the order of their fresh samples' weight.
func (s *search) bySize(list []Context) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	found := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(found[b].Fresh.Weight, found[a].Fresh.Weight) })
	place := make([]int32, len(list))
	for to, from := range order {
		list[to], place[from] = found[from], int32(to)
	}
	for n, context := range s.taken {
		if context != none {
			s.taken[n] = place[context]
		}
	}
}

// Find returns the contexts of a tree, the largest by its fresh samples first.
func Find(t *calltree.Tree, o Options) *Contexts {
	s := newSearch(t, o)
	found := &Contexts{Whole: s.whole}
	for len(found.List) < o.Most {
		head, ok := s.head()
		if !ok {
			break
		}
		found.List = append(found.List, s.context(head, int32(len(found.List))))
	}
	s.bySize(found.List)
	found.Of = s.taken
	if s.at != nil {
		found.Of = s.at // which is not needed any more
		for node, at := range s.at {
			found.Of[node] = s.taken[at]
		}
	}
	for node, context := range found.Of {
		if context < 0 {
			found.Rest = found.Rest.Plus(t.Self[node])
		}
	}
	return found
}
