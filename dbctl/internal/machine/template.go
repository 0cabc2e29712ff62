package machine

import (
	"errors"
	"strings"
)

// A template is text with variables in it: $name, ${name}, ${name[key]}, $0 to $9; $$ is
// a dollar. A dollar before anything else stands for itself.
type template struct {
	parts []part // nil: the text is constant
	text  string // the constant text
	bad   bool   // a ${ begins no variable
}

// A part is a literal followed by a variable; its name is empty in a last part that
// is only a literal.
type part struct {
	literal string
	of      reference
}

// A reference is a variable, of one with keys that for a key.
type reference struct {
	name string
	key  *template // nil: it has none
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
		of, n := variable(s[i:], 0)
		switch {
		case n == 0: // a dollar that begins nothing
			lit.WriteByte('$')
			i++
			t.bad = t.bad || strings.HasPrefix(s[i:], "{")
		case of.name == "$":
			lit.WriteByte('$')
			i += n
		default:
			t.parts = append(t.parts, part{lit.String(), of})
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

// mostNested bounds how deep keys are in keys.
const mostNested = 10

// variable reads the reference at the start of s, which begins with a dollar, in so many keys.
// It returns the variable (named "$" for a doubled dollar) and the length of
// the reference, 0 if it is none.
func variable(s string, depth int) (of reference, n int) {
	if len(s) < 2 {
		return reference{}, 0
	}
	switch c := s[1]; {
	case c == '$':
		return reference{name: "$"}, 2
	case '0' <= c && c <= '9':
		return reference{name: s[1:2]}, 2
	case c == '{':
		return braced(s, depth)
	default:
		k := variableLength(s[1:])
		if k == 0 {
			return reference{}, 0
		}
		return reference{name: s[1 : 1+k]}, 1 + k
	}
}

// braced is variable for what begins with ${.
func braced(s string, depth int) (of reference, n int) {
	const open = len("${")
	if k := nameLength(s[open:]); k > 0 && strings.HasPrefix(s[open+k:], "[") && depth < mostNested {
		begin := open + k + 1
		length := keyLength(s[begin:], depth+1)
		if length == 0 {
			return reference{}, 0
		}
		key := parseTemplate(s[begin : begin+length])
		return reference{s[open : open+k], &key}, begin + length + len("]}")
	}
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return reference{}, 0
	}
	inner := s[open:end]
	if k := variableLength(inner); len(inner) == 1 && '0' <= inner[0] && inner[0] <= '9' || k > 0 && k == len(inner) {
		return reference{name: inner}, end + 1
	}
	return reference{}, 0
}

// keyLength is the length of a key that ]} follows; 0: none does.
func keyLength(s string, depth int) int {
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], "]}") {
			return i
		}
		if s[i] != '$' {
			continue
		}
		_, n := variable(s[i:], depth)
		if n == 0 && strings.HasPrefix(s[i:], "${") {
			return 0
		}
		i += max(0, n-1)
	}
	return 0
}

// known is the name of a variable as a checker knows it.
func (r reference) known() string {
	if r.key != nil {
		return r.name + keyedSuffix
	}
	return r.name
}

// What the names of variables begin with that each thread has for itself, and those of the fields and of the
// arguments of the event that was matched last.
const (
	perThread  = "t."
	ofEvent    = "e."
	ofArgument = "a."
)

// variableLength is the length of the variable's name at the start of s, 0 if there is none.
func variableLength(s string) int {
	if number, ok := strings.CutPrefix(s, ofArgument); ok {
		if digits := len(number) - len(strings.TrimLeft(number, "0123456789")); digits > 0 {
			return len(ofArgument) + digits
		}
	}
	for _, prefix := range [...]string{perThread, ofEvent, ofArgument} {
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

// OfEvent reports whether a variable is a field or an argument of the event, which nothing sets.
func OfEvent(name string) bool {
	return strings.HasPrefix(name, ofEvent) || strings.HasPrefix(name, ofArgument)
}

// names lists the variables that the template mentions, repetitions included, also those in keys.
func (t *template) names() []string {
	var out []string
	for _, p := range t.parts {
		if p.of.name == "" {
			continue
		}
		out = append(out, p.of.known())
		if p.of.key != nil {
			out = append(out, p.of.key.names()...)
		}
	}
	return out
}

// Mentions returns the variables that a template mentions, name[] for one with keys. The error is about a
// ${ that begins no variable; the template is usable nevertheless, with that part
// standing for itself.
func Mentions(s string) ([]string, error) {
	t := parseTemplate(s)
	if t.bad {
		return t.names(), errors.New("${ does not begin a variable")
	}
	return t.names(), nil
}
