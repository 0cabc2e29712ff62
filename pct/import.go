package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/profilecollection/pct/pct/internal/imported"
)

type importOptions struct {
	root     string // where run directories are made
	resource string
	period   time.Duration
}

func importFlags() []flag {
	return []flag{
		{"o", "DIR", "make the run directories below DIR",
			func(o *options, s string) error { o.imported.root = s; return nil }},
		{"event", "EVENT", "of perf script, the event to take: cycles, page-faults (default the usual one for time)",
			func(o *options, s string) error { o.imported.resource = s; return nil }},
		{"r", "TYPE", "of pprof, the sample type to take: alloc_space (default that of the profile); of perf script as -event;\n" +
			"of folded stacks, a name for what they count (default samples)",
			func(o *options, s string) error { o.imported.resource = s; return nil }},
		{"period", "TIME", "of folded stacks, CPU time that each of the numbers stands for: 10ms",
			func(o *options, s string) (err error) { o.imported.period, err = interval(s); return }},
	}
}

func importCommands() []command {
	return []command{{
		name:    "import",
		summary: "Run directories of what other collectors wrote", operands: "-o DIR FILE...",
		details: `
Reads folded stacks (main;work;sort 12), profiles of pprof (those of Go programs, of
gperftools, of pct pprof), and what perf script prints; - is standard input. What a
FILE is shows in its contents; it may be compressed by gzip. Each process becomes a run
directory DIR/PROG.PID, or DIR/PROG where its number is not known, whose name is printed.
All reports read it. Functions, files and lines are those of the FILE.

perf script tells threads apart from processes if asked: perf script -F +pid. Labels of
pprof become fields, for -where and -by. Folded stacks and profiles of pprof have no
times. Where a FILE is damaged, what stands before is imported, and the exit status is 1.
`,
		flags:   []string{"o DIR", "event", "r TYPE", "period"},
		example: "-o data cpu.pprof; perf script -F +pid | pct import -o data -",
		run: func(v *invocation) error {
			if v.imported.root == "" {
				return v.misuse("where to? -o DIR says it")
			}
			var problems []error
			for _, name := range v.dirs {
				if err := v.importFile(name); err != nil {
					problems = append(problems, err)
				}
			}
			if len(problems) == 0 {
				return nil
			}
			// Of those that could be read, people want to know.
			return errors.Join(append(problems, v.deliver(v.stdout))...)
		},
	}}
}

// importFile imports one file, and prints the run directories made of it.
func (v *invocation) importFile(name string) error {
	o := imported.Options{Name: name, Resource: v.imported.resource, Period: v.imported.period}
	in := v.stdin
	if name == "-" {
		o.Name = "stdin"
	} else {
		st, err := os.Stat(name)
		if err != nil {
			return err
		}
		if st.IsDir() {
			return fmt.Errorf("%s is a directory", name)
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = io.Reader(f)
	}
	p, failure := imported.Read(in, o)
	if p == nil {
		return failure
	}
	v.warnAll(p.Warnings)
	dirs, err := p.Write(v.imported.root)
	resource, unit := p.Resource()
	for _, dir := range dirs {
		fmt.Fprintln(&v.out, dir)
	}
	if err != nil {
		return err
	}
	if failure != nil {
		return fmt.Errorf("%w; %d samples of %s (%s) before it were imported", failure, p.Samples(), resource, unit)
	}
	return nil
}
