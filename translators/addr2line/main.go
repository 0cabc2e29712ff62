// Package addr2line is pct-addr2line, the translator that pct uses by itself: it reads
// ELF symbols and DWARF debug information. See package translators for the protocol.
package addr2line

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/translators"
)

const usage = `usage: pct-addr2line [-innermost] [-functions | -lines] [-debug-dir DIR]...

Reads lines OBJECT<TAB>0xADDRESS. Prints a line for each: the frames, innermost
first, as FUNCTION|FILE|LINE separated by tabs. Each frame but the last is
inlined into the next. ? is unknown. See docs/TRANSLATORS.md.

  -innermost      innermost frame only: faster
  -functions      functions only: faster
  -lines          lines only, functions where the line is unknown: fastest
  -debug-dir DIR  search separate debug files in DIR, not in /usr/lib/debug; may
                  be repeated

example:
  printf '/bin/ls\t0x4000\n' | pct-addr2line
`

// Run is the command.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("pct-addr2line", flag.ContinueOnError)
	var dirs []string
	var want debuginfo.Detail
	flags.BoolVar(&want.Innermost, "innermost", false, "")
	flags.BoolVar(&want.NoLines, "functions", false, "")
	flags.BoolVar(&want.NoNames, "lines", false, "")
	flags.Func("debug-dir", "", func(dir string) error {
		dirs = append(dirs, dir)
		return nil
	})
	if status, done := translators.Parse(flags, usage, args, stdout, stderr, func() error {
		if want.NoLines && want.NoNames {
			return errors.New("-functions and -lines leave nothing")
		}
		return nil
	}); done {
		return status
	}
	if dirs == nil {
		dirs = []string{object.DebugRoot}
	}
	t := translator{
		finder:  object.Finder{Roots: dirs},
		objects: map[key]*answerer{},
		want:    want,
		stderr:  stderr,
	}
	if err := translators.ServeBatches(stdin, stdout, stderr, t.translate); err != nil {
		fmt.Fprintf(stderr, "pct-addr2line: %v\n", err)
		return 1
	}
	return 0
}
