package bench

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "embed"
)

var (
	//go:embed target/contexts.c
	contextsSource string
	//go:embed target/signals.c
	signalsSource string
)

// profiler is a way to learn what calls cost in their contexts.
type profiler struct {
	method
	program string // a command that it needs, other than that of the method
	counted bool   // the program has to be compiled for it
	work    int    // the program makes 2^work calls times four
	// read says what the data in dir tell of the program; nil if there are none.
	read func(program, dir string) (attribution, error)
}

// profilers are instruments first, as in the paper's Table 1, then samplers. The library does
// nothing but take signals.
func (b *bench) profilers(many int, signals string) []profiler {
	const hz = "999"
	around := func(words ...string) func(string, []string) ([]string, []string) {
		return func(dir string, argv []string) ([]string, []string) {
			return append(replaced(words, dir), argv...), nil
		}
	}
	inside := func(variables ...string) func(string, []string) ([]string, []string) {
		return func(dir string, argv []string) ([]string, []string) { return argv, replaced(variables, dir) }
	}
	perf := func(graph string) method {
		return method{name: "perf " + graph, foreign: true, wrap: around(
			"perf", "record", "-q", "-B", "-N", "-e", "cpu-clock", "-F", hz, "--call-graph", graph, "-o", "$DIR/perf.data", "--")}
	}
	ours := func(name, letters string) method {
		return method{name: name, wrap: inside("LD_PRELOAD="+filepath.Join(b.Bin, "lib", "libpct.so"), "PCT=q1001 "+letters, "PCT_DIR=$DIR")}
	}
	all := []profiler{
		{method: method{name: "gprof", foreign: true, wrap: inside("GMON_OUT_PREFIX=$DIR/gmon")}, program: "gprof", counted: true, work: many - 1, read: readGprof},
		// Without calls below a time, of which it would write gigabytes.
		{method: method{name: "uftrace", foreign: true, wrap: around("uftrace", "record", "-t", "100us", "-d", "$DIR/trace")},
			program: "uftrace", counted: true, work: many - 5, read: readUftrace},
		{method: method{name: "callgrind", foreign: true, wrap: around("valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=$DIR/out")},
			program: "valgrind", work: many - 5, read: readCallgrind},
		{method: perf("fp"), program: "perf", work: many, read: readPerfStacks},
		{method: perf("dwarf"), program: "perf", work: many, read: readPerfStacks},
	}
	if found, _ := filepath.Glob("/usr/lib/*/libprofiler.so.0"); len(found) > 0 {
		all = append(all, profiler{method: method{name: "gperftools", foreign: true,
			wrap: inside("LD_PRELOAD="+found[0], "CPUPROFILE=$DIR/prof", "CPUPROFILE_FREQUENCY="+hz)},
			program: "google-pprof", work: many, read: readCollapsed})
	}
	return append(all,
		profiler{method: method{name: "signals alone", wrap: inside("LD_PRELOAD=" + signals)}, work: many},
		profiler{method: ours("libpct -paths", "s"), work: many, program: filepath.Join(b.Bin, "pct"), read: b.readPaths},
		profiler{method: ours("libpct -calls", "s e"), work: many, program: filepath.Join(b.Bin, "pct"), read: b.readCalls})
}

// contexts prints the paper's Table 1: by how much a program of many calls is slowed down, and
// what is then said of it.
func (b *bench) contexts() error {
	budget := 60 * time.Second
	if b.long {
		budget *= 6
	}
	return b.inContexts(27, budget)
}

// contextsResult is what was measured of a profiler.
type contextsResult struct {
	took, alone []float64 // ns of the program with it, and bare in the same rounds
	said        attribution
	why         error // why nothing was said
}

// times is how many times as long the program takes. The least times count: what else the
// machine does only adds to them.
func (r *contextsResult) times() float64 { return slices.Min(r.took) / slices.Min(r.alone) }

