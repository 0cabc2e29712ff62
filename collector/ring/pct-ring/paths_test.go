package main_test

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/data"
)

// names returns the call path of a sample, innermost first: functions of the program, of
// others the base name of the object, of the kernel [kernel].
func names(t *testing.T, run *data.Run, prog string, s data.Sample) []string {
	t.Helper()
	all := symbols(t, prog)
	var path []string
	for id := s.Node; id != 0; id = run.Nodes[id].Parent {
		o, vaddr := at(run, data.Sample{Node: id})
		name := filepath.Base(o.Path)
		if i := slices.IndexFunc(all, func(y elf.Symbol) bool {
			return elf.ST_TYPE(y.Info) == elf.STT_FUNC && vaddr >= y.Value && vaddr < y.Value+y.Size
		}); name == prog && i >= 0 {
			name = all[i].Name
		}
		path = append(path, name)
	}
	return path
}

// below counts the samples whose path has some functions in this order, from the inside
// out, and those that have the first of them.
func below(t *testing.T, run *data.Run, prog string, want ...string) (n, of int) {
	t.Helper()
	known := map[data.NodeID]string{}
	for _, s := range run.Samples {
		if known[s.Node] == "" {
			known[s.Node] = strings.Join(names(t, run, prog, s), " ") + " "
		}
		path := known[s.Node]
		if strings.Contains(path, want[0]+" ") {
			of++
		}
		if strings.Contains(path, strings.Join(want, " ")+" ") {
			n++
		}
	}
	return n, of
}

// whole expects nearly all call paths to reach their outermost frame: at least 99.5 %, besides
// so many of the last ones.
func whole(t *testing.T, run *data.Run, last int) {
	t.Helper()
	partial := 0
	for _, s := range run.Samples {
		if s.Partial {
			partial++
		}
	}
	if n := len(run.Samples); n < 100 || 200*(partial-last) > n || int(run.Meta.Partial) != partial {
		t.Errorf("%d of %d call paths are partial, %d by meta", partial, n, run.Meta.Partial)
	}
}

// Call paths are found in optimised code, dynamic and static, launched and attached to.
func TestPaths(t *testing.T) {
	for _, prog := range []string{"deep", "deep-static"} {
		for _, how := range []string{"-cpus", "-threads"} {
			t.Run(prog+how, func(t *testing.T) {
				r := command(t, "-paths", how, "-F", "997", prog, units(40), "5")
				r.want(0)
				run := r.only(prog)
				whole(t, run, 0)
				left, all := below(t, run, prog, "work", "left", "rounds", "dive", "dive", "dive", "dive", "dive", "main")
				near(t, "left", left, all, 0.75)
			})
		}
	}
}

// A stack may be deeper than what is copied of it.
func TestDeepPaths(t *testing.T) {
	r := command(t, "-paths", "-F", "997", "deep", units(40), "1000")
	r.want(0)
	run := r.only("deep")
	// What waits in the ring when the program ends is not read beyond its copy.
	whole(t, run, 8)
	left, all := below(t, run, "deep", append(append([]string{"work", "left", "rounds"}, slices.Repeat([]string{"dive"}, 1000)...), "main")...)
	near(t, "left", left, all, 0.75)
}

// With -k the kernel's part of a path stands inside the program's.
func TestKernelPaths(t *testing.T) {
	r := command(t, "-paths", "-k", "-F", "997", "deep", "read", "400000")
	r.want(0)
	run := r.only("deep")
	whole(t, run, 0)
	inKernel, nested, byRead := 0, 0, 0 // the kernel's entry has no caller in it
	for _, s := range run.Samples {
		path := strings.Join(names(t, run, "deep", s), " ")
		if strings.HasPrefix(path, "[kernel] ") {
			inKernel++
		}
		if strings.HasPrefix(path, "[kernel] [kernel] ") {
			nested++
		}
		if strings.Contains(path, "[kernel] libc.so.6 main ") {
			byRead++
		}
	}
	if 2*byRead < len(run.Samples) || byRead > inKernel || 2*nested < inKernel {
		t.Errorf("of %d samples %d are in the kernel, %d of them with callers there, %d on behalf of read", len(run.Samples), inKernel, nested, byRead)
	}
}

// Short processes have ended when their stacks are looked at.
func TestPathsOfShortProcesses(t *testing.T) {
	r := command(t, "-paths", "-cpus", "-F", "997", "sh", "-c", fmt.Sprintf("for i in $(seq 40); do %s/deep %s 5; done", built, units(2)))
	r.want(0)
	samples, partial := 0, 0
	for _, run := range r.runs("deep") {
		for _, s := range run.Samples {
			samples++
			if s.Partial {
				partial++
			}
		}
	}
	if samples < 100 || 50*partial > samples {
		t.Errorf("%d of %d call paths are partial", partial, samples)
	}
}
