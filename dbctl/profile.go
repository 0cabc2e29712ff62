package main

import (
	"fmt"
	"os"
	"os/signal"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/session"
	"github.com/profilecollection/pct/internal/visible"
	"golang.org/x/sys/unix"
)

// ignoredHere are the signals that our caller ignores, as nohup(1) does, and that our runtime leaves so. Of all
// others it forgets that at once: -ignored tells them.
func ignoredHere() (mask uint64) {
	for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGINT} {
		if signal.Ignored(sig) {
			mask |= 1 << (sig - 1)
		}
	}
	return mask
}

// profile runs the program under the script, or attaches to processes; tracing says that we are the process that is to.
func profile(o *options, src *source, program *machine.Program, tracing bool, stdin, stdout, stderr *os.File) int {
	complain := func(err error) int {
		fmt.Fprintf(visible.Writer(stderr), "%s: %v\n", o.speaker, err)
		return exitStatus(err)
	}
	cfg := session.Config{
		Program: program, Vars: o.vars, Argv: o.argv, Debugger: o.debugger, Root: o.root, Pty: o.pty, Ignored: o.ignored | ignoredHere(), Environ: o.environ,
		Pids: o.pids, Tree: o.tree, For: o.seconds, Samples: o.samples, Debuggers: o.debuggers, Eval: o.eval,
		NoTraps: o.noTraps, As: o.speaker, Stdin: stdin, Stdout: stdout, Stderr: stderr,
	}
	if len(cfg.Pids) > 0 && !tracing && cfg.Inserts() {
		if o.script == "-" {
			read, err := again(src)
			if err != nil {
				return complain(err)
			}
			defer read.Close()
			stdin = read
		}
		status, err := apart(stdin, stdout, stderr)
		if err != nil {
			return complain(err)
		}
		return status
	}
	if o.trace {
		cfg.Trace = tracer(stderr)
	}
	if o.dirFile != "" {
		f, err := os.OpenFile(o.dirFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return complain(err)
		}
		defer f.Close()
		cfg.Found = func(dir string) { fmt.Fprintln(f, dir) }
	}
	if o.record != "" {
		f, err := os.Create(o.record)
		if err != nil {
			return complain(err)
		}
		defer f.Close()
		cfg.Record = f
	}
	status, err := session.Run(cfg)
	if err != nil {
		return complain(err)
	}
	return status
}

// replay runs the script on a transcript.
func replay(o *options, program *machine.Program, stdout, stderr *os.File) int {
	cfg := session.ReplayConfig{Program: program, Vars: o.vars, Stdout: stdout, Stderr: stderr}
	if o.trace {
		cfg.Trace = tracer(stderr)
	}
	f, err := os.Open(o.replay)
	if err == nil {
		defer f.Close()
		cfg.Transcript = f
		err = session.Replay(cfg)
	}
	if err != nil {
		fmt.Fprintf(visible.Writer(stderr), "dbctl: cannot replay %s: %v\n", o.replay, err)
		return failed
	}
	return 0
}

func tracer(stderr *os.File) func(string) {
	return func(line string) { fmt.Fprintf(visible.Writer(stderr), "dbctl: %s\n", line) }
}
