package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/listing"
	"github.com/profilecollection/pct/pct/internal/path"
)

// options are the values of the flags.
type options struct {
	path.Options
	where      *path.Expr
	window     *path.Window
	tree       bool // with all descendants
	begun      bool // of keep: where BeginNames has been
	cpu        bool
	frames     int
	pause      time.Duration
	fields     []string
	errors     bool
	unfolded   bool
	raw        bool
	members    bool
	outFile    string
	counts     string // where to write count files
	firstSet   int    // names before --
	translator string
	vmlinux    string
	quickfix   bool
	listing    listingOptions
	gprof      gprofOptions
	compared   diffOptions
	flame      flameOptions
	pprof      pprofOptions
	imported   importOptions
	exported   formatOptions
	explore    exploreOptions
	help       bool
	afterRun   string // for profile, as the next two: see afterrun.go
	place      string
	unrated    bool

	given map[string]bool // names of the flags that there are
}

// A flag without a summary is for profile alone, and is in no help. One stands anywhere after the report's name, as -name VALUE or -name=VALUE;
// a one-letter flag and its number can also be one word, as in -l3. A flag that is
// different things to different reports is there once for each, with values of
// different names.
type flag struct {
	name    string
	value   string // what follows, "" if nothing does
	summary string
	set     func(o *options, value string) error
}

