// Pct-ring samples processes by the kernel's perf events, without touching them: it
// launches a program, also a static or a set-uid one, or attaches to processes that run, and writes
// run directories (docs/FORMAT.md) for pct to report from. With -k it samples
// the kernel, too.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/profilecollection/pct/collector/ring"
	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/visible"
)

func main() {
	launch.Launcher()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit statuses of our own; a profiled program's is passed on as it is.
const (
	failed       = 1
	misused      = 2
	notPermitted = 125
	notRunnable  = 126
	notFound     = 127
)

func run(args []string, stdin, stdout, stderr *os.File) int {
	o, err := parseOptions(args)
	if errors.Is(err, errHelp) {
		fmt.Fprint(stdout, help())
		return 0
	}
	me := o.caller
	if me == "" {
		me = "pct-ring"
	}
	if err != nil {
		fmt.Fprintf(visible.Writer(stderr), "%s: %v (%s -h explains)\n", me, err, me)
		return misused
	}
	complain := func(err error) int {
		fmt.Fprintf(visible.Writer(stderr), "%s: %v\n", me, err)
		if status := exitStatus(err); status != notPermitted || o.caller == "" {
			return status
		}
		return failed
	}
	cfg := o.config
	cfg.Stdin, cfg.Stdout, cfg.Stderr = stdin, stdout, stderr
	cfg.Say = func(text string) { fmt.Fprintf(visible.Writer(stderr), "%s: %s\n", me, text) }
	if o.check {
		err := ring.Check(cfg.Kernel)
		switch {
		case err == nil:
			return 0
		case o.caller != "": // has words of its own around it
			fmt.Fprintln(stdout, err)
			return failed
		}
		return complain(err)
	}
	if o.dirFile != "" {
		f, err := os.OpenFile(o.dirFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return complain(err)
		}
		defer f.Close()
		cfg.Found = func(dir string) {
			if _, err := io.WriteString(f, dir+"\n"); err != nil {
				cfg.Say(err.Error())
			}
		}
	}
	status, err := ring.Run(cfg)
	if err != nil {
		return complain(err)
	}
	return status
}

// exitStatus is that of a shell for a program that it could not run.
func exitStatus(err error) int {
	var denied *ring.NotPermitted
	var missing *launch.NotFound
	var unfit *launch.NotRunnable
	switch {
	case errors.As(err, &denied):
		return notPermitted
	case errors.As(err, &unfit):
		return notRunnable
	case errors.As(err, &missing):
		return notFound
	}
	return failed
}
