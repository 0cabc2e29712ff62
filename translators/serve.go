package translators

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Request asks for the source coordinates of one address.
type Request struct {
	Object  string // path of the ELF file
	Vaddr   uint64 // ELF virtual address
	BuildID string // hexadecimal; "": whatever the file is
}

// maxLine bounds a line of either direction, in bytes: enough for any chain of
// demangled names, and an end to what is no line at all.
const maxLine = 16 << 20

// Serve is the translator's end of the protocol: it answers each request of in
// by what translate says, on out, until the end of in or an error of translate,
// which it returns. No locations stand for unknown. A line that is no request is
// answered as unknown, so that the lines keep their order, and described on
// complain; Serve then returns ErrRequests at the end.
func Serve(in io.Reader, out, complain io.Writer, translate func(Request) ([]Location, error)) error {
	r := bufio.NewReaderSize(in, 64<<10)
	w := bufio.NewWriterSize(out, 64<<10)
	var bad error
	var answer []byte
	for n := 1; ; n++ {
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		line, err := readLine(r)
		if err == io.EOF && line == "" {
			break
		}
		if err != nil && err != io.EOF {
			return errors.Join(fmt.Errorf("request %d: %w", n, err), w.Flush())
		}
		var frames []Location
		if q, err := parseRequest(line); err == nil {
			if frames, err = translate(q); err != nil {
				return errors.Join(err, w.Flush())
			}
		} else {
			bad = ErrRequests
			fmt.Fprintf(complain, "line %d: %v\n", n, err)
		}
		answer = appendAnswer(answer[:0], frames)
		if _, err := w.Write(answer); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return bad
}

// ErrRequests: some lines were no requests.
var ErrRequests = errors.New("some lines were no requests")

var errLongLine = fmt.Errorf("a line of more than %d MB", maxLine>>20)

// readLine returns the next line without its newline; with io.EOF, what stood
// after the last newline.
func readLine(r *bufio.Reader) (string, error) {
	part, err := r.ReadSlice('\n')
	if err == nil {
		return string(part[:len(part)-1]), nil
	}
	var b strings.Builder
	for {
		b.Write(part)
		switch {
		case err == nil:
			s := b.String()
			return s[:len(s)-1], nil
		case b.Len() > maxLine:
			return "", errLongLine
		case err != bufio.ErrBufferFull:
			return b.String(), err
		}
		part, err = r.ReadSlice('\n')
	}
}
