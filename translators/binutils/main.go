// Pct-binutils is a translator over addr2line of binutils. See package translators
// for the protocol.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/translators"
	"github.com/profilecollection/pct/translators/internal/wrapper"
)

const usage = `usage: pct-binutils [-program PATH] [-timeout DURATION] [-network]

Reads lines OBJECT<TAB>0xADDRESS. Prints a line for each: the frames according
to addr2line of binutils, innermost first, as FUNCTION|FILE|LINE separated by
tabs. Each frame but the last is inlined into the next. ? is unknown. See
docs/TRANSLATORS.md.

  -program PATH      addr2line to use (default addr2line)
  -timeout DURATION  time that it may be silent (default 30s)
  -network           permit requests to the servers of $DEBUGINFOD_URLS

example:
  printf '/bin/ls\t0x4000\n' | pct-binutils
`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, visible.Writer(os.Stderr))) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var names funcname.Demangler
	return wrapper.Tool{
		Name: "pct-binutils", Program: "addr2line", Usage: usage,
		// Names as they are: ours are demangled without parameters.
		Args:    func(object string) []string { return []string{"-a", "-i", "-f", "-e", object} },
		Ask:     ask,
		Answers: func() wrapper.Answers { return (&reader{names: &names}).answers },
	}.Run(args, stdin, stdout, stderr)
}

// Addr2line answers an address with the address, and for each frame a line with the
// function and one with file and line:
//
//	0x0000000000001139
//	inner
//	/src/a.c:4
//	main
//	/src/a.c:11
//
// How many frames there are shows only when the next answer begins. So each batch
// ends with a question that nobody has asked.
const last = 0

func ask(to io.Writer, vaddrs []uint64) error {
	var b bytes.Buffer
	for _, v := range vaddrs {
		fmt.Fprintf(&b, "0x%x\n", v)
	}
	fmt.Fprintf(&b, "0x%x\n", last)
	_, err := to.Write(b.Bytes())
	return err
}

// maxFrames bounds how many functions are taken to be inlined into each other.
const maxFrames = 10000

// reader reads the answers of one program.
type reader struct {
	names *funcname.Demangler
	owing bool // the answer to the last question of the batch before is still to come
}

func (r *reader) answers(line func() (string, error), vaddrs []uint64) ([][]translators.Location, error) {
	all := make([][]translators.Location, 0, len(vaddrs))
	for skipped := 0; ; skipped++ {
		text, err := line()
		if err != nil {
			return nil, err
		}
		if isAddress(text, vaddrs[0]) {
			break
		}
		if !r.owing || skipped == 2*maxFrames {
			return nil, fmt.Errorf("%.80q is no answer to 0x%x", text, vaddrs[0])
		}
	}
	r.owing = true
	for i := range vaddrs {
		next := uint64(last)
		if i+1 < len(vaddrs) {
			next = vaddrs[i+1]
		}
		var frames []translators.Location
		for {
			name, err := line()
			if err != nil {
				return nil, err
			}
			if isAddress(name, next) {
				break
			}
			place, err := line()
			if err != nil {
				return nil, err
			}
			f, ok := r.frame(name, place)
			if !ok || len(frames) == maxFrames {
				return nil, fmt.Errorf("%.80q, %.80q is no answer to 0x%x", name, place, vaddrs[i])
			}
			frames = append(frames, f)
		}
		if frames == nil {
			return nil, fmt.Errorf("no answer to 0x%x", vaddrs[i])
		}
		all = append(all, frames)
	}
	return all, nil
}

func isAddress(text string, vaddr uint64) bool {
	hex, ok := strings.CutPrefix(text, "0x")
	v, err := strconv.ParseUint(hex, 16, 64)
	return ok && err == nil && v == vaddr
}

// frame reads the two lines of a frame.
func (r *reader) frame(name, place string) (f translators.Location, ok bool) {
	place, _, _ = strings.Cut(place, " (discriminator ")
	colon := strings.LastIndexByte(place, ':')
	if colon < 0 || name == "" {
		return f, false
	}
	if name != "??" {
		f.Func = r.names.Name(name)
	}
	if line := place[colon+1:]; line != "?" {
		n, err := strconv.ParseUint(line, 10, 31)
		if err != nil {
			return f, false
		}
		f.Line = int(n)
	}
	// Where it knows no line it gives the file of the symbol.
	if file := place[:colon]; file != "??" && f.Line > 0 {
		f.File = path.Clean(file)
	}
	return f, true
}
