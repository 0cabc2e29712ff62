// Package gdbline is pct-gdbline, a translator that asks gdb, for objects whose debug
// information pct-addr2line can't read. See package translators for the protocol.
//
// The client library of gdb that it uses panics in a goroutine of its own on
// output that it can't parse and waits for ever for a gdb that died or hangs.
// Neither can be cured from within the process. So it runs in a worker, which is
// this program again with -worker: a translator in itself, that has leave to fail.
// The program at the front passes requests on, and where the worker dies or is
// silent for too long it answers unknown and starts another.
package gdbline

import (
	"flag"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/profilecollection/pct/translators"
)

const usage = `usage: pct-gdbline [-gdb PATH] [-debug-dir DIR] [-timeout DURATION]
                   [-network]

Reads lines OBJECT<TAB>0xADDRESS. Prints a line for each: the frames according
to gdb, innermost first, as FUNCTION|FILE|LINE separated by tabs. Each frame but
the last is inlined into the next. ? is unknown. It is much slower than
pct-addr2line. See docs/TRANSLATORS.md.

  -gdb PATH           gdb to use (default gdb)
  -debug-dir DIR      search separate debug files in DIR (default: that of gdb)
  -timeout DURATION   time that an address may take (default 30s)
  -network            permit requests to the servers of $DEBUGINFOD_URLS

example:
  printf '/bin/ls\t0x4000\n' | pct-gdbline
`

// options are the flags.
type options struct {
	gdb      string
	debugDir string
	timeout  time.Duration
	network  bool
	worker   bool
}

// Run is the command.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("pct-gdbline", flag.ContinueOnError)
	flags.StringVar(&o.gdb, "gdb", "gdb", "")
	flags.StringVar(&o.debugDir, "debug-dir", "", "")
	flags.DurationVar(&o.timeout, "timeout", 30*time.Second, "")
	flags.BoolVar(&o.network, "network", false, "")
	flags.BoolVar(&o.worker, "worker", false, "")
	if status, done := translators.Parse(flags, usage, args, stdout, stderr, nil); done {
		return status
	}
	var err error
	if o.worker {
		err = work(o, stdin, stdout, stderr)
	} else if _, err = exec.LookPath(o.gdb); err == nil {
		err = supervise(o, stdin, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "pct-gdbline: %v\n", err)
		return 1
	}
	return 0
}
