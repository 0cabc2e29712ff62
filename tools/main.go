// Pct-tools is the translators and pct-pr in one file. The name by which it is called,
// that of a link, says which of them it is.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/pr"
	"github.com/profilecollection/pct/translators/addr2line"
	"github.com/profilecollection/pct/translators/addr2nm"
	"github.com/profilecollection/pct/translators/disasm"
	"github.com/profilecollection/pct/translators/gdbline"
)

// A command is run with what follows its name.
type command func(args []string, stdin io.Reader, stdout, stderr io.Writer) int

func commands() map[string]command {
	return map[string]command{
		"pct-addr2line": addr2line.Run,
		"pct-addr2nm":   addr2nm.Run,
		"pct-disasm":    disasm.Run,
		"pct-gdbline":   gdbline.Run,
		"pct-pr":        pr.Run,
	}
}

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, visible.Writer(os.Stderr))) }

func run(argv []string, stdin io.Reader, stdout, stderr io.Writer) int {
	known := commands()
	name := filepath.Base(argv[0])
	if known[name] == nil {
		names := slices.Sorted(maps.Keys(known))
		fmt.Fprintf(stderr, "%s: no command has this name; link this file as one of %s\n", name, strings.Join(names, ", "))
		return 2
	}
	return known[name](argv[1:], stdin, stdout, stderr)
}
