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
		{"o", "DIR", "create the run directories in DIR",
			func(o *options, s string) error { o.imported.root = s; return nil }},
		{"event", "EVENT", "perf script: the event to import (default: one for time)",
			func(o *options, s string) error { o.imported.resource = s; return nil }},
		{"r", "TYPE", "pprof: the sample type to import; perf script: as -event; folded stacks: a name for what they count",
			func(o *options, s string) error { o.imported.resource = s; return nil }},
		{"period", "TIME", "folded stacks: CPU time of one count: 10ms",
			func(o *options, s string) (err error) { o.imported.period, err = interval(s); return }},
	}
}

func importCommands() []command {
	return []command{{
		name:    "import",
		summary: "New run directories from data of other collectors", operands: "-o DIR FILE...",
		details: `
Reads folded stacks (main;work;sort 12), profiles of pprof and the output of
perf script, also compressed by gzip; the format is recognised. - is standard
input. Each process becomes a run directory DIR/PROG.PID, or DIR/PROG if its
number is unknown; the name is printed. Functions, files and lines are those of
FILE.

perf script -F +pid distinguishes threads from processes. Labels of pprof become
fields for -where and -by. Folded stacks and profiles of pprof have no times.
The readable start of a damaged FILE is imported, with exit status 1.
`,
		flags:   []string{"o DIR", "event", "r TYPE", "period"},
		example: "-o data cpu.pprof; perf script -F +pid | pct import -o data -",
		run: func(v *invocation) error {
			if v.imported.root == "" {
				return v.misuse("no output directory given: -o DIR")
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
