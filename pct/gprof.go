package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/gmon"
	"github.com/profilecollection/pct/pct/internal/report"
)

type gprofOptions struct {
	program     string // that wrote the gmon.out files
	flat, graph bool   // only this table
}

func gprofFlags() []flag {
	return []flag{
		{"gmon", "PROGRAM", "read gmon.out files of PROGRAM, built with -pg; add them up",
			func(o *options, s string) error { o.gprof.program = s; return nil }},
		{"flat", "", "only the flat profile",
			func(o *options, _ string) error { o.gprof.flat = true; return nil }},
		{"graph", "", "only the call graph",
			func(o *options, _ string) error { o.gprof.graph = true; return nil }},
	}
}

func gprofCommands() []command {
	return []command{{
		name:    "gprof",
		summary: "The tables of gprof: flat profile and call graph",
		details: `
The flat profile has self and total time of each function. The call graph has an
entry for each function: its callers, the function with its index number, its
callees. A caller's line has the part of the function's self and children that
this caller called for; a callee's line, the part of the callee's. <spontaneous>
stands for no caller.

Weights are of whole stacks: an arc has the samples whose stack contains it,
each once. Numbers of calls are unknown ("-"); "samples" counts samples.

Functions that call each other in a circle are a cycle, with an entry of its
own: its callers, the cycle, its members. Arcs within a cycle are recursion;
their time came through callers from outside and is not counted again.

-gmon reads gmon.out files instead. They have no stacks: as in gprof, time is
divided among callers by number of calls, which is wrong where calls differ. 2/6
is 2 of 6 calls; 6+3 is 6 calls and 3 recursive ones. Shared libraries are not
covered. A warning says if addresses do not fit PROGRAM. Options that select
samples do not apply.
`,
		flags:   append([]string{"gmon", "flat", "graph", "threshold"}, callFlags...),
		example: "-threshold 1% /tmp/pct/gzip.4711\n  pct gprof -gmon ./prog gmon.out",
		run:     (*invocation).gprofReport,
	}}
}

// gprofReport is the command "gprof".
func (v *invocation) gprofReport() error {
	if v.given["gmon"] {
		return v.gmonReport()
	}
	runs, selected, c, err := v.calls(v.Granularity)
	if err != nil {
		return err
	}
	if err := report.Head(&v.out, runs.Summary(), selected.Samples(), selected.Limits()); err != nil {
		return err
	}
	if len(v.Refinements) > 0 {
		left := 0
		for _, group := range c.Groups {
			left += group.Tree.Whole().Samples
		}
		fmt.Fprintf(&v.out, "# %s on the call paths that -through and -not leave\n", plural(uint64(left), "sample"))
	}
	if !calls(runs) {
		v.warn("these samples have no callers: in the call graph each function is by itself")
	}
	style := report.GprofStyle{Unit: "seconds", Scale: 1e-6, Decimals: 3, Threshold: v.Threshold}
	for _, r := range runs.Data() {
		if r.Packed.Len() > 0 && r.Header.Unit != resource.Microsecond {
			style.Unit, style.Scale, style.Decimals = visible.Text(r.Header.Unit), 1, 0
			break
		}
	}
	for _, group := range c.Groups {
		if group.Name != "" {
			fmt.Fprintf(&v.out, "#\n# %s, %s\n", visible.Text(group.Name), plural(uint64(group.Tree.Whole().Samples), "sample"))
		}
		if err := v.gprofTables(group.Tree.CallGraph(), style); err != nil {
			return err
		}
	}
	return nil
}

// gprofTables writes those of the two tables that were asked for.
func (v *invocation) gprofTables(g *calltree.CallGraph, style report.GprofStyle) error {
	o := v.gprof
	if !o.graph || o.flat {
		fmt.Fprintf(&v.out, "#\n# Flat profile\n#\n")
		if err := report.GprofFlat(&v.out, g, style); err != nil {
			return err
		}
	}
	if !o.flat || o.graph {
		fmt.Fprintf(&v.out, "#\n# Call graph\n#\n")
		return report.GprofGraph(&v.out, g, style)
	}
	return nil
}

// stacksOnly are the flags that select samples, or name them, by what gmon.out lacks.
var stacksOnly = []string{"g", "past-main", "templates", "by", "i", "window", "where", "through", "not", "r", "tree", "translator", "vmlinux"}

// gmonReport makes the tables of gmon.out files.
func (v *invocation) gmonReport() error {
	for _, name := range stacksOnly {
		if v.given[name] {
			return v.misuse("-%s needs stacks, which gmon.out does not have", name)
		}
	}
	sum := &gmon.Data{}
	for _, file := range v.dirs {
		d, err := gmon.Read(file)
		var cut *gmon.Truncated
		switch {
		case errors.As(err, &cut) && d != nil:
			v.warn("%v; the data before it were read", err)
		case err != nil:
			return err
		}
		if err := sum.Add(d); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	why, err := sum.Mismatch(v.gprof.program)
	if err != nil {
		return err
	}
	if why != "" {
		v.warn("%s seems not to be the program that wrote this, or it was rebuilt: %s; names may be wrong", v.gprof.program, why)
	}
	g, counting, err := sum.Graph(v.gprof.program, funcname.Demangle)
	if err != nil {
		return err
	}
	if len(g.Entries) == 0 {
		return fmt.Errorf("no function of %s was called or has time in %s; is this the program that wrote it?",
			v.gprof.program, strings.Join(v.dirs, " "))
	}
	fmt.Fprintf(&v.out, "# %s\n", visible.Text(v.gprof.program))
	facts := []string{plural(uint64(len(v.dirs)), "gmon.out file"), plural(sum.Samples(), "sample")}
	if rate := sum.Rate(); rate > 0 {
		facts = append(facts, fmt.Sprintf("%d Hz", rate))
	}
	if n := len(sum.Blocks); n > 0 {
		facts = append(facts, "counts of "+plural(uint64(n), "basic block"))
	}
	fmt.Fprintf(&v.out, "# %s\n", strings.Join(facts, ", "))
	if counting > 0 {
		fmt.Fprintf(&v.out, "# %.2f seconds in the counting of calls (mcount) are left out\n", counting)
	}
	fmt.Fprintf(&v.out, "# callers have shares by their number of calls, as if every call took the average time\n")
	return v.gprofTables(g, report.GprofStyle{Unit: "seconds", Scale: 1, Decimals: 2, Threshold: v.Threshold})
}
