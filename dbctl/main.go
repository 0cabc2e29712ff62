// Dbctl runs a program under a debugger, driven by a script: each event of the
// program selects debugger commands and other actions, whose output goes to
// files of the run directory, to filters, or into samples. docs/LANGUAGE.md
// describes scripts.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/profilecollection/pct/dbctl/internal/session"
	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/visible"
)

func main() {
	launch.Launcher()
	session.Launcher()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit statuses of our own; a profiled program's is passed on as it is.
const (
	failed  = 1
	misused = 2
)

func run(args []string, stdin, stdout, stderr *os.File) int {
	args, tracing := lifeline(args)
	o, err := parseOptions(args)
	if errors.Is(err, errHelp) {
		fmt.Fprint(stdout, help)
		return 0
	}
	if err != nil {
		fmt.Fprintf(visible.Writer(stderr), "dbctl: %v (dbctl -h explains)\n", err)
		return misused
	}
	if o.grammar {
		return grammar(stdout)
	}
	if o.describes {
		if err := o.describe(stdout); err != nil {
			fmt.Fprintf(visible.Writer(stderr), "dbctl: %v\n", err)
			return failed
		}
		return 0
	}
	src, err := o.source(stdin)
	if err != nil {
		fmt.Fprintf(visible.Writer(stderr), "dbctl: %v\n", err)
		return failed
	}
	if o.format {
		return format(src, stdout, stderr)
	}
	program, err := src.load(o)
	if err != nil {
		fmt.Fprintln(visible.Writer(stderr), err)
		return failed
	}
	switch {
	case o.check:
		return 0
	case o.replay != "" && len(o.argv) > 0:
		fmt.Fprintf(visible.Writer(stderr), "dbctl: -replay runs no program: leave out %s (dbctl -h explains)\n", o.argv[0])
		return misused
	case o.replay != "":
		return replay(o, program, stdout, stderr)
	case len(o.pids) > 0 && len(o.argv) > 0:
		fmt.Fprintf(visible.Writer(stderr), "dbctl: -p attaches to running processes: leave out the program %s (dbctl -h explains)\n", o.argv[0])
		return misused
	case o.tree && len(o.pids) == 0:
		fmt.Fprintf(visible.Writer(stderr), "dbctl: -tree needs -p: all processes of a launched program are followed anyway (dbctl -h explains)\n")
		return misused
	case len(o.pids) > 0:
	case len(o.argv) == 0:
		fmt.Fprintf(visible.Writer(stderr), "dbctl: no program to run (dbctl -h explains)\n")
		return misused
	}
	return profile(o, src, program, tracing, stdin, stdout, stderr)
}

// exitStatus is that of a shell which could not run a program.
func exitStatus(err error) int {
	var missing *launch.NotFound
	var unfit *launch.NotRunnable
	switch {
	case errors.As(err, &missing):
		return 127
	case errors.As(err, &unfit):
		return 126
	}
	return failed
}