func flagTable() []flag {
	table := []flag{
		{"l", "LEVELS", "only the innermost LEVELS frames; also -lLEVELS",
			func(o *options, s string) (err error) { o.Levels, err = positive(s); return }},
		{"g", "GRANULARITY", "what a frame is: sym (default), line, addr, src or obj",
			func(o *options, s string) (err error) { o.Granularity, err = path.ParseGranularity(s); return }},
		{"g", "FRAMES", "what a frame is: sym (default), call, line, addr, src, obj",
			func(o *options, s string) (err error) { o.Granularity, err = path.ParseFrames(s); return }},
		{"through", "F,G", "only call paths through F and, further in, G (or 'db_*')",
			func(o *options, s string) error { return o.refine(s, false) }},
		{"not", "F,G", "only call paths not through F and, further in, G",
			func(o *options, s string) error { return o.refine(s, true) }},
		{"o", "OUT", "the count files to write",
			func(o *options, s string) error { o.counts = s; return nil }},
		{"past-main", "", "show the callers of main",
			func(o *options, _ string) error { o.PastMain = true; return nil }},
		{"templates", "", "show template arguments of functions",
			func(o *options, _ string) error { o.Templates = true; return nil }},
		{"total", "", "count a sample once for each frame on its call path",
			func(o *options, _ string) error { o.Total = true; return nil }},
		{"e", "", "print standard errors",
			func(o *options, _ string) error { o.errors = true; return nil }},
		{"args", "", "functions with their arguments, of profile -args",
			func(o *options, _ string) error { o.Arguments = true; return nil }},
		{"calls", "", "number of calls that samples saw, and their cost",
			func(o *options, _ string) error { o.Activations = true; return nil }},
		{"unfolded", "", "print every frame of a long recursion",
			func(o *options, _ string) error { o.unfolded = true; return nil }},
		{"by", "FIELD", "split by a field: thread, pid, exe, time or a value",
			func(o *options, s string) error { o.By = s; return nil }},
		{"by", "PART", "split by a field, as thread, pid, time or a value, or by path",
			func(o *options, s string) error { o.By = s; return nil }},
		{"i", "INTERVAL", "interval of -by time and -by cpu: 500ms, 2 (default 1 s)",
			func(o *options, s string) (err error) { o.Interval, err = interval(s); return }},
		{"i", "LENGTH", "length of a slice: 500ms, 2 (seconds; default: by -n)",
			func(o *options, s string) (err error) { o.Interval, err = interval(s); return }},
		{"i", "PAUSE", "time between two frames: 500ms, 2 (default 1 s)",
			func(o *options, s string) (err error) { o.pause, err = interval(s); return }},
		{"window", "FROM,TO", "only these seconds of the run: 2,5; 2,; -10,; cpu:2,5",
			func(o *options, s string) (err error) { o.window, err = path.ParseWindow(s); return }},
		{"cpu", "", "slices of CPU time instead of real time",
			func(o *options, _ string) error { o.cpu = true; return nil }},
		{"tree", "", "include all descendants of the processes of DIR",
			func(o *options, _ string) error { o.tree = true; return nil }},
		{"begun", "", "only fill files that a report has created",
			func(o *options, _ string) error { o.begun = true; return nil }},
		{"where", "EXPR", "only samples for which EXPR holds: n > 9 && name ~ \"^a\"; ==, != and strcmp(a, b) compare texts by their bytes",
			func(o *options, s string) (err error) { o.where, err = path.ParseExpr(s); return }},
		{"expr", "FIELD", "only this field; may be repeated (default all)",
			func(o *options, s string) error { o.fields = append(o.fields, s); return nil }},
		{"raw", "", "print the values of -expr, one sample per line, for filters",
			func(o *options, _ string) error { o.raw = true; return nil }},
		{"members", "", "members of strings and containers, not their contents",
			func(o *options, _ string) error { o.members = true; return nil }},
		{"n", "ROWS", "at most ROWS rows; also -rows ROWS",
			func(o *options, s string) (err error) { o.Rows, err = positive(s); return }},
		{"n", "SLICES", "at most SLICES slices (default 20)",
			func(o *options, s string) (err error) { o.Rows, err = positive(s); return }},
		{"n", "FUNCTIONS", "at most FUNCTIONS functions",
			func(o *options, s string) (err error) { o.Rows, err = positive(s); return }},
		{"n", "FRAMES", "stop after FRAMES frames (default without a terminal: 1)",
			func(o *options, s string) (err error) { o.frames, err = positive(s); return }},
		{"threshold", "FRACTION", "only rows of this fraction or more: 0.01, 1%",
			func(o *options, s string) (err error) { o.Threshold, err = fraction(s); return }},
		{"O", "FILE", "write the report to FILE",
			func(o *options, s string) error { o.outFile = s; return nil }},
		{"O", "DIR", "write copies of whole source files to DIR: new, empty, or with older copies",
			func(o *options, s string) error { o.listing.dir = s; return nil }},
		{"all", "", "listings: whole files; diff: also what is not distinguishable",
			func(o *options, _ string) error { o.listing.whole = true; return nil }},
		{"file", "PATTERN", "only source files of this name or path: lib/zip.c, 'zip*'",
			func(o *options, s string) (err error) { o.listing.pattern, err = calltree.ParsePattern(s); return }},
		{"sym", "PATTERN", "only functions of this name, or with it inlined: 'std::*'",
			func(o *options, s string) (err error) { o.listing.pattern, err = calltree.ParsePattern(s); return }},
		{"source", "FROM=TO", "search sources compiled below FROM in TO; an empty FROM is for relative paths; may be repeated",
			func(o *options, s string) error { return o.listing.search.Map(s) }},
		{"gcov", "PATH", "add executions and cycles per execution; PATH is a .gcda or .gcov.json[.gz] file or a directory; may be repeated",
			func(o *options, s string) error { o.listing.gcov = append(o.listing.gcov, s); return nil }},
		{"clock", "GHZ", "processor clock for -gcov (default: that of this machine)",
			func(o *options, s string) (err error) { o.listing.hertz, err = listing.ParseClock(s); return }},
		{"translator", "COMMAND", "finds functions and lines (default " + defaultTranslator + ")",
			func(o *options, s string) error { o.translator = s; return nil }},
		{"vmlinux", "FILE", "kernel with debug data, for lines of the kernel",
			func(o *options, s string) error { o.vmlinux = s; return nil }},
		{"quickfix", "", "print FILE:LINE: and share, for editors (vim -q, Emacs grep)",
			func(o *options, _ string) error { o.quickfix = true; return nil }},
		{"after-run", "FILE", "", func(o *options, s string) error { o.afterRun = s; return nil }},
		{"place", "TEXT", "", func(o *options, s string) error { o.place = s; return nil }},
		{"unrated", "", "", func(o *options, _ string) error { o.unrated = true; return nil }},
		{"h", "", "print this help",
			func(o *options, _ string) error { o.help = true; return nil }},
	}
	for _, more := range [][]flag{gprofFlags(), diffFlags(), flameFlags(), pprofFlags(), importFlags(), formatFlags(), exploreFlags()} {
		table = append(table, more...)
	}
	return table
}

// refine adds a refinement, patterns with commas between them. A comma within ( ) or < >
// belongs to a name.
func (o *options) refine(s string, not bool) error {
	r := calltree.Refinement{Not: not}
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) {
			i += len(operator(s[:i], s[i:]))
		}
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			p, err := calltree.ParsePattern(strings.TrimSpace(s[from:i]))
			if err != nil {
				return err
			}
			r.Through = append(r.Through, p)
			from = i + 1
		case s[i] == '(' || s[i] == '<':
			depth++
		case s[i] == ')' || s[i] == '>':
			depth = max(0, depth-1)
		}
	}
	o.Refinements = append(o.Refinements, r)
	return nil
}

