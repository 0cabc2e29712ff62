package main

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/resource"
)

// check refuses options that are wrong by themselves, or with each other whatever collects, and
// sets those that were not given.
func (o *options) check() error {
	for _, check := range []func() error{o.checkTarget, o.checkArguments, o.checkNumbers, o.checkMeasure, o.checkPeriod, o.checkClock} {
		if err := check(); err != nil {
			return err
		}
	}
	return o.checkReport()
}

var pidList = regexp.MustCompile(`^[1-9][0-9]*(,[1-9][0-9]*)*$`)

func (o *options) checkTarget() error {
	switch {
	case o.attach && !pidList.MatchString(o.pids):
		return misusef("-p %s: want process IDs, such as 4711 or 4711,4712", o.pids)
	case o.attach && len(o.program) > 0:
		return misusef("-p attaches to running processes: leave out the program %s", o.program[0])
	case o.attach:
		return nil
	case o.tree:
		return misusef("-tree needs -p: all processes of a launched program are followed anyway")
	case len(o.program) == 0 && len(o.expressions) > 0:
		return misusef("no program given: -expr takes two words, SPEC and FILTER; PROG follows")
	case len(o.program) == 0:
		return misusef("no program given: profile PROG [ARG...] or profile -p PID")
	}
	return nil
}

// checkArguments is about -args.
func (o *options) checkArguments() error {
	if !o.args {
		return nil
	}
	for _, other := range []struct {
		given       bool
		option, why string
	}{
		{o.paths, "-paths", "both collect call paths"},
		{o.calls, "-calls", "its call paths have no arguments"},
		{len(o.resources) > 0, "-r", "arguments are sampled by CPU time"},
		{len(o.expressions) > 0, "-expr", "its filters print the report"},
		{o.kernel, "-k", "the kernel does not record arguments"},
		{o.log || o.last != "" || o.verbose, "-log, -last and -verbose", "they need the library, and dbctl may sample"},
		{o.wait, "-wait", "dbctl detaches from daemons"},
	} {
		if other.given {
			return misusef("-args cannot be combined with %s: %s", other.option, other.why)
		}
	}
	return nil
}

