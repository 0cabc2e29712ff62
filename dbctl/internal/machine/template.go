package machine

import (
	"errors"
	"strings"
)

// A template is text with variables in it: $name, ${name}, $0 to $9; $$ is a
// dollar. A dollar before anything else stands for itself.
type template struct {
	parts []part // nil: the text is constant
	text  string // the constant text
	bad   bool   // a ${ begins no variable
}

// A part is a literal followed by a variable; name is empty in a last part that
// is only a literal.
type part struct {
	literal string
	name    string
}

func parseTemplate(s string) template {
	var t template
	var lit strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '$' {
			n := strings.IndexByte(s[i:], '$')
			if n < 0 {
				n = len(s) - i
			}
			lit.WriteString(s[i : i+n])
			i += n
			continue
		}
		name, n := variable(s[i:])
		switch {
		case n == 0: // a dollar that begins nothing
			lit.WriteByte('$')
			i++
			t.bad = t.bad || strings.HasPrefix(s[i:], "{")
		case name == "$":
			lit.WriteByte('$')
			i += n
		default:
			t.parts = append(t.parts, part{lit.String(), name})
			lit.Reset()
			i += n
		}
	}
	if t.parts == nil {
		t.text = lit.String()
	} else if lit.Len() > 0 {
		t.parts = append(t.parts, part{literal: lit.String()})
	}
	return t
}

// variable reads the reference at the start of s, which begins with a dollar.
// It returns the variable's name ("$" for a doubled dollar) and the length of
// the reference, 0 if it is none.
func variable(s string) (name string, n int) {
	if len(s) < 2 {
		return "", 0
	}
	switch c := s[1]; {
	case c == '$':
		return "$", 2
	case '0' <= c && c <= '9':
		return s[1:2], 2
	case c == '{':
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return "", 0
		}
		inner := s[2:end]
		if len(inner) == 1 && '0' <= inner[0] && inner[0] <= '9' {
			return inner, end + 1
		}
		if k := variableLength(inner); k == 0 || k < len(inner) {
			return "", 0
		}
		return inner, end + 1
	default:
		k := variableLength(s[1:])
		if k == 0 {
			return "", 0
		}
		return s[1 : 1+k], 1 + k
	}
}

// What the names of variables begin with that each thread has for itself, and those of the fields of
// the event that was matched last.
const (
	perThread = "t."
	ofEvent   = "e."
)

// variableLength is the length of the variable's name at the start of s, 0 if there is none.
func variableLength(s string) int {
	for _, prefix := range [...]string{perThread, ofEvent} {
		if own, ok := strings.CutPrefix(s, prefix); ok && nameLength(own) > 0 {
			return len(prefix) + nameLength(own)
		}
	}
	return nameLength(s)
}

// nameLength is the length of the name at the start of s, 0 if there is none.
func nameLength(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}

// OfEvent reports whether a variable is a field of the event, which nothing sets.
func OfEvent(name string) bool { return strings.HasPrefix(name, ofEvent) }

// names lists the variables that the template mentions, repetitions included.
func (t *template) names() []string {
	var out []string
	for _, p := range t.parts {
		if p.name != "" {
			out = append(out, p.name)
		}
	}
	return out
}

// Mentions returns the variables that a template mentions. The error is about a
// ${ that begins no variable; the template is usable nevertheless, with that part
// standing for itself.
func Mentions(s string) ([]string, error) {
	t := parseTemplate(s)
	if t.bad {
		return t.names(), errors.New("${ does not begin a variable")
	}
	return t.names(), nil
}
