package addr2nm

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/translators/internal/coproc"
)

// nmCommand runs nm.
type nmCommand struct {
	path    string
	timeout time.Duration
}

// An unreadable object is one that nm has refused.
type unreadable struct{ why string }

func (u *unreadable) Error() string { return u.why }

// table returns the symbols of an object: those of its full table, or if that is
// stripped the dynamic ones.
func (c nmCommand) table(path string) (table, error) {
	for _, flags := range [][]string{nil, {"-D"}} {
		symbols, err := c.run(append(flags, "-n", "--defined-only", path))
		if err != nil {
			return nil, err
		}
		if t := newTable(symbols); t != nil {
			return t, nil
		}
	}
	return nil, nil
}

// run returns what nm prints, as far as it can be of use.
func (c nmCommand) run(args []string) ([]symbol, error) {
	p, err := coproc.Start(append([]string{c.path}, args...), coproc.Environment(false))
	if err != nil {
		return nil, err
	}
	p.CloseInput()
	var symbols []symbol
	what := ""
	for deadline := time.Now().Add(c.timeout); what == ""; {
		line, err := p.ReadLine(time.Until(deadline))
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			what = fmt.Sprintf("it takes longer than %v", c.timeout)
		case err != nil && err != io.EOF:
			what = err.Error()
		case line != "":
			s, ok := parse(line)
			if !ok {
				what = fmt.Sprintf("it says %.80q", line)
			} else if s.kind != nothing {
				symbols = append(symbols, s)
			}
		}
		if err == io.EOF {
			break
		}
	}
	patience := time.Second
	if what != "" {
		patience = 0
	}
	status := p.Reap(patience)
	switch {
	case what == "" && strings.HasPrefix(status, "exit status"):
		return nil, &unreadable{fmt.Sprintf("%s: nm: %s", args[len(args)-1], orSaid(p.Stderr(), status))}
	case what == "":
		what = status
	}
	if what != "" {
		return nil, fmt.Errorf("%s: nm: %s", args[len(args)-1], orSaid(p.Stderr(), what)+": "+what)
	}
	return symbols, nil
}

// orSaid returns the first line of what nm said on its standard error, else what
// happened.
func orSaid(stderr, what string) string {
	if line, _, _ := strings.Cut(stderr, "\n"); line != "" {
		return line
	}
	return what
}

// A kind is what a symbol is of use for.
type kind byte

const (
	nothing kind = iota
	data         // code ends here at the latest
	code
)

type symbol struct {
	addr uint64
	kind kind
	bind elf.SymBind
	name string
}

// parse reads a line of nm, ADDRESS TYPE NAME, or TYPE NAME of what has no address.
func parse(line string) (symbol, bool) {
	hex, rest, ok := strings.Cut(line, " ")
	if len(rest) < 2 || rest[1] != ' ' {
		return symbol{}, strings.HasPrefix(line, "   ") // no address
	}
	addr, err := strconv.ParseUint(hex, 16, 64)
	if !ok || err != nil {
		return symbol{}, false
	}
	s := symbol{addr: addr, name: rest[2:]}
	s.name, _, _ = strings.Cut(s.name, "@") // the version
	switch rest[0] {
	case 'T', 'i':
		s.kind, s.bind = code, elf.STB_GLOBAL
	case 'W', 'w':
		s.kind, s.bind = code, elf.STB_WEAK
	case 't':
		s.kind = code
	case 'B', 'b', 'D', 'd', 'R', 'r', 'G', 'g', 'S', 's', 'V', 'v', 'u':
		s.kind = data
	}
	if s.kind == code && s.name == "" {
		s.kind = nothing
	}
	return s, true
}
