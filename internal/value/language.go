package value

import (
	"fmt"
	"strings"
)

// A Language is that in whose form a value is shown.
type Language uint8

const (
	C Language = iota // and C++
	Fortran
	Ada
	Go
	Rust
	languages
)

// notation is how gdb writes values in a language.
type notation struct {
	open, close string // around members
	is          string // between the name of a member and its value
	from, to    string // around elements
	yes, no     string
	quote       byte // around texts
	longestRun  int  // of equal elements that are shown one by one
}

var notations = [languages]notation{
	C:       {"{", "}", " = ", "{", "}", "true", "false", '"', 9},
	Fortran: {"( ", " )", " = ", "(", ")", ".TRUE.", ".FALSE.", '\'', 10},
	Ada:     {"(", ")", " => ", "(", ")", "true", "false", '"', 10},
	Go:      {"{", "}", " = ", "{", "}", "true", "false", '"', 9},
	Rust:    {"{", "}", ": ", "[", "]", "true", "false", '"', 9},
}

func (p *printer) notation() *notation { return &notations[p.v.Type.Language] }

// rust writes a structure of Rust: its name, and its members, whose names are left out where they are numbers.
func (p *printer) rust(t *Type, at uint64) {
	tuple := strings.HasPrefix(t.Name, "(")
	if !tuple {
		p.out.WriteString(t.Name)
		if len(t.Fields) == 0 {
			return
		}
		if t.Name != "" {
			p.out.WriteByte(' ')
		}
	}
	numbers := tuple || t.numbered()
	open, end := "{", "}"
	if numbers {
		open, end = "(", ")"
	}
	p.out.WriteString(open)
	for i := range t.Fields {
		f := &t.Fields[i]
		if i > 0 {
			p.out.WriteString(", ")
		}
		if !numbers {
			p.out.WriteString(f.Name + ": ")
		}
		p.value(f.Type, at+f.Offset)
	}
	p.out.WriteString(end)
}

// rustCharacter is a character as Rust spells it.
func rustCharacter(v uint64) string {
	switch {
	case v == '\\' || v == '\'':
		return `'\` + string(rune(v)) + `'`
	case v == '\n':
		return `'\n'`
	case v == '\r':
		return `'\r'`
	case v == '\t':
		return `'\t'`
	case v == 0:
		return `'\0'`
	case v >= 32 && v < 127:
		return "'" + string(rune(v)) + "'"
	case v <= 255:
		return fmt.Sprintf(`'\x%02x'`, v)
	}
	return fmt.Sprintf(`'\u{%06x}'`, v)
}

// numbered reports whether the members of a structure have numbers instead of names.
func (t *Type) numbered() bool {
	for i := range t.Fields {
		if t.Fields[i].Name != fmt.Sprintf("__%d", i) {
			return false
		}
	}
	return len(t.Fields) > 0
}

// adaFloat is a number as Ada spells it, always with a point.
func adaFloat(s string) string {
	switch {
	case strings.ContainsAny(s, "."):
	case strings.HasSuffix(s, "inf"):
		return strings.Replace(s, "inf", "Inf", 1)
	case strings.Contains(s, "nan"):
		return strings.Replace(strings.TrimPrefix(s, "-"), "nan", "NaN", 1)
	case strings.Contains(s, "e"):
		return strings.Replace(s, "e", ".0e", 1)
	default:
		return s + ".0"
	}
	return s
}

// adaLowest writes the lowest index of an array of Ada, unless it is the one that is expected.
func (p *printer) adaLowest(t *Type) {
	if p.v.Type.Language == Ada && t.Lower != 1 && !t.Named {
		fmt.Fprintf(&p.out, "%d => ", t.Lower)
	}
}
