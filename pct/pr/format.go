package pr

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A format is a parsed printf-style format: text, and verbs such as %a or %-20f.
type format []piece

// A piece is text as it stands, or a verb with its width.
type piece struct {
	text  string
	verb  rune // 0: text
	width int
	left  bool // the value is filled up on its right
	zeros bool // with zeros instead of blanks
}

// requestVerbs can stand wherever an address is meant, outputVerbs only where its
// translation is known.
const (
	requestVerbs = "axdBoOb"
	outputVerbs  = "clfFL"
)

// maxWidth bounds a width: more is a slip.
const maxWidth = 1000

// parseFormat reads a format that may hold the verbs given. One that does not end
// with a newline gets one, as requests and output are lines.
func parseFormat(s, verbs string) (format, error) {
	var f format
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			if i == len(s) {
				return nil, fmt.Errorf(`lone \ at the end of %q`, s)
			}
			c := strings.IndexByte(`tn\`, s[i])
			if c < 0 {
				return nil, fmt.Errorf(`unknown escape \%c in %q: there are \t, \n and \\`, s[i], s)
			}
			text.WriteByte("\t\n\\"[c])
		case '%':
			p, size, err := parseVerb(s[i+1:], verbs)
			if err != nil {
				return nil, fmt.Errorf("%w in %q", err, s)
			}
			i += size
			if p.verb == '%' {
				text.WriteByte('%')
				continue
			}
			if text.Len() > 0 {
				f = append(f, piece{text: text.String()})
				text.Reset()
			}
			f = append(f, p)
		default:
			text.WriteByte(s[i])
		}
	}
	if !strings.HasSuffix(text.String(), "\n") {
		text.WriteByte('\n')
	}
	return append(f, piece{text: text.String()}), nil
}

// parseVerb reads what follows a percent sign, and says how long it is.
func parseVerb(s, verbs string) (p piece, size int, err error) {
	for size < len(s) && (s[size] == '-' || s[size] == '0') {
		p.left = p.left || s[size] == '-'
		p.zeros = p.zeros || s[size] == '0'
		size++
	}
	digits := size
	for size < len(s) && s[size] >= '0' && s[size] <= '9' {
		size++
	}
	if digits < size {
		if p.width, err = strconv.Atoi(s[digits:size]); err != nil || p.width > maxWidth {
			return p, 0, fmt.Errorf("width %s is more than %d", s[digits:size], maxWidth)
		}
	}
	verb, length := utf8.DecodeRuneInString(s[size:])
	switch {
	case length == 0:
		return p, 0, fmt.Errorf("lone %%")
	case verb == '%', strings.ContainsRune(verbs, verb):
		p.verb = verb
		return p, size + length, nil
	case strings.ContainsRune(outputVerbs, verb):
		return p, 0, fmt.Errorf("%%%c, which is only known from the answer,", verb)
	}
	return p, 0, fmt.Errorf("unknown verb %%%c", verb)
}

// uses reports whether one of the verbs stands in the format.
func (f format) uses(verbs string) bool {
	for _, p := range f {
		if p.verb != 0 && strings.ContainsRune(verbs, p.verb) {
			return true
		}
	}
	return false
}

// A spot is what the verbs stand for: an address, and what was found out about it.
type spot struct {
	count   uint64
	object  string // path, or a name such as [vdso]; ? for an address in no known object
	buildID string // "" if it has none
	vaddr   uint64
	bias    uint64 // run-time address minus vaddr

	label    string
	function string // "" unknown
	file     string // "" unknown
	line     int    // 0 unknown
}

// append appends the text that the format makes of a spot.
func (f format) append(b []byte, s *spot) []byte {
	for _, p := range f {
		if p.verb == 0 {
			b = append(b, p.text...)
			continue
		}
		value := s.value(p.verb)
		fill := p.width - utf8.RuneCountInString(value)
		switch {
		case fill <= 0:
			b = append(b, value...)
		case p.left:
			b = append(b, value...)
			b = append(b, strings.Repeat(" ", fill)...)
		case p.zeros:
			b = append(b, strings.Repeat("0", fill)...)
			b = append(b, value...)
		default:
			b = append(b, strings.Repeat(" ", fill)...)
			b = append(b, value...)
		}
	}
	return b
}

// unknown stands for what the translator did not tell.
const unknown = "?"

func (s *spot) value(verb rune) string {
	orUnknown := func(text string) string {
		if text == "" {
			return unknown
		}
		return text
	}
	switch verb {
	case 'a':
		return "0x" + strconv.FormatUint(s.vaddr, 16)
	case 'x':
		return strconv.FormatUint(s.vaddr, 16)
	case 'd':
		return strconv.FormatUint(s.vaddr, 10)
	case 'B':
		return "0x" + strconv.FormatUint(s.vaddr+s.bias, 16)
	case 'o':
		return s.object
	case 'O':
		return filepath.Base(s.object)
	case 'b':
		return s.buildID
	case 'c':
		return strconv.FormatUint(s.count, 10)
	case 'l':
		return s.label
	case 'f':
		return orUnknown(s.function)
	case 'F':
		return orUnknown(s.file)
	case 'L':
		if s.line > 0 {
			return strconv.Itoa(s.line)
		}
		return unknown
	}
	panic("verb without a value: " + string(verb))
}
