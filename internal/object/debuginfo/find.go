package debuginfo

import (
	"bytes"
	"debug/dwarf"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/profilecollection/pct/internal/funcname"
)

// Named yields the entries outside of functions that have a name in the source, unit by unit in the
// order of the data; of an enumerator that needs no name around it, its enumeration. The name is
// qualified by what is around it, from the outermost: a namespace, a type, a module. Namespaces without
// a name, and inline ones, need not be named. All units are looked through for a name once.
func (d *Data) Named(path ...string) iter.Seq[Entry] {
	return d.named.of(everywhere, path, func() []Entry { return d.find(path) })
}

// A nameIndex has the entries of the names that were looked for; any goroutine may.
type nameIndex struct {
	mu      sync.Mutex
	entries map[lookedFor][]Entry
}

// lookedFor is a qualified name, and the offset of the entry in which it was looked for.
type lookedFor struct {
	in   uint64
	name string
}

const everywhere = ^uint64(0)

// of yields the entries of a name, which find looks for once.
func (x *nameIndex) of(in uint64, path []string, find func() []Entry) iter.Seq[Entry] {
	key := lookedFor{in, strings.Join(path, "::")}
	x.mu.Lock()
	found, known := x.entries[key]
	x.mu.Unlock()
	if !known {
		found = find()
		x.mu.Lock()
		if x.entries == nil {
			x.entries = make(map[lookedFor][]Entry)
		}
		x.entries[key] = found
		x.mu.Unlock()
	}
	return slices.Values(found)
}

func (d *Data) find(path []string) []Entry {
	if d.lacks(path[len(path)-1]) {
		return nil
	}
	s := newSeeker(path)
	split := map[*Data]bool{}
	for unit := range d.Units() {
		if s.mentions(unit) {
			s.within(unit, 0)
		}
		if unit.d != d && !split[unit.d] {
			split[unit.d] = true
			s.inTypes(unit.d)
		}
	}
	s.inTypes(d)
	return s.found
}

// lacks reports whether a name is nowhere in the data. Of what was split off from the object that is not
// known.
func (d *Data) lacks(name string) bool {
	if slices.ContainsFunc(d.units, func(u *unit) bool { return u.dwoName.ok() }) {
		return false
	}
	text := []byte(name + "\x00")
	if template, _, ok := strings.Cut(name, "<"); ok {
		text = []byte(template + "<")
	}
	for _, in := range []*Data{d, d.sup} {
		if in == nil {
			continue
		}
		for _, section := range [][]byte{in.s.Str, in.s.LineStr, in.s.Types} {
			if bytes.Contains(section, text) {
				return false
			}
		}
		if in.bytes.contains(in.s.Info, in.s.Info, text) {
			return false
		}
	}
	return true
}

// NamedIn is Named, directly within one entry.
func (e Entry) NamedIn(path ...string) iter.Seq[Entry] {
	if e.d == nil {
		return func(func(Entry) bool) {}
	}
	return e.d.named.of(e.off, path, func() []Entry {
		s := newSeeker(path)
		s.within(e, 0)
		return s.found
	})
}

// A seeker looks for entries by their qualified name.
type seeker struct {
	words []*word
	found []Entry
}

func newSeeker(path []string) *seeker {
	s := &seeker{words: make([]*word, len(path))}
	for i, name := range path {
		s.words[i] = newWord(Canonical(name), false)
	}
	return s
}

// inTypes looks in the type units.
func (s *seeker) inTypes(d *Data) {
	if d.types == nil {
		return
	}
	for _, unit := range d.types.all().roots {
		s.within(unit, 0)
	}
}

// within looks for the words from the given one on among the children of e.
func (s *seeker) within(e Entry, from int) {
	last := len(s.words) - 1
	for c := range e.Children() {
		a, name, open, completes := c.head()
		if completes && e.off == e.u.first {
			// It completes what is declared elsewhere, whose place decides how it is named.
			s.completes(c, a)
			continue
		}
		matches := s.words[from].is(c, name)
		if matches && from == last {
			s.found = append(s.found, c)
			continue
		}
		if !a.children {
			continue
		}
		switch a.tag {
		case dwarf.TagNamespace:
			// The members of a namespace that need not be named are as those around it.
			if open || !name.ok() {
				s.within(c, from)
			}
		case dwarf.TagEnumerationType:
			// Its enumerators need not be named by it, where it is no class: it stands for them.
			if from == last && s.enumerates(c) {
				s.found = append(s.found, c)
			}
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagModule:
		default:
			continue
		}
		if matches {
			s.within(c, from+1)
		}
	}
}

// completes looks at an entry that completes a declaration, and within it.
func (s *seeker) completes(c Entry, a *abbrev) {
	enumerates := a.tag == dwarf.TagEnumerationType && s.enumerates(c)
	name := c.Name()
	if !enumerates && !slices.ContainsFunc(s.words, func(w *word) bool { return w.name == name }) {
		return
	}
	path := c.Path()
	n := len(path)
	same := func(n int) bool {
		return n <= len(s.words) && slices.EqualFunc(path[:n], s.words[:n], func(p string, w *word) bool { return p == w.name })
	}
	switch {
	case n == 0:
	case n == len(s.words) && (same(n) || enumerates && same(n-1)):
		s.found = append(s.found, c)
	case same(n) && a.tag != dwarf.TagSubprogram:
		s.within(c, n)
	}
}

// enumerates reports whether the last word is an enumerator of e that can be named alone.
func (s *seeker) enumerates(e Entry) bool {
	if e.Flag(AttrEnumClass) {
		return false
	}
	for c := range e.Children() {
		if _, name, _, _ := c.head(); s.words[len(s.words)-1].is(c, name) {
			return true
		}
	}
	return false
}

