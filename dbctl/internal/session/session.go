// Package session profiles trees of processes as a script says: it launches a
// program as its caller would have, or takes running ones, follows what they
// make, offers what happens to each to a script's machine and carries out what
// that answers, until the last has ended or is let go.
//
// One goroutine traces them all; see tree. A process whose rule asks for
// nothing that takes long is served by it at once: a sample costs the program
// some tens of microseconds. One whose rule asks a debugger has a goroutine of
// its own, which may wait for answers; see process.
//
// Three kinds of goroutines are at work: the tracing one, one for each process that is served, and
// one for each debugger's connection. They exchange values: notices and work in queues, and what
// the methods of a stop return. Who owns what:
//
//	what threads and processes do       tracee.Tree; asked and told by step, of the tracing goroutine
//	ptrace, and the waiting for stops   the tracing goroutine, by tracer.Tracer
//	clocks, probes, fork traps, tallies the tracing goroutine; others leave it work by do and call
//	a script's machine, its run         the goroutine that acts: the tracing one, or the process's own
//	a debugger and its answers          the process's own goroutine, by link
//	what happened, until acted on       process.inbox: the tracing goroutine puts, the other takes
//	work for the tracing goroutine      tree.posts: others put
//	a run's tally                       the notice of its end takes it along
//	a thread's registers, and who lets  stop: a step of each of the three at a time
//	  it go on
//	the breakpoints of a memory         breakpoint.Set, which any goroutine may ask
//	which threads, which breakpoints    process.threads, process.points; the tracing goroutine
//	  and whether a process is free       changes them, others read
package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/terminal"
	"github.com/profilecollection/pct/pct/data"
)

// Config is one run: of a program, or of processes that run already.
type Config struct {
	Program   *machine.Program
	Vars      map[string]string // of the command line; they override the script's
	Argv      []string          // the program and its arguments
	Pids      []int             // or the processes to attach to,
	Tree      bool              // with their descendants
	For       time.Duration     // let go after this time; 0: never
	Samples   uint64            // and after so many samples; 0: never
	Eval      Eval              // who evaluates expressions
	Debugger  string            // a gdb, or an lldb by its name; "gdb" if empty
	Debuggers int               // how many may run at once; 0: as memory allows
	Root      string            // where run directories are made, data.Root() if empty
	Environ   []string          // of the program, NAME=VALUE; nil: ours
	Pty       bool              // the program gets a terminal of its own
	Ignored   uint64            // signals that our caller ignored: bit n-1 is signal n
	Found     func(dir string)  // told of each run directory as it's made, may be nil
	Trace     func(line string) // told what the machine does, may be nil
	NoTraps   bool              // the processor's debug registers are not to be used
	Record    io.Writer         // gets the transcript, may be nil
	As        string            // the command that speaks, which its messages begin with

	Stdin, Stdout, Stderr *os.File
}

// answerTime is how long the debugger may take over a command. Reading the
// symbols of a big program is the longest.
const answerTime = 120 * time.Second

// Launcher must be the first call of main, beside that of package launch: see tracer.Guardian.
func Launcher() {
	tracer.Guardian()
	tracer.Mend()
}

// Run profiles, and returns the exit status to pass on: the program's own, or
// 128+n after signal n; 0 after processes were attached to. An error means that
// nothing was run, or not to its end.
func Run(cfg Config) (int, error) {
	if cfg.Root == "" {
		cfg.Root = data.Root()
	}
	path := ""
	if len(cfg.Pids) == 0 {
		var err error
		if path, err = launch.Find(cfg.Argv[0]); err != nil {
			return 0, err
		}
	}
	t := newTree(cfg)
	defer t.close()
	if t.pool.Table().Look != nil {
		if err := cfg.viewable(); err != nil {
			return 0, err
		}
	}
	if path != "" && tracer.Privileged(path) {
		t.say("%s is set-uid or set-gid and would lose its privileges under a tracer: it runs unprofiled", path)
		return t.unprofiled(path)
	}
	var rule *machine.Exec
	if path != "" {
		exe := executable(path)
		rule = cfg.Program.For(exe)
		environ := cfg.Environ
		if environ == nil {
			environ = os.Environ()
		}
		if t.programs.checksLeaks(exe, environ) {
			return 0, errors.New(leakCheckFails(exe))
		}
		if !isScript(path) {
			if err := t.answerable(exe, rule, environ); err != nil {
				return 0, err
			}
		}
		if err := t.makeSpare(rule); err != nil {
			return 0, err
		}
		t.debugData.prepare(exe, t.habit(rule).evals)
	}
	err := tracer.Run(func(tr *tracer.Tracer) error {
		t.tracer = tr
		t.signals = terminal.Catch(tr.Ring)
		if err := t.begin(path, rule); err != nil {
			return err
		}
		return t.loop()
	})
	if e := t.finish(); err == nil {
		err = e
	}
	if cfg.Eval == Both && !t.comparison.outcome(t) && err == nil {
		return differed, nil
	}
	if t.quitted {
		return t.code, err
	}
	return exitCode(t.status), err
}

// differed is the status if dbctl and the debugger evaluated an expression differently.
const differed = 1

// exitCode is a status as a shell gives it.
func exitCode(ws unix.WaitStatus) int {
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// statusText says how a process ended, as in meta.
func statusText(ws unix.WaitStatus) string {
	if ws.Signaled() {
		return "signal " + unix.SignalName(ws.Signal())
	}
	return fmt.Sprintf("exit %d", ws.ExitStatus())
}
