package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// The rates at which call paths are collected: two to be compared, and one that is so fast
// that the difference tells what a sample takes from whole programs.
const (
	slowPaths  = 250
	usualPaths = 1000
	fastPaths  = 5000
)

// pathMethod is a way to collect call paths.
type pathMethod struct {
	method
	missing string // why there is none
	// read says what is in the data; nil if no samples are taken.
	read func(*roots, string) (collected, error)
	// fast is for the slope alone.
	fast bool
	// seldom: it makes programs so slow that one run is enough, of a tenth of the work.
	seldom bool
	// counted: the program has to be compiled for it.
	counted bool
}

// The names of methods that are treated alone.
const (
	bareAgain     = "bare again" // tells the noise
	interruptName = "bare interrupt"
	oursName      = "libpct -paths"
	ringName      = "pct-ring -paths"
	callsName     = "libpct -calls"
	flatName      = "libpct, no paths"
	perfDwarf     = "perf dwarf"
)

// pathMethods returns all methods, the bare one first. Those that can't be had say why. Only
// those for whole programs are in their tables, those of overheads in that one.
func (b *bench) pathMethods() (programs, overheads []pathMethod, err error) {
	library := filepath.Join(b.Bin, "lib", "libpct.so")
	if _, err := os.Stat(library); err != nil {
		return nil, nil, fmt.Errorf("no libpct.so (-bin DIR says where it is): %w", err)
	}
	used, err := b.compile("used", usedSource)
	if err != nil {
		return nil, nil, err
	}
	interrupt, err := b.compile("interrupt", interruptSource)
	if err != nil {
		return nil, nil, err
	}
	trap, err := b.compile("trap", trapSource, "-shared", "-fPIC")
	if err != nil {
		return nil, nil, err
	}
	// inside runs the program with variables; around runs a sampler that runs it.
	inside := func(environment ...string) func(string, []string) ([]string, []string) {
		return func(dir string, argv []string) ([]string, []string) {
			command := b.using(used)
			for _, e := range environment {
				command = append(command, os.Expand(e, func(string) string { return dir }))
			}
			return append(command, argv...), nil
		}
	}
	around := func(sampler ...string) func(string, []string) ([]string, []string) {
		return func(dir string, argv []string) ([]string, []string) {
			var command []string
			for _, word := range sampler {
				command = append(command, os.Expand(word, func(string) string { return dir }))
			}
			return append(append(command, b.using(used)...), argv...), nil
		}
	}
	ours := func(name, letters string, hz int) pathMethod {
		return pathMethod{method: method{name: name, hz: hz, wrap: inside(
			"LD_PRELOAD="+library, fmt.Sprintf("PCT=q%d %s", 1000000/hz, letters), "PCT_DIR=$DIR")},
			read: readRuns, fast: hz == fastPaths}
	}
	flat := func(hz int) pathMethod {
		m := ours(flatName, "", hz)
		m.read = nil
		return m
	}
	ring := filepath.Join(b.Bin, "pct-ring")
	rings := func(hz int) pathMethod {
		m := pathMethod{method: method{name: ringName, hz: hz, wrap: around(ring, "-paths", "-F", strconv.Itoa(hz), "-o", "$DIR")},
			read: readRuns, fast: hz == fastPaths}
		return m.unless(ring)
	}
	perf := func(name, graph string, hz int) pathMethod {
		m := pathMethod{method: method{name: name, hz: hz, foreign: true, wrap: around(
			// Without build-ids (-B), over which perf 6.1 aborts at times.
			"perf", "record", "-B", "-N", "-e", "cpu-clock", "-F", strconv.Itoa(hz), "--call-graph", graph, "-o", "$DIR/perf.data", "--")},
			read: readPerf, fast: hz > usualPaths}
		return m.unless("perf")
	}
	google := func(name string, variables ...string) pathMethod {
		m := pathMethod{method: method{name: name, hz: usualPaths, foreign: true}, read: readProfiles}
		const profiler = "libprofiler.so.0"
		found, _ := filepath.Glob("/usr/lib/*/" + profiler)
		if len(found) == 0 {
			m.missing = "no " + profiler + " (Debian: libgoogle-perftools4)"
			return m
		}
		m.wrap = inside(append([]string{"LD_PRELOAD=" + found[0], "CPUPROFILE=$DIR/prof", "CPUPROFILE_FREQUENCY=1000"}, variables...)...)
		return m
	}
	trapped := func(hz int) pathMethod {
		return pathMethod{method: method{name: "empty handler", hz: hz, wrap: inside(
			"LD_PRELOAD="+trap, "TRAP_PERIOD="+strconv.Itoa(1000000000/hz))}}
	}
	interrupted := func(hz int) pathMethod {
		return pathMethod{method: method{name: interruptName, hz: hz, wrap: around(interrupt, strconv.Itoa(1000000000/hz))}, fast: hz == fastPaths}
	}
	callgrind := pathMethod{method: method{name: "callgrind", foreign: true, wrap: func(dir string, argv []string) ([]string, []string) {
		return append(append(b.using(used), "valgrind", "-q", "--tool=callgrind", "--callgrind-out-file="+filepath.Join(dir, "callgrind")), argv...), nil
	}}, seldom: true}
	alone := pathMethod{method: method{name: bare, wrap: inside()}}
	overheads = []pathMethod{alone}
	for _, hz := range []int{slowPaths, usualPaths} {
		overheads = append(overheads, interrupted(hz), trapped(hz), flat(hz), ours(oursName, "s", hz), ours(callsName, "s e", hz))
	}
	programs = []pathMethod{
		alone,
		{method: method{name: bareAgain, wrap: inside()}},
		interrupted(usualPaths),
		ours(oursName, "s", slowPaths),
		ours(oursName, "s", usualPaths),
		ours(callsName, "s e", usualPaths),
		rings(usualPaths),
		perf("perf -g", "fp", usualPaths-1),
		perf(perfDwarf, "dwarf", usualPaths-1),
		google("gperftools"),
		google("gperftools real", "CPUPROFILE_REALTIME=1"),
		{method: method{name: "gprof", foreign: true, wrap: inside("GMON_OUT_PREFIX=$DIR/gmon")}, counted: true},
		callgrind.unless("valgrind"),
		interrupted(fastPaths),
		ours(oursName, "s", fastPaths),
		ours(callsName, "s e", fastPaths),
		rings(fastPaths),
		perf("perf -g", "fp", fastPaths-1),
		perf(perfDwarf, "dwarf", fastPaths-1),
	}
	return programs, append(overheads, google("gperftools")), nil
}

// unless notes that a method has no program.
func (m pathMethod) unless(program string) pathMethod {
	if _, err := exec.LookPath(program); err != nil {
		m.missing = oneLine(err.Error())
	}
	return m
}

// cannot says why the method can't run the program, "" if it can, which argv is then for.
func (m pathMethod) cannot(p pathProgram) (argv []string, why string) {
	switch {
	case p.missing != "":
		return nil, p.missing
	case m.missing != "":
		return nil, m.missing
	case (m.counted || m.seldom) && p.counted == nil:
		return nil, "not compiled by us"
	case m.seldom:
		return p.short, ""
	case m.counted:
		return p.counted, ""
	}
	return p.argv, ""
}

// using is the command of the helper that measures a program, up to the program.
func (b *bench) using(used string) []string {
	if b.first {
		return []string{used, "-first", b.usedFile()}
	}
	return []string{used, b.usedFile()}
}

// usedFile is where the program's own CPU time is written.
func (b *bench) usedFile() string { return filepath.Join(b.Dir, "used-times") }