var (
	positive = regexp.MustCompile(`^[1-9][0-9]*$`)
	decimal  = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)`)
)

func (o *options) checkNumbers() error {
	for _, n := range []struct{ option, value, what string }{
		{"-n", o.samples, "samples"}, {"-l", o.levels, "levels"}, {"-rows", o.rows, "rows"}, {"-last", o.last, "samples"},
	} {
		if n.value != "" && !positive.MatchString(n.value) {
			return misusef("%s %s: want a number of %s from 1", n.option, n.value, n.what)
		}
	}
	switch {
	case o.seconds != "" && microseconds(o.seconds) == 0 && microseconds(o.seconds+"s") == 0:
		return misusef("-t %s: want a time in seconds, such as 10 or 0.5", o.seconds)
	case o.threshold != "" && !isFraction(o.threshold):
		return misusef("-threshold %s: want a fraction from 0 to 1, such as 0.01 or 1%%", o.threshold)
	case o.vmlinux != "" && !o.kernel:
		return misusef("-vmlinux needs -k")
	case len(o.expressions) > 0 && (o.by+o.threshold+o.rows+o.levels != "" || o.errors):
		return misusef("-by, -threshold, -rows, -l and -e cannot be combined with -expr, whose filters print the report")
	case o.wait && (o.attach || o.seconds+o.samples != ""):
		return misusef("-wait needs a launched program: it cannot be combined with -p, -t and -n")
	}
	return nil
}

// isFraction reports whether a text is a number from 0 to 1, or a percentage.
func isFraction(text string) bool {
	digits, percent := strings.CutSuffix(text, "%")
	most := 1.0
	if percent {
		most = 100
	}
	n, err := strconv.ParseFloat(digits, 64)
	return err == nil && decimal.FindString(digits) == digits && n <= most
}

// microseconds reads an interval such as 10ms, 0.5s or 500us; 0 if it is none.
func microseconds(text string) uint64 {
	digits := decimal.FindString(text)
	unit := map[string]float64{"us": 1, "µs": 1, "ms": 1e3, "s": 1e6}[text[len(digits):]]
	n, _ := strconv.ParseFloat(digits, 64)
	return uint64(math.Floor(n*unit + 0.5))
}

// limited reports whether options ask for what takes a collector that is outside of the program.
func (o *options) limited() bool { return o.attach || o.seconds+o.samples != "" || o.kernel }

// checkMeasure is about what is measured: -calls, -r, -paths and -expr.
func (o *options) checkMeasure() error {
	option := "-calls"
	if len(o.resources) > 0 {
		option = "-r"
	}
	if o.calls || len(o.resources) > 0 {
		switch {
		case o.gdb:
			return misusef("%s cannot be combined with -gdb", option)
		case len(o.expressions) > 0:
			return misusef("%s cannot be combined with -expr; use -expr alone or with -gdb", option)
		case o.hz+o.interval != "" && len(o.resources) > 0 && !slices.ContainsFunc(o.resources, takesRate):
			return misusef("-F and -i apply to cpu, user and real without an interval: use -r %s:INTERVAL",
				o.resources[len(o.resources)-1].Name)
		case o.log || o.last != "":
			return misusef("-log and -last cannot be combined with %s, which stores counts only", option)
		case o.calls && len(o.resources) > 0:
			return misusef("-calls cannot be combined with -r")
		case o.calls && o.random:
			return misusef("-calls cannot be combined with -R: it needs regular intervals")
		case o.calls && o.levels != "":
			return misusef("-calls cannot be combined with -l: it needs whole call paths")
		case o.calls && o.by != "" && o.by != "paths":
			return misusef("-calls cannot be combined with -by: it reports call paths")
		case o.calls && o.limited():
			return misusef("-calls needs a launched program: it cannot be combined with -p, -t, -n and -k")
		}
		o.paths = true
	}
	switch {
	case o.paths && o.gdb:
		return misusef("-paths and -gdb cannot be combined: both collect call paths")
	case o.paths && len(o.expressions) > 0:
		return misusef("-paths cannot be combined with -expr; use -expr alone or with -gdb")
	case o.paths && (o.log || o.last != ""):
		return misusef("-log and -last cannot be combined with -paths, which stores counts only")
	}
	return nil
}

// takesRate reports whether -F and -i tell the interval of a resource.
func takesRate(r resource.Resource) bool {
	kind := r.Kind()
	return kind.IsTime() && kind.Interval == 0 && r.Interval == 0
}

// Periods, in µs.
const (
	usualPeriod   = 10000
	leastPeriod   = 100
	microsPerUnit = 1e6
)

func (o *options) checkPeriod() error {
	o.period = usualPeriod
	switch {
	case o.hz != "" && o.interval != "":
		return misusef("-F and -i cannot be combined")
	case o.hz != "":
		hz, err := strconv.ParseFloat(o.hz, 64)
		if err != nil || decimal.FindString(o.hz) != o.hz || hz <= 0 || microsPerUnit/hz < 0.5 {
			return misusef("-F %s: want samples per second, such as 200", o.hz)
		}
		o.period = uint64(microsPerUnit/hz + 0.5)
	case o.interval != "":
		if o.period = microseconds(o.interval); o.period == 0 {
			return misusef("-i %s: want an interval with its unit, such as 10ms or 500us", o.interval)
		}
	}
	if o.period < leastPeriod {
		return misusef("sampling rate too high: the maximum is 10,000 Hz (-i %dus)", leastPeriod)
	}
	return nil
}

// debugged reports whether a debugger is asked for.
func (o *options) debugged() bool { return o.gdb || o.args || len(o.expressions) > 0 }

func (o *options) checkClock() error {
	if o.clock == "" {
		o.clock = "best"
	}
	switch {
	case !o.debugged() && !slices.Contains([]string{"best", "prof", "virtual", "real"}, o.clock):
		return misusef("-clock %s: want best, prof, virtual or real, or -gdb", o.clock)
	case !o.debugged():
		return nil
	case o.wait:
		return misusef("-wait cannot be combined with -gdb and -expr, which detach from daemons")
	case o.kernel:
		return misusef("-k cannot be combined with -gdb and -expr, which sample user code only")
	case o.log || o.last != "" || o.verbose:
		return misusef("-log, -last and -verbose need the library: they cannot be combined with -gdb and -expr")
	case !slices.Contains([]string{"best", "perf", "itimer", "poll"}, o.clock):
		return misusef("-clock %s: want best, perf, itimer or poll with -gdb", o.clock)
	}
	return nil
}

// checkReport is about -by and -l.
func (o *options) checkReport() error {
	callPaths := o.gdb || o.args || o.paths
	switch {
	case o.by == "" && o.args:
		o.by = "args"
	case o.by == "" && callPaths:
		o.by = "paths"
	case o.by == "":
		o.by = "line"
	}
	switch {
	case o.by == "paths" && !callPaths:
		return misusef("-by paths needs -paths")
	case o.by == "args" && !o.args:
		return misusef("-by args needs -args")
	case o.by == "paths" || o.by == "args":
		return nil
	case !slices.Contains([]string{"line", "sym", "addr", "src", "obj"}, o.by):
		return misusef("-by %s: want line, sym, addr, src or obj, or with -paths or -gdb paths, with -args args", o.by)
	case o.levels != "":
		return misusef("-l needs call paths: -paths or -gdb, without -by")
	}
	return nil
}
