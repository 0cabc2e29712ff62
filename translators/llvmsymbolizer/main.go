// Pct-llvm-symbolizer is a translator over llvm-symbolizer. See package translators
// for the protocol.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/translators"
	"github.com/profilecollection/pct/translators/internal/wrapper"
)

const usage = `usage: pct-llvm-symbolizer [-program PATH] [-timeout DURATION] [-network]

Reads lines OBJECT<TAB>0xADDRESS. Prints a line for each: the frames according
to llvm-symbolizer (13 or later), innermost first, as FUNCTION|FILE|LINE
separated by tabs. Each frame but the last is inlined into the next. ? is
unknown. See docs/TRANSLATORS.md.

  -program PATH      llvm-symbolizer to use (default llvm-symbolizer)
  -timeout DURATION  time that it may be silent (default 30s)
  -network           permit requests to the servers of $DEBUGINFOD_URLS

example:
  printf '/bin/ls\t0x4000\n' | pct-llvm-symbolizer
`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, visible.Writer(os.Stderr))) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var r reader
	return wrapper.Tool{
		Name: "pct-llvm-symbolizer", Program: "llvm-symbolizer", Usage: usage,
		Args: func(object string) []string {
			// Names as they are: ours are demangled without parameters.
			return []string{"--output-style=JSON", "--functions=linkage", "--inlines", "--no-demangle", "--obj=" + object}
		},
		Ask:     ask,
		Answers: func() wrapper.Answers { return r.answers },
	}.Run(args, stdin, stdout, stderr)
}

func ask(to io.Writer, vaddrs []uint64) error {
	var b bytes.Buffer
	for _, v := range vaddrs {
		fmt.Fprintf(&b, "0x%x\n", v)
	}
	_, err := to.Write(b.Bytes())
	return err
}

// An answer is one line of llvm-symbolizer.
type answer struct {
	Address string
	Error   *struct{ Message string }
	Symbol  []struct {
		FunctionName, FileName string
		Line                   int
	}
}

// reader reads answers.
type reader struct{ names funcname.Demangler }

func (r *reader) answers(line func() (string, error), vaddrs []uint64) ([][]translators.Location, error) {
	all := make([][]translators.Location, 0, len(vaddrs))
	for _, v := range vaddrs {
		text, err := line()
		if err != nil {
			return nil, err
		}
		var a answer
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return nil, fmt.Errorf("%.80q is no answer to 0x%x", text, v)
		}
		if a.Error != nil {
			return nil, fmt.Errorf("to 0x%x it says: %s", v, a.Error.Message)
		}
		if got, err := strconv.ParseUint(a.Address, 0, 64); err != nil || got != v {
			return nil, fmt.Errorf("%.80q is no answer to 0x%x", text, v)
		}
		var frames []translators.Location
		for _, s := range a.Symbol {
			f := translators.Location{Line: max(s.Line, 0)}
			if s.FunctionName != "" && s.FunctionName != "??" {
				f.Func = r.names.Name(s.FunctionName)
			}
			if s.FileName != "" && s.FileName != "??" && f.Line > 0 {
				f.File = path.Clean(s.FileName)
			}
			frames = append(frames, f)
		}
		all = append(all, frames)
	}
	return all, nil
}