// AttrEnumClass is set of an enumeration whose enumerators are named by it.
const AttrEnumClass dwarf.Attr = 0x6d

// head reads what decides whether an entry is looked into: its abbreviation, its name, whether its
// members count as those of what is around, and whether it completes a declaration.
func (e Entry) head() (a *abbrev, name value, open, completes bool) {
	c := at(e.d.s.Info[:e.u.end], e.off)
	a, ok := e.d.table(e.u).get(c.uleb())
	if !ok {
		return &abbrev{}, value{}, false, false
	}
	for i := range a.attrs {
		v := e.u.read(&c, a.attrs[i].form, a.attrs[i].implicit)
		switch a.attrs[i].attr {
		case dwarf.AttrName:
			name = v
		case dwarf.AttrExportSymbols:
			open = true
		case dwarf.AttrSpecification:
			completes = true
		}
	}
	return a, name, open, completes
}

// A word is a name that is looked for in many entries. Most of them refer to a table of strings: the
// places in it where the word stands are looked for once, then no string is compared.
type word struct {
	name   string
	text   []byte                    // as it stands in data
	begins bool                      // arguments of a template may follow, or parameters
	at     map[*byte]map[uint64]bool // by the first byte of the table
}

// newWord is a whole name, or what it begins with.
func newWord(name string, begins bool) *word {
	text := name
	if !begins {
		text += "\x00"
	}
	return &word{name: name, text: []byte(text), begins: begins, at: make(map[*byte]map[uint64]bool)}
}

func (w *word) is(e Entry, v value) bool {
	if template, _, ok := strings.Cut(w.name, "<"); ok {
		// Compilers spell the arguments of templates in several ways.
		name := e.d.str(e.u, v)
		return strings.HasPrefix(name, template+"<") && Canonical(name) == w.name
	}
	switch v.form {
	case formStrp:
		return w.places(e.d.s.Str)[v.u]
	case formString:
		rest, found := bytes.CutPrefix(e.d.s.Info[v.u:], []byte(w.name))
		return found && len(rest) > 0 && rest[0] == 0
	case 0:
		return false
	}
	return e.d.str(e.u, v) == w.name
}

// isFunction reports whether the text at the beginning of some bytes is a function that the word may mean: the word
// alone, or with arguments of a template or parameters.
func (w *word) isFunction(at []byte) bool {
	if after := at[len(w.text):]; len(after) == 0 || inWord(after[0]) {
		return false
	}
	end := bytes.IndexByte(at, 0)
	if end < 0 {
		return false
	}
	name := string(at[:end])
	return funcname.Plain(name) == w.name || strings.Contains(name, "operator")
}

// inWord reports whether a byte is one of words, which may be in UTF-8.
func inWord(b byte) bool {
	return b >= 0x80 || b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

func (w *word) places(table []byte) map[uint64]bool {
	if len(table) == 0 {
		return nil
	}
	known, ok := w.at[&table[0]]
	if ok {
		return known
	}
	known = make(map[uint64]bool)
	for from := 0; ; {
		i := bytes.Index(table[from:], w.text)
		if i < 0 {
			break
		}
		from += i
		if !w.begins || w.isFunction(table[from:]) {
			known[uint64(from)] = true
		}
		from++
	}
	w.at[&table[0]] = known
	return known
}

// Path is the qualified name of an entry, for Named: from the outermost namespace or type. It is nil
// where something around it has no name, or is a function.
func (e Entry) Path() []string {
	name := e.Name()
	around, ok := e.around("")
	if name == "" || !ok {
		return nil
	}
	return append(around, name)
}

// Around is what the names within the namespaces and types around an entry begin with in C++:
// "ns::C::"; "" where there are none.
func (e Entry) Around() string {
	around, _ := e.around("(anonymous namespace)")
	if len(around) == 0 {
		return ""
	}
	return strings.Join(around, "::") + "::"
}

// around are the names of what is around an entry, outermost first; namespaces without a name are left
// out if unnamed is "". It is false where a function is around, or a type without a name.
func (e Entry) around(unnamed string) ([]string, bool) { return e.aroundWithin(unnamed, maxHops) }

// aroundWithin is around, as far as so many entries that complete others tell.
func (e Entry) aroundWithin(unnamed string, hops int) ([]string, bool) {
	if e.d == nil || hops == 0 {
		return nil, false
	}
	for range maxHops {
		// What completes a declaration is where that is.
		v := e.own(dwarf.AttrSpecification)
		if !v.ok() {
			break
		}
		if e = e.follow(v); e.d == nil {
			return nil, false
		}
	}
	var path []string
	t := e.d.walk(e.u)
	i, _ := t.container(e.off)
	for ; i >= 0; i = int(t.containers[i].parent) {
		in := Entry{e.d, e.u, t.containers[i].off}
		name := in.Name()
		switch {
		case t.containers[i].tag == dwarf.TagSubprogram:
			return nil, false
		case name == "" && t.containers[i].tag == dwarf.TagNamespace:
			name = unnamed
		case name == "":
			return nil, false
		}
		if name != "" {
			path = append(path, name)
		}
		// A class in a type unit completes its declaration in a namespace.
		if in.own(dwarf.AttrSpecification).ok() {
			outer, ok := in.aroundWithin(unnamed, hops-1)
			slices.Reverse(path)
			return append(outer, path...), ok
		}
	}
	slices.Reverse(path)
	return path, true
}
