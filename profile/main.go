// Command profile runs a program, or attaches to running ones, and reports where the CPU time or
// another resource went. "profile -h" explains.
//
// It decides and reports; others measure. The collectors are the library libpct.so, which pct-launch
// preloads into the program, pct-ring by the kernel's perf events, and dbctl by ptrace. What they
// write is read by pct alike. All of them are child processes.
//
// The command that a user calls is collector/launch/profile.c, which becomes this program.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, visible.Writer(os.Stderr))) }

// Exit statuses of our own; the program's is passed on.
const (
	failed  = 1
	misused = 2
)

func run(args []string, stdout *os.File, stderr io.Writer) int {
	left, args, err := readCaller(args)
	if err == nil {
		var o *options
		if o, err = parseOptions(args); err == nil && o.help {
			fmt.Fprint(stdout, help())
			return 0
		}
		if err == nil {
			return profile(o, left, stdout, stderr)
		}
	}
	return refuse(err, stderr)
}

// refuse says why nothing is run, or not as was asked for.
func refuse(err error, stderr io.Writer) int {
	status, text := failed, err.Error()
	var wrong *misuse
	if errors.As(err, &wrong) {
		status, text = misused, text+" (profile -h explains)"
	}
	fmt.Fprintf(stderr, "profile: %s\n", text)
	return status
}

func profile(o *options, left caller, stdout *os.File, stderr io.Writer) int {
	left.heed()
	p := &session{options: o, caller: left, stderr: stderr}
	var t target
	if !o.attach {
		t.program = o.program[0]
		t.secret = secret(t.program)
	}
	r := rights{probes: mayProbe(), low: left.low}
	// What is wrong whatever is found out later is said before anything is done.
	c, err := plan(o, t, r)
	if err != nil {
		return refuse(err, stderr)
	}
	if err := p.prepare(); err != nil {
		return refuse(err, stderr)
	}
	defer p.sweep()
	p.signals = left.catch()
	for {
		if c.asks == nil {
			p.say(c.before)
			if t.unfit, err = p.collect(c); err != nil {
				return refuse(err, stderr)
			}
			if t.unfit == nil {
				break
			}
		} else if err := c.asks(p, &t, &r); err != nil {
			return refuse(err, stderr)
		}
		if c, err = plan(o, t, r); err != nil {
			return refuse(err, stderr)
		}
	}
	if c.collector == nothing {
		return p.status
	}
	p.say(c.after)
	return p.report(c, stdout)
}

// A session is one run of profile.
type session struct {
	options *options
	caller  caller
	stderr  io.Writer
	signals chan os.Signal

	root     string  // for the collectors; "" what they choose by themselves
	data     string  // where that is
	tmp      string  // our directory of temporary files
	sweeper  sweeper // removes it
	status   int     // the program's
	outsider bool    // what runs it is a collector
	used     usage   // by the program and what it waited for; with a collector that is no library, by that too
	alive    bool    // processes were left when the program had ended
}

// prepare sees that the data and the report can be written, which is better known before the run than
// after it, and makes the directory of temporary files.
func (p *session) prepare() error {
	o := p.options
	p.root = o.root
	if p.root == "" {
		p.root = os.Getenv("PCT_DIR")
	}
	// Children may have another working directory.
	if p.root != "" && !strings.HasPrefix(p.root, "/") {
		if here, err := os.Getwd(); err == nil {
			p.root = here + "/" + p.root
		}
	}
	if p.data = p.root; p.data == "" {
		p.data = data.Root()
	}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err == nil && files.Cur < fewestFiles {
		return fmt.Errorf("too few files may be open (ulimit -n %d): %d are needed", files.Cur, fewestFiles)
	}
	if st, err := os.Stat(p.data); err == nil && !st.IsDir() {
		return fmt.Errorf("cannot write data to %s: it is not a directory", p.data)
	}
	// The library makes the directory of the data, not those that lead to it.
	if above := parent(p.root); above != "" {
		if err := os.MkdirAll(above, 0o777); err != nil {
			return fmt.Errorf("cannot create %s for the data: %s", above, reason(err))
		}
	}
	// There may be room later.
	if err := p.unwritable(0); err != nil {
		return fmt.Errorf("cannot write data to %s: %s", p.data, reason(err))
	}
	if st, err := os.Stat(o.report); o.report != "" && (err != nil || st.Mode()&os.ModeNamedPipe == 0) {
		f, err := os.Create(o.report)
		if err != nil {
			return fmt.Errorf("cannot write %s", o.report)
		}
		f.Close()
	}
	var err error
	p.tmp, p.sweeper, err = makeTemporary()
	return err
}

// fewestFiles is how many files the making of a report may have open at once.
const fewestFiles = 24

// parent is the path up to the last slash.
func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// say writes notes.
func (p *session) say(notes []note) {
	for _, n := range notes {
		fmt.Fprintf(p.stderr, "profile: %s\n", n)
	}
}
