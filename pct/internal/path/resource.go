package path

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// MixedResources says that two runs measured different things, which can't be added up.
type MixedResources struct {
	dir, resource, unit                string // of one run
	otherDir, otherResource, otherUnit string

	All []string // names of the resources of all runs, each once
}

func (e *MixedResources) Error() string {
	if e.dir == e.otherDir {
		return fmt.Sprintf("%s holds %s in %s and %s in %s, which can't be added up", e.dir, e.resource, e.unit, e.otherResource, e.otherUnit)
	}
	return fmt.Sprintf("%s holds %s in %s and %s holds %s in %s, which can't be added up",
		e.dir, e.resource, e.unit, e.otherDir, e.otherResource, e.otherUnit)
}

// OtherResource says that no run measures what was asked for.
type OtherResource struct {
	Resource string
	All      []string // names of those that runs measure
}

func (e *OtherResource) Error() string {
	return fmt.Sprintf("no run measures %q; there is %s", e.Resource, strings.Join(e.All, " and "))
}

// eachOnce leaves out runs without samples of programs that have another run, which is of another resource
// then: a program counts once. The directory of the first resource is there without samples where it has the tree.
func eachOnce(all []*run, trees []*family) ([]*run, []*family) {
	type program struct {
		host, exe string
		pid       int
		start     time.Time
	}
	of := func(r *run) program { return program{r.Meta.Host, r.Meta.Exe, r.Meta.Pid, r.Meta.Start.UTC()} }
	known := map[program]bool{}
	for _, r := range all {
		if r.Packed.Len() > 0 {
			known[of(r)] = true
		}
	}
	var once []*run
	var treeOf []*family
	for i, r := range all {
		if r.Packed.Len() == 0 && !r.Meta.Start.IsZero() && known[of(r)] {
			continue
		}
		if r.Packed.Len() == 0 {
			known[of(r)] = true
		}
		once, treeOf = append(once, r), append(treeOf, trees[i])
	}
	return once, treeOf
}

// beside returns the run directories of the resource that is wanted which stand beside those that were
// named: PROG.PID is the first resource's of a process, PROG.PID.RESOURCE that of each other.
func beside(names []string, other *OtherResource) (all []string) {
	for _, name := range names {
		first := filepath.Clean(name)
		for _, resource := range other.All {
			first = strings.TrimSuffix(first, "."+resource)
		}
		for _, dir := range []string{first, first + "." + other.Resource} {
			if dir != filepath.Clean(name) && data.IsRun(dir) {
				all = append(all, dir)
			}
		}
	}
	return all
}