// operator returns the operator whose brackets, or comma, are no brackets of a C++ name: the
// one that stands behind the word operator.
func operator(before, after string) string {
	if !strings.HasSuffix(before, "operator") {
		return ""
	}
	for _, symbol := range []string{"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "<", ">", ","} {
		if strings.HasPrefix(after, symbol) {
			return symbol
		}
	}
	return ""
}

func positive(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("want a number from 1, not %q", s)
	}
	return int(n), nil
}

func interval(s string) (time.Duration, error) {
	d, err := path.ParseTime(s)
	if err == nil && d == 0 {
		err = fmt.Errorf("want more than %s", s)
	}
	return d, err
}

func fraction(s string) (float64, error) {
	digits, isPercent := strings.CutSuffix(s, "%")
	f, err := strconv.ParseFloat(digits, 64)
	if isPercent {
		f /= 100
	}
	if err != nil || !(f >= 0 && f <= 1) {
		return 0, fmt.Errorf("want a fraction from 0 to 1, such as 0.01 or 1%%, not %q", s)
	}
	return f, nil
}

// takes reports whether a flag is one of the command's, which are named as in the
// table: by the flag or, where that is different things, by flag and value.
func (c command) takes(f flag) bool {
	return f.name == "h" || slices.Contains(c.flags, f.name) || slices.Contains(c.flags, f.name+" "+f.value)
}

// parse reads flags and directories in any order; after -- all are directories.
func (v *invocation) parse(args []string) error {
	v.given = map[string]bool{}
	v.Granularity, v.Threshold = path.Symbol, v.command.least
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			v.firstSet = len(v.dirs)
			v.dirs = append(v.dirs, args[i+1:]...)
			return nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			v.dirs = append(v.dirs, arg)
			continue
		}
		if strings.HasPrefix(arg, "--") {
			arg = arg[1:] // as in other tools
		}
		if arg == "-help" {
			arg = "-h"
		}
		f, value, glued := v.command.flag(arg)
		switch {
		case f.name == "":
			return v.misuse("unknown option %s; the options of this report are %s", arg, v.command.flagNames())
		case f.value == "" && glued:
			return v.misuse("-%s takes no value", f.name)
		case f.value != "" && !glued:
			if i++; i == len(args) {
				return v.misuse("-%s needs a value: -%s %s", f.name, f.name, f.value)
			}
			value = args[i]
		}
		if err := f.set(&v.options, value); err != nil {
			return v.misuse("-%s: %v", f.name, err)
		}
		v.given[f.name] = true
	}
	return nil
}

// flagNames are the flags that the command takes.
func (c command) flagNames() string {
	var names []string
	for _, f := range flagTable() {
		if c.takes(f) && f.summary != "" {
			names = append(names, "-"+f.name)
		}
	}
	return strings.Join(names, " ")
}

// meaningless refuses flags that mean nothing without others, or with them.
func (v *invocation) meaningless() error {
	if v.Activations {
		if err := v.uncountable(); err != nil {
			return err
		}
	}
	if v.given["gmon"] && len(v.dirs) == 0 {
		return v.misuse("-gmon needs gmon.out files")
	}
	named := v.Granularity == path.Symbol || v.Granularity == path.Call || v.Granularity == path.Line
	switch flat := v.command.granularity != nil; {
	case v.given["past-main"] && flat && !v.Total:
		return v.misuse("-past-main needs -total: other flat reports have no callers")
	case v.given["i"] && slices.Contains(v.command.flags, "i INTERVAL") && v.By != "time" && v.By != "cpu":
		return v.misuse("-i needs -by time or -by cpu")
	case v.Templates && !named && !flat:
		return v.misuse("-templates cannot be combined with -g addr, src and obj, which show no functions")
	}
	return nil
}

// flag finds the flag that an argument names, and its value if that is in the
// same word.
func (c command) flag(arg string) (f flag, value string, glued bool) {
	name, value, glued := strings.Cut(arg[1:], "=")
	for _, f := range flagTable() {
		if !c.takes(f) {
			continue
		}
		if f.name == name || f.value == "ROWS" && name == "rows" {
			return f, value, glued
		}
		if len(f.name) == 1 && f.value != "" && len(name) > 1 && arg[1:2] == f.name && arg[2] >= '0' && arg[2] <= '9' {
			return f, arg[2:], true
		}
	}
	return flag{}, "", false
}

func (v *invocation) misuse(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if strings.Contains(what, "\n") {
		return &misuse{v.command.name + " " + what}
	}
	return &misuse{fmt.Sprintf("%s: %s (pct %s -h explains)", v.command.name, what, v.command.name)}
}
