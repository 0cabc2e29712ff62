package expression

import (
	"regexp"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// A Meant is a name by which functions are meant: that of a symbol, or in the source, without arguments of templates too.
// All names of a large program take long to read: what cannot be meant is told by a part of them.
type Meant struct {
	name string
	last string // behind what is around it, if it is a plain word
}

// NewMeant is the functions of a name.
func NewMeant(name string) Meant {
	last := funcname.Plain(name)
	if i := strings.LastIndex(last, "::"); i >= 0 {
		last = last[i+2:]
	}
	if !word.MatchString(last) {
		last = ""
	}
	return Meant{name, last}
}

var word = regexp.MustCompile(`^~?[A-Za-z_]\w*$`)

// entry reports whether a function is meant.
func (m Meant) entry(f debuginfo.Entry) bool {
	return m.perhaps(f) && slices.Contains(functionNames(f), m.name)
}

// perhaps reports whether a function may be meant, by its own name.
func (m Meant) perhaps(f debuginfo.Entry) bool {
	name := f.Name()
	return m.last == "" || name == "" || strings.HasPrefix(name, m.last) || f.Linkage() == m.name
}

// Symbol reports whether the function of a symbol is meant.
func (m Meant) Symbol(symbol string) bool {
	if m.last != "" && !abbreviated[m.last] && !strings.Contains(symbol, strings.TrimPrefix(m.last, "~")) {
		return false
	}
	return slices.Contains(plainToo([]string{symbol, funcname.Demangle(symbol)}), m.name)
}

// abbreviated are the names of classes, and so of their constructors, that are not written out in symbols.
var abbreviated = map[string]bool{
	"allocator": true, "basic_string": true, "string": true, "basic_istream": true, "istream": true,
	"basic_ostream": true, "ostream": true, "basic_iostream": true, "iostream": true,
	"~allocator": true, "~basic_string": true, "~string": true, "~basic_istream": true, "~istream": true,
	"~basic_ostream": true, "~ostream": true, "~basic_iostream": true, "~iostream": true,
}
