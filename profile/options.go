package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/profilecollection/pct/internal/resource"
)

// options are the command line. Values that are passed on to other commands stay texts.
type options struct {
	help                                                                bool
	args                                                                bool // with those of functions
	gdb, paths, calls, kernel, log, verbose, tree, wait, random, errors bool
	attach                                                              bool // -p was given
	pids                                                                string
	resources                                                           []resource.Resource
	expressions                                                         []expression
	by, threshold, rows, levels, vmlinux, report, root                  string
	hz, interval, clock, last, seconds, samples                         string
	program                                                             []string

	period uint64 // µs, of -F or -i
}

// misuse is a wrong command line.
type misuse struct{ text string }

func (m *misuse) Error() string { return m.text }

func misusef(format string, args ...any) error { return &misuse{fmt.Sprintf(format, args...)} }

// flags is the table of the options.
func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("profile", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	for name, b := range map[string]*bool{
		"h": &o.help, "help": &o.help, "args": &o.args, "gdb": &o.gdb, "paths": &o.paths, "calls": &o.calls, "k": &o.kernel, "log": &o.log,
		"verbose": &o.verbose, "tree": &o.tree, "wait": &o.wait, "R": &o.random, "e": &o.errors,
	} {
		f.BoolVar(b, name, false, "")
	}
	for name, s := range map[string]*string{
		"by": &o.by, "threshold": &o.threshold, "rows": &o.rows, "l": &o.levels, "vmlinux": &o.vmlinux, "O": &o.report, "o": &o.root,
		"F": &o.hz, "i": &o.interval, "clock": &o.clock, "last": &o.last, "t": &o.seconds, "n": &o.samples,
	} {
		f.StringVar(s, name, "", "")
	}
	f.Func("p", "", func(v string) error {
		if o.attach && o.pids != "" {
			v = o.pids + "," + v
		}
		o.pids, o.attach = v, true
		return nil
	})
	f.Func("r", "", o.addResource)
	f.Func(expr, "", func(string) error { return nil }) // takes two words
	return f
}

// expr is the option that two words follow.
const expr = "expr"

// parseOptions reads options up to the program's name; what follows belongs to the program. The syntax is that of
// package flag, whose table it uses, with two exceptions: -l3, and the two words of -expr.
func parseOptions(args []string) (*options, error) {
	o := &options{}
	table := o.flags()
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		name, value, glued := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		if len(name) > 1 && name[0] == 'l' && name[1] >= '0' && name[1] <= '9' {
			name, value, glued = "l", name[1:], true
		}
		f := table.Lookup(name)
		if f == nil {
			return nil, misusef("unknown option -%s%s", name, meantOption(table, name))
		}
		if b, is := f.Value.(interface{ IsBoolFlag() bool }); is && b.IsBoolFlag() {
			if glued {
				return nil, misusef("-%s takes no value", name)
			}
			value, glued = "true", true
		}
		if !glued {
			if len(args) == 0 {
				return nil, misusef("-%s needs a value", name)
			}
			value, args = args[0], args[1:]
		}
		if err := table.Set(name, value); err != nil {
			return nil, err
		}
		if o.help {
			return o, nil
		}
		if name == expr {
			if len(args) == 0 {
				return nil, misusef("-expr %s: a FILTER must follow, such as int-avg", value)
			}
			if err := o.addExpression(value, args[0]); err != nil {
				return nil, err
			}
			args = args[1:]
		}
	}
	o.program = args
	return o, o.check()
}

// meantOption asks for the option that a mistyped one may have meant; "" if there is none.
func meantOption(table *flag.FlagSet, mistyped string) string {
	if len(mistyped) < 3 {
		return "" // like any other short one
	}
	var names []string
	table.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if meant := similar(mistyped, names); len(meant) > 1 {
		return ": did you mean -" + meant + "?"
	}
	return ""
}

// addResource reads the value of -r.
func (o *options) addResource(v string) error {
	if v == "" {
		return misusef("-r needs a resource, such as alloc or faults")
	}
	r, err := resource.Parse(v)
	if err != nil {
		return misusef("-r %s: %v", v, err)
	}
	for _, other := range o.resources {
		if other.Name == r.Name {
			return misusef("-r %s: %s is given twice", v, r.Name)
		}
	}
	o.resources = append(o.resources, r)
	return nil
}

// resourceWords are the resources with their intervals.
func (o *options) resourceWords() string {
	var words []string
	for _, r := range o.resources {
		words = append(words, r.String())
	}
	return strings.Join(words, " ")
}

// verb is the report of pct to make.
func (o *options) verb() string {
	if o.by == "paths" || o.by == "args" {
		return "paths"
	}
	return o.by + "%"
}