// inContexts runs the program for 2^many times four calls, with slow profilers for fewer.
func (b *bench) inContexts(many int, budget time.Duration) error {
	plain, err := b.compile("contexts", contextsSource, "-O1")
	if err != nil {
		return err
	}
	counted, err := b.compile("contexts-counted", contextsSource, "-O1", "-pg")
	if err != nil {
		return err
	}
	signals, err := b.compile("signals", signalsSource, "-shared", "-fPIC")
	if err != nil {
		return err
	}
	profilers := b.profilers(many, signals)
	results := make([]contextsResult, len(profilers))
	run := func(m method, program string, work int) (ns float64, dir string, err error) {
		r, err := b.measure(m, []string{program, strconv.Itoa(work)})
		if err == nil {
			ns, err = strconv.ParseFloat(strings.TrimSpace(r.stdout), 64)
		}
		if err != nil {
			b.fail("contexts", m, err)
		}
		return ns, r.dir, err
	}
	rounds := b.InRounds(budget, func() {
		for i, p := range profilers {
			r, program := &results[i], plain
			if p.counted {
				program = counted
			}
			if p.program != "" {
				if _, r.why = exec.LookPath(p.program); r.why != nil {
					continue
				}
			}
			var alone, took float64
			var dir string
			if alone, _, r.why = run(b.methods[0], plain, p.work); r.why != nil {
				continue
			}
			if took, dir, r.why = run(p.method, program, p.work); r.why != nil {
				continue
			}
			r.took, r.alone = append(r.took, took), append(r.alone, alone)
			if p.read != nil {
				r.why = r.read(p, program, dir)
			}
		}
	})
	fmt.Fprintf(b.Out, contextsTitle, rounds)
	w := b.Table()
	fmt.Fprintln(w, "how\ttimes bare\tc by a, %\tc by b, %\tcalls by a\tby b\tone by b / by a\t")
	for i, p := range profilers {
		r := &results[i]
		times := "n/a"
		if len(r.took) > 0 {
			times = fmt.Sprintf("%.2f", r.times())
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.name, times, r.show(p))
	}
	return w.Flush()
}

const contextsTitle = `
A program of many calls, csprof's Figure 1, %d rounds

How many times as long it takes, the sampler's own process not counted, and what is said of its function c. The
truth: half of all is for c as a calls it, twice, half for c as b calls it, four times; one of those costs 0.5 of
one by a. Signals alone: an empty handler, each ms.

`

// read adds what the data of a round say.
func (r *contextsResult) read(p profiler, program, dir string) error {
	said, err := p.read(program, dir)
	if err != nil {
		return err
	}
	if r.said.whole == 0 {
		r.said = newAttribution()
	}
	r.said.whole += said.whole
	for caller := range said.from {
		r.said.from[caller] += said.from[caller]
	}
	r.said.calls = said.calls
	return nil
}

// show prints what was said, or why nothing was.
func (r *contextsResult) show(p profiler) string {
	if p.read == nil {
		return "\t\t\t\t\t"
	}
	a, byA, byB := r.said, r.said.from["a"], r.said.from["b"]
	switch {
	case r.why == nil && byA+byB == 0:
		r.why = errors.New("c has no callers")
		fallthrough
	case r.why != nil:
		line, _, _ := strings.Cut(r.why.Error(), "\n")
		return "n/a\t\t\t\t\t" + line
	}
	text := fmt.Sprintf("%.1f\t%.1f", 100*byA/a.whole, 100*byB/a.whole)
	if a.calls["a"] == 0 || a.calls["b"] == 0 || byA == 0 {
		return text + "\t-\t-\t-\t"
	}
	return fmt.Sprintf("%s\t%.0f\t%.0f\t%.2f\t", text, a.calls["a"], a.calls["b"], byB/a.calls["b"]/(byA/a.calls["a"]))
}

// replaced puts the directory in place of $DIR.
func replaced(words []string, dir string) []string {
	out := slices.Clone(words)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "$DIR", dir)
	}
	return out
}
