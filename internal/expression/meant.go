package expression

import (
	"regexp"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// A Meant is a regular expression by whose whole match functions are meant: of the name of a symbol, or in the source,
// without arguments of templates too. All names of a large program take long to read: if it is a name, what cannot be
// meant is told by a part of that.
type Meant struct {
	match func(name string) bool
	name  string // "" if it is a pattern
	last  string // behind what is around it, if it is a plain word
}

// NewMeant is the functions of a name or pattern.
func NewMeant(function string) (Meant, error) {
	pattern, err := regexp.Compile("^(?:" + function + ")$")
	if err != nil {
		return Meant{}, err
	}
	m := Meant{match: pattern.MatchString}
	if name, whole := regexp.MustCompile(function).LiteralPrefix(); whole && name != "" {
		m.name, m.match = name, func(n string) bool { return n == name }
		if m.last = funcname.Plain(name); strings.Contains(m.last, "::") {
			m.last = m.last[strings.LastIndex(m.last, "::")+2:]
		}
		if !plainWord.MatchString(m.last) {
			m.last = ""
		}
	}
	return m, nil
}

// Named reports whether the functions are meant by a name, not by a pattern.
func (m Meant) Named() bool { return m.name != "" }

var plainWord = regexp.MustCompile(`^~?[A-Za-z_]\w*$`)

// entry reports whether a function is meant.
func (m Meant) entry(f debuginfo.Entry) bool {
	return m.perhaps(f) && slices.ContainsFunc(functionNames(f), m.match)
}

// perhaps reports whether a function may be meant, by its own name.
func (m Meant) perhaps(f debuginfo.Entry) bool {
	name := f.Name()
	return m.last == "" || name == "" || f.Language() == debuginfo.Ada || // whose packages are in names
		strings.HasPrefix(name, m.last) || m.name != "" && f.Linkage() == m.name
}

// PerhapsSymbol reports whether the function of a symbol may be meant, without reading what the symbol stands for.
func (m Meant) PerhapsSymbol(symbol string) bool {
	return m.last == "" || abbreviated[m.last] || strings.Contains(symbol, strings.TrimPrefix(m.last, "~"))
}

// Symbol reports whether the function of a symbol is meant.
func (m Meant) Symbol(symbol string) bool {
	return m.PerhapsSymbol(symbol) && slices.ContainsFunc(plainToo([]string{symbol, funcname.Demangle(symbol)}), m.match)
}

// abbreviated are the names of classes, and so of their constructors, that are not written out in symbols.
var abbreviated = map[string]bool{
	"allocator": true, "basic_string": true, "string": true, "basic_istream": true, "istream": true,
	"basic_ostream": true, "ostream": true, "basic_iostream": true, "iostream": true,
	"~allocator": true, "~basic_string": true, "~string": true, "~basic_istream": true, "~istream": true,
	"~basic_ostream": true, "~ostream": true, "~basic_iostream": true, "~iostream": true,
}
