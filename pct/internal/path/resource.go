package path

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Resources returns the names of what the runs that were named measure, each once, in
// their order: also of those that OpenResource left out.
func (rs *Runs) Resources() []string { return rs.resources.all }

// allocators are the functions of the C library whose calls count as alloc.
var allocators = []string{"malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc", "mmap"}

// countedFunctions are the C functions whose calls a resource is, without their library; none if it is something else.
func countedFunctions(name string) []string {
	if name == resource.Alloc {
		return allocators
	}
	_, function := resource.Function(name)
	if function == "" || strings.Contains(function, "::") {
		return nil
	}
	return []string{function}
}

// nameCounted calls functions whose calls were counted as they were asked for, where their symbols are those of
// special versions, or other ones of the C library: malloc is __libc_malloc or __GI___libc_malloc there.
func (s *Selection) nameCounted(all *symbols) {
	named := make([]bool, len(all.places)) // of many samples at a place the first is enough
	for i, r := range s.runs.all {
		functions := countedFunctions(r.Header.Resource)
		if len(functions) == 0 {
			continue
		}
		for _, sample := range s.samples[i].All() {
			at := all.of[i][sample.Node]
			if at == unselected || named[at] {
				continue
			}
			named[at] = true
			for j, f := range all.chains[at] {
				if whole := funcname.OfSymbol(f.function); slices.Contains(functions, whole) {
					all.chains[at][j].function = whole
					continue
				}
				calltree.Alias(f.function, func(name string) bool {
					known := slices.Contains(functions, name)
					if known {
						all.chains[at][j].function = name
					}
					return known
				})
			}
		}
	}
}

// MixedResources says that two runs measured different things, which cannot be added up.
type MixedResources struct {
	dir, resource, unit                string // of one run
	otherDir, otherResource, otherUnit string

	All []string // names of the resources of all runs, each once
}

func (e *MixedResources) Error() string {
	one, other := e.resource, e.otherResource
	if one == other {
		one, other = one+" in "+e.unit, other+" in "+e.otherUnit
	}
	if e.dir == e.otherDir {
		return fmt.Sprintf("%s holds %s and %s, which cannot be added up", e.dir, one, other)
	}
	return fmt.Sprintf("%s holds %s and %s holds %s, which cannot be added up", e.dir, one, e.otherDir, other)
}

// OtherResource says that no run measures what was asked for.
type OtherResource struct {
	Resource string
	All      []string // names of those that runs measure
}

func (e *OtherResource) Error() string {
	return fmt.Sprintf("no run measures %q; there is %s", e.Resource, strings.Join(e.All, " and "))
}

// measures reports whether one of the runs has samples of a resource.
func measures(of []*data.Run, resource string) bool {
	return slices.ContainsFunc(of, func(r *data.Run) bool { return r.Packed.Len() > 0 && r.Header.Resource == resource })
}

// chosen are those of the runs of one process that are reported on: with samples of the resource if one is
// asked for, of any if it is "". A process without any sample has one run.
func chosen(of []*data.Run, resource string) []*data.Run {
	sampled := func(r *data.Run) bool { return r.Packed.Len() > 0 }
	if !slices.ContainsFunc(of, sampled) {
		return of[:min(1, len(of))]
	}
	var all []*data.Run
	for _, r := range of {
		if r.Header.Resource == resource || resource == "" && sampled(r) {
			all = append(all, r)
		}
	}
	return all
}
