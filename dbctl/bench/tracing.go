package bench

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

//go:embed target/calls.c
var callsSource string

// A tracing is something to trace: some rows of the table of events.
type tracing struct {
	name    string
	program []string // without the number of events, if it takes one
	ways    []traced
}

// traced is a way to trace it.
type traced struct {
	follower
	events int // what the program is told to do; 0: it takes no number
}

// Scripts of one line, of which all but the last print a line for each event.
const (
	printsValue = `PAT() "^started" { PROBE(call, "request"); } PAT() "^call" { EVAL("request", "r->length") | VAR(n); ECHO("$n"); }`
	seldomTrue  = `PAT() "^started" { PROBE(call, "request"); } PAT() "^call .*number=-1\"" { ECHO("$e.args"); }`
	printsStart = `PAT() "^started" { ECHO("$exe"); }`
)

// python is a breakpoint of gdb's Python that prints an expression.
const python = `class B(gdb.Breakpoint):
    def stop(self):
        print(int(gdb.parse_and_eval("r->length")))
        return False
B("request")
`

// tracings returns those that this machine has the tools for.
func (b *bench) tracings(program string) ([]tracing, error) {
	const few, many = 2000, 20000
	script := filepath.Join(b.Dir, "breakpoint.py")
	if err := os.WriteFile(script, []byte(python), 0o600); err != nil {
		return nil, err
	}
	gdb := func(commands ...string) []string {
		argv := []string{"gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off"}
		for _, c := range commands {
			argv = append(argv, "-ex", c)
		}
		return append(argv, "-ex", "run", "--args")
	}
	bare := traced{follower{"bare", nil}, many}
	find := []string{"find", "/usr", "-maxdepth", "4"}
	all := []tracing{
		{"expression printed", []string{program}, []traced{
			bare,
			{follower{"dbctl", []string{b.dbctl, "-e", printsValue}}, many},
			{follower{"gdb dprintf", gdb(`dprintf request,"%d\n",r->length`)}, few},
			{follower{"gdb Python", gdb("source " + script)}, few},
		}},
		{"condition false", []string{program}, []traced{
			bare,
			{follower{"dbctl", []string{b.dbctl, "-e", seldomTrue}}, many},
			{follower{"gdb", gdb("break request if number == -1")}, few},
		}},
		{"call and return", []string{program}, []traced{
			bare,
			{follower{"dbctl", []string{b.dbctl, "ltrace", "-functions", "request"}}, many},
			{follower{"ltrace", []string{"ltrace", "-x", "request"}}, many},
		}},
		{"system calls of find", find, []traced{
			{follower{"bare", nil}, 0},
			{follower{"dbctl", []string{b.dbctl, "strace"}}, 0},
			{follower{"strace", []string{"strace", "-f"}}, 0},
		}},
		{"openat of find", find, []traced{
			{follower{"bare", nil}, 0},
			{follower{"dbctl", []string{b.dbctl, "strace", "-e", "openat"}}, 0},
			{follower{"strace", []string{"strace", "-f", "-e", "openat"}}, 0},
			{follower{"strace --seccomp-bpf", []string{"strace", "-f", "--seccomp-bpf", "-e", "openat"}}, 0},
		}},
		{"one line until the end", []string{"true"}, []traced{
			{follower{"bare", nil}, 0},
			{follower{"dbctl", []string{b.dbctl, "-e", printsStart}}, 0},
		}},
	}
	for i := range all {
		all[i].ways = slices.DeleteFunc(all[i].ways, func(w traced) bool { return w.missing() })
	}
	return all, nil
}

// tracing measures and prints what it takes to tell of events of a program. A third of the budget is for it.
func (b *bench) tracing() error {
	program, err := compile(b.Dir, "calls", callsSource)
	if err != nil {
		return err
	}
	all, err := b.tracings(program)
	if err != nil {
		return err
	}
	walls := make(map[cell][]time.Duration)
	b.InRounds(b.budget/3, func() {
		for _, j := range all {
			if !b.Match.MatchString(j.name) {
				continue
			}
			for _, w := range j.ways {
				wall, err := b.traced(j, w)
				if err != nil {
					b.Fail(j.name, w.name, err)
					continue
				}
				walls[cell{j.name, w.name}] = append(walls[cell{j.name, w.name}], wall)
			}
		}
	})
	b.printTracing(all, walls)
	return nil
}

// traced is a run of a program that is traced, whose output goes to files.
func (b *bench) traced(j tracing, w traced) (time.Duration, error) {
	argv := append(append([]string(nil), w.argv...), j.program...)
	if w.events > 0 {
		argv = append(argv, strconv.Itoa(w.events))
	}
	out, err := os.Create(filepath.Join(b.Dir, "traced"))
	if err != nil {
		return 0, err
	}
	defer out.Close()
	cmd := command(argv)
	cmd.Stdout, cmd.Stderr = out, out
	cost, err := harness.Measure(cmd, 0)
	return cost.Wall, err
}

// printTracing prints the time of a run, and for events that are counted how much longer each makes it.
func (b *bench) printTracing(all []tracing, walls map[cell][]time.Duration) {
	w := b.Table()
	fmt.Fprintln(w, "\ntraced\thow\twall, ms\tmin..max\tµs an event\ttimes bare")
	rows := 0
	for _, j := range all {
		bare := harness.SpreadOf(walls[cell{j.name, "bare"}], milliseconds)
		for _, way := range j.ways {
			runs := walls[cell{j.name, way.name}]
			if len(runs) == 0 {
				continue
			}
			rows++
			wall := harness.SpreadOf(runs, milliseconds)
			var each, ratio string
			switch {
			case way.argv == nil:
			case way.events > 0:
				each = fmt.Sprintf("%.1f", (wall.Middle-bare.Middle)*1e3/float64(way.events))
			case bare.Middle > 0:
				ratio = fmt.Sprintf("%.2f", wall.Middle/bare.Middle)
			}
			fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f..%.0f\t%s\t%s\n", j.name, way.name, wall.Middle, wall.Least, wall.Most, each, ratio)
		}
	}
	if rows > 0 {
		w.Flush()
	}
}
