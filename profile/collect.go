package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/resource"
)

// letters are the value of $PCT for the library; docs/COLLECTOR.md describes them.
func letters(o *options) []string {
	all := []string{fmt.Sprintf("q%d", o.period)}
	add := func(is bool, letter string) {
		if is {
			all = append(all, letter)
		}
	}
	add(o.clock == "prof", "IP")
	add(o.clock == "virtual", "IV")
	add(o.clock == "real", "IR")
	add(o.random, "r1")
	add(o.log, "l")
	add(o.last != "", "c"+o.last)
	add(o.paths || o.args || len(o.expressions) > 0, "s")
	add(o.calls, "e")
	add(o.verbose, "v")
	for _, r := range o.resources {
		word := "x" + r.Name
		if r.Interval > 0 {
			word += fmt.Sprintf(":%d", r.Interval)
		}
		all = append(all, word)
	}
	return all
}

// kernelArguments are the arguments of pct-ring that say how to sample.
func kernelArguments(o *options) []string {
	args := []string{"-as", "profile", "-i", fmt.Sprintf("%dus", o.period)}
	args = append(args, where(o.kernel, "-k")...)
	args = append(args, where(o.paths, "-paths")...)
	args = append(args, where(o.seconds != "", "-t", o.seconds)...)
	args = append(args, where(o.samples != "", "-n", o.samples)...)
	args = append(args, where(o.wait, "-wait")...)
	for _, r := range o.resources {
		args = append(args, "-r", r.String())
	}
	return args
}

// debuggerArguments are the arguments of dbctl; stop is the resource that breakpoints count, or nil.
func debuggerArguments(o *options, stop *resource.Resource) []string {
	clock, interval := o.clock, o.period
	if !o.debugged() {
		clock = "best" // the words for the library mean nothing to it
	}
	if stop != nil {
		clock, interval = stop.Name, stop.Interval
		if interval == 0 {
			interval = stop.Kind().Interval
		}
	}
	random := "0"
	if o.random {
		random = "1"
	}
	args := []string{"-as", "profile", "-D", "clock=" + clock, "-D", fmt.Sprintf("interval=%d", interval), "-D", "random=" + random}
	args = append(args, where(o.seconds != "", "-t", o.seconds)...)
	return append(args, where(o.samples != "", "-samples", o.samples)...)
}

// where returns the arguments if the condition holds.
func where(is bool, args ...string) []string {
	if !is {
		return nil
	}
	return args
}

// collect runs the collector and sets the status. If the program cannot have the library, it is not run, and
// collect returns the reason.
func (p *session) collect(c *collection) (*unfit, error) {
	switch c.collector {
	case library:
		return p.byLibrary(c)
	case kernel:
		return nil, p.outside("pct-ring", c.arguments, "--")
	case debugger:
		script := p.tmp + "/script.dbctl"
		if err := os.WriteFile(script, []byte(p.options.script()), 0o600); err != nil {
			return nil, err
		}
		return nil, p.outside("dbctl", c.arguments, script)
	}
	launch, err := p.launcher()
	if err != nil {
		return nil, err
	}
	return nil, p.foreground(append(append(launch, "--"), p.options.program...))
}

// environ is the file with the environment that our caller gave us, as it was.
func environ() string { return fmt.Sprintf("/proc/%d/environ", os.Getpid()) }

// launcher is the command that executes a program as our caller would.
func (p *session) launcher() ([]string, error) {
	launch, err := find("pct-launch")
	return []string{launch, "-environ", environ(), "-caller", p.caller.state}, err
}

// outside samples by a command outside of the program. last is its last argument: it stands before the program, or
// after the processes to attach to.
func (p *session) outside(command string, args []string, last string) error {
	path, err := find(command)
	if err != nil {
		return err
	}
	o := p.options
	args = append([]string{path}, args...)
	args = append(args, where(p.root != "", "-o", p.root)...)
	args = append(args, "-dirfile", p.tmp+"/dirs")
	if o.attach {
		args = append(args, where(o.tree, "-tree")...)
		args = append(args, "-p", o.pids)
		return p.attached(append(args, where(command == "dbctl", last)...))
	}
	p.outsider = true
	args = append(args, "-environ", environ(), "-ignored", fmt.Sprintf("%x", p.caller.ignored), last)
	before := usedByChildren()
	err = p.foreground(append(args, o.program...))
	p.used = usedByChildren().since(before)
	return err
}

// byLibrary runs the program with the library in it.
func (p *session) byLibrary(c *collection) (*unfit, error) {
	args, err := p.launcher()
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{"libpct.so"}, c.preload...) {
		path, err := find(name)
		if err != nil {
			return nil, err
		}
		args = append(args, "-preload", path)
	}
	if err := os.WriteFile(p.told(), nil, 0o666); err != nil {
		return nil, err
	}
	why := p.tmp + "/why"
	args = append(args, "-else", why, "-set", "PCT="+strings.Join(c.arguments, " "), "-set", "PCT_RUN="+p.told())
	args = append(args, where(p.root != "", "-set", "PCT_DIR="+p.root)...)
	// Those of another profile, which runs us, are not for this run.
	args = append(args, where(c.plans != "" || os.Getenv("PCT_PLANS") != "", "-set", "PCT_PLANS="+c.plans)...)
	before := usedByChildren()
	if err := p.foreground(append(append(args, "--"), p.options.program...)); err != nil {
		return nil, err
	}
	p.used = usedByChildren().since(before)
	tellOuter()
	if text, err := os.ReadFile(why); err == nil {
		name, clause, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\t")
		return &unfit{name, clause}, nil
	}
	p.outlived()
	return nil, nil
}

// told is the file to which the library writes run directories and notes ($PCT_RUN).
func (p *session) told() string { return p.tmp + "/run" }

// tellOuter notes in the file of an outer profile, if we run under one, that it has no samples of our program.
func tellOuter() {
	outer := os.Getenv("PCT_RUN")
	if st, err := os.Stat(outer); err != nil || !st.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(outer, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintf(f, "note\t%d\t%s\tthe program ran profile itself: those samples are in its own report\n", os.Getpid(), noteNested)
}

// usage is the CPU time and the page faults of children that were waited for.
type usage struct {
	user, system float64 // s
	faults       int64   // served from memory
	waits        int64   // for which they left their processors
}

func usedByChildren() usage {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		return usage{}
	}
	seconds := func(t unix.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return usage{seconds(u.Utime), seconds(u.Stime), u.Minflt, u.Nvcsw}
}

func (u usage) since(before usage) usage {
	return usage{u.user - before.user, u.system - before.system, u.faults - before.faults, u.waits - before.waits}
}
