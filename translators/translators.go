// Package translators turns object addresses into source coordinates by
// co-processes, the translators, and holds both ends of their line protocol.
//
// # Protocol
//
// A translator reads requests on its standard input, a line each, and answers
// every one, in order, with one line on its standard output:
//
//	OBJECT<TAB>0xVADDR
//	OBJECT<TAB>0xVADDR<TAB>BUILD-ID
//
//	FUNCTION|FILE|LINE[<TAB>FUNCTION|FILE|LINE]...
//
// OBJECT is the path of an ELF file (or a name such as [vdso] that is none),
// VADDR an ELF virtual address in hexadecimal, as in the object's own symbol
// table: the load bias is taken off and a return address was stepped back into
// its call. With BUILD-ID, in hexadecimal, only an object of that build-id may
// be used.
//
// The frames of an answer go from the innermost inlined function outwards to
// the function that holds the instruction; each but the last was inlined into
// the next. LINE is decimal; LINE and FILE of a frame that holds inlined ones
// are those of the call that was inlined. What is not known is "?", an address
// of which nothing is known is "?|?|?". In OBJECT, FUNCTION and FILE a tab, a
// newline, a bar and a backslash are written \t, \n, \| and \\.
//
// A translator ends at the end of its input. It may hold back answers only
// while more requests are waiting to be read. Its standard error is for people:
// the client shows the end of it when the translator fails.
package translators

import (
	"fmt"
	"strconv"
	"strings"
)

// A Location is one frame of an answer. Func and File are empty and Line is 0
// where they are not known.
type Location struct {
	Func, File string
	Line       int
	Inlined    bool // this function was inlined into the next Location's
}

// unknown stands for an empty field on the wire.
const unknown = "?"

var escaper = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "|", `\|`)

// appendRequest appends one request line to b.
func appendRequest(b []byte, object, buildID string, vaddr uint64) []byte {
	b = append(b, escaper.Replace(object)...)
	b = append(b, "\t0x"...)
	b = strconv.AppendUint(b, vaddr, 16)
	if buildID != "" {
		b = append(b, '\t')
		b = append(b, buildID...)
	}
	return append(b, '\n')
}

// parseRequest reads a request line (without its newline).
func parseRequest(line string) (Request, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 2 && len(fields) != 3 {
		return Request{}, fmt.Errorf("want OBJECT<TAB>0xADDRESS, not %q", clip(line))
	}
	object, err := unescape(fields[0])
	if err != nil {
		return Request{}, err
	}
	if object == "" {
		return Request{}, fmt.Errorf("no object in %q", clip(line))
	}
	hex, ok := strings.CutPrefix(fields[1], "0x")
	vaddr, err := strconv.ParseUint(hex, 16, 64)
	if !ok || err != nil {
		return Request{}, fmt.Errorf("%q is not an address of the form 0x4a10", clip(fields[1]))
	}
	r := Request{Object: object, Vaddr: vaddr}
	if len(fields) == 3 {
		r.BuildID = fields[2]
	}
	return r, nil
}

// appendAnswer appends one answer line to b.
func appendAnswer(b []byte, frames []Location) []byte {
	if len(frames) == 0 {
		frames = []Location{{}}
	}
	for i, f := range frames {
		if i > 0 {
			b = append(b, '\t')
		}
		b = appendField(b, f.Func)
		b = append(b, '|')
		b = appendField(b, f.File)
		b = append(b, '|')
		if f.Line > 0 {
			b = strconv.AppendInt(b, int64(f.Line), 10)
		} else {
			b = append(b, unknown...)
		}
	}
	return append(b, '\n')
}

func appendField(b []byte, s string) []byte {
	if s == "" {
		s = unknown
	}
	return append(b, escaper.Replace(s)...)
}

// parseAnswer reads an answer line (without its newline). It accepts nothing
// but the form described above.
func parseAnswer(line string) ([]Location, error) {
	frames := make([]Location, 0, 1+strings.Count(line, "\t"))
	for text := range strings.SplitSeq(line, "\t") {
		function, rest, ok := cutField(text)
		if !ok {
			return nil, fmt.Errorf("%q is not FUNCTION|FILE|LINE", clip(text))
		}
		file, number, ok := cutField(rest)
		if !ok {
			return nil, fmt.Errorf("%q is not FUNCTION|FILE|LINE", clip(text))
		}
		f := Location{Inlined: true}
		var err error
		if f.Func, err = parseField(function); err != nil {
			return nil, err
		}
		if f.File, err = parseField(file); err != nil {
			return nil, err
		}
		if number != unknown {
			n, err := strconv.ParseUint(number, 10, 31)
			if err != nil || n == 0 {
				return nil, fmt.Errorf("%q is not a line number in %q", clip(number), clip(text))
			}
			f.Line = int(n)
		}
		frames = append(frames, f)
	}
	frames[len(frames)-1].Inlined = false
	return frames, nil
}

// cutField splits s at its first bar that is not escaped.
func cutField(s string) (field, rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '|':
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}

func parseField(s string) (string, error) {
	if s == unknown {
		return "", nil
	}
	if s == "" {
		return "", fmt.Errorf("empty field, want %q where nothing is known", unknown)
	}
	return unescape(s)
}

// unescape undoes escaper.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			i++
			if i == len(s) {
				return "", fmt.Errorf(`lone \ at the end of %q`, clip(s))
			}
			switch s[i] {
			case 't':
				c = '\t'
			case 'n':
				c = '\n'
			case '|', '\\':
				c = s[i]
			default:
				return "", fmt.Errorf(`unknown escape \%c in %q`, s[i], clip(s))
			}
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

// clip keeps messages short whatever text they quote.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
