// Package addr2nm is pct-addr2nm, a translator that knows functions alone, from the
// tables that the system's nm prints: of objects of any format that nm reads. The
// tables are kept in a cache directory. See package translators for the protocol.
package addr2nm

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/translators"
	"github.com/profilecollection/pct/translators/internal/cache"
)

const usage = `usage: pct-addr2nm [-nm PATH] [-cache DIR | -cache none] [-timeout DURATION]

Reads lines OBJECT<TAB>0xADDRESS. Prints a line for each: the function in the
symbol table of the object, as FUNCTION|?|?. ? is unknown. Symbol tables are
read by nm and cached. See docs/TRANSLATORS.md.

  -nm PATH           nm to use (default nm)
  -cache DIR         cache directory (default $PCT_CACHE, $XDG_CACHE_HOME/pct or
                     ~/.cache/pct; none: no cache)
  -timeout DURATION  time that nm may take for an object (default 30s)

example:
  printf '/bin/gdb\t0x300000\n' | pct-addr2nm
`

// Run is the command.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("pct-addr2nm", flag.ContinueOnError)
	nm := flags.String("nm", "nm", "")
	dir := flags.String("cache", "", "")
	timeout := flags.Duration("timeout", 30*time.Second, "")
	if status, done := translators.Parse(flags, usage, args, stdout, stderr, nil); done {
		return status
	}
	if _, err := exec.LookPath(*nm); err != nil {
		fmt.Fprintf(stderr, "pct-addr2nm: %v\n", err)
		return 1
	}
	t := translator{
		nm:      nmCommand{*nm, *timeout},
		known:   map[translators.Request]table{},
		objects: translators.Objects{Program: "pct-addr2nm", Complain: stderr, AnyFormat: true},
		stderr:  stderr,
	}
	// Without a cache it works as well, only slower.
	var err error
	if t.kept.Dir, err = cache.Open(*dir); err != nil {
		fmt.Fprintf(stderr, "pct-addr2nm: tables are not kept: %v\n", err)
	}
	if err := translators.ServeBatches(stdin, stdout, stderr, t.translate); err != nil {
		fmt.Fprintf(stderr, "pct-addr2nm: %v\n", err)
		return 1
	}
	return 0
}

// A translator answers for any number of objects.
type translator struct {
	nm      nmCommand
	kept    tables
	known   map[translators.Request]table // by object and build-id
	objects translators.Objects
	names   funcname.Demangler
	stderr  io.Writer
}

func (t *translator) translate(batch []translators.Request, answers [][]translators.Location) error {
	for i, q := range batch {
		if !t.objects.Usable(q) {
			continue
		}
		symbols, err := t.table(translators.Request{Object: q.Object, BuildID: q.BuildID})
		if err != nil {
			return err
		}
		if name := symbols.find(q.Vaddr); name != "" {
			answers[i] = []translators.Location{{Func: t.names.Name(name)}}
		}
	}
	return nil
}

// table returns the symbols of an object: as they were read before, kept in the
// cache, or from nm. An object that nm can't read has none.
func (t *translator) table(object translators.Request) (table, error) {
	if symbols, known := t.known[object]; known {
		return symbols, nil
	}
	symbols, err := t.read(object)
	if unreadable := (*unreadable)(nil); errors.As(err, &unreadable) {
		fmt.Fprintf(t.stderr, "pct-addr2nm: %v\n", err)
	} else if err != nil {
		return nil, err
	}
	t.known[object] = symbols
	return symbols, nil
}

func (t *translator) read(object translators.Request) (table, error) {
	st, err := os.Stat(object.Object)
	if err != nil {
		return nil, &unreadable{err.Error()}
	}
	path, err := filepath.Abs(object.Object)
	if err != nil {
		return nil, err
	}
	// Taken before nm reads it, so that a table of a newer file is made anew.
	k := key{path: path, buildID: object.BuildID, size: st.Size(), modified: st.ModTime().UnixNano()}
	if symbols, ok := t.kept.load(k); ok {
		return symbols, nil
	}
	symbols, err := t.nm.table(path)
	if err != nil {
		return nil, err
	}
	if err := t.kept.store(k, symbols); err != nil {
		fmt.Fprintf(t.stderr, "pct-addr2nm: tables are not kept: %v\n", err)
		t.kept.Dir = nil
	}
	return symbols, nil
}
