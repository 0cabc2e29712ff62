// Pct-addr2line is the translator that pct uses by itself: it reads ELF symbols
// and DWARF debug information. See package translators for the protocol.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/profilecollection/pct/translators"
)

const usage = `usage: pct-addr2line [-debug-dir DIR]...

Reads lines OBJECT<TAB>0xADDRESS and answers each with a line of the frames
there, innermost first: FUNCTION|FILE|LINE, separated by tabs, each but the last
inlined into the next; what is not known is ?. See docs/TRANSLATORS.md.

  -debug-dir DIR  look for separate debug information below DIR instead of
                  /usr/lib/debug; may be repeated

example:
  printf '/bin/ls\t0x4000\n' | pct-addr2line
`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("pct-addr2line", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var dirs []string
	flags.Func("debug-dir", "", func(dir string) error {
		dirs = append(dirs, dir)
		return nil
	})
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("what is %q? the addresses are read from standard input", flags.Arg(0))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "pct-addr2line: %v\n%s", err, usage)
		return 2
	}
	if dirs == nil {
		dirs = []string{"/usr/lib/debug"}
	}
	t := translator{finder: finder{dirs}, objects: map[key]*object{}, stderr: stderr}
	if err := translators.Serve(stdin, stdout, stderr, t.translate); err != nil {
		fmt.Fprintf(stderr, "pct-addr2line: %v\n", err)
		return 1
	}
	return 0
}

// A translator answers for any number of objects; each is opened once.
type translator struct {
	finder  finder
	objects map[key]*object // nil for those that can't be read
	stderr  io.Writer
}

type key struct{ path, buildID string }

// translate answers one request; what can't be read is said once per object.
func (t *translator) translate(q translators.Request) (out []translators.Location, err error) {
	k := key{q.Object, strings.ToLower(q.BuildID)}
	// A file that is truncated while it is mapped faults where it is read.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			fmt.Fprintf(t.stderr, "pct-addr2line: %s: changed while it was read\n", q.Object)
			t.objects[k] = nil
			out = nil
		default:
			panic(r)
		}
	}()
	o, known := t.objects[k]
	if !known {
		// What stands in brackets, as [vdso], is memory of no file.
		if !strings.HasPrefix(q.Object, "[") {
			var err error
			if o, err = t.finder.open(q.Object, k.buildID); err != nil {
				fmt.Fprintf(t.stderr, "pct-addr2line: %v\n", err)
			}
		}
		t.objects[k] = o
	}
	if o == nil {
		return nil, nil
	}
	return o.frames(q.Vaddr), nil
}
