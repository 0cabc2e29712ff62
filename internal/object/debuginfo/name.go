package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
)

// maxHops bounds how far a name is followed from entry to entry.
const maxHops = 16

const attrMIPSLinkageName dwarf.Attr = 0x2007

// name returns the name of a scope, whose entry is e.
func (t *tree) name(scope int32, e Entry) string {
	if known := t.names[scope].Load(); known != nil {
		return *known
	}
	name := e.function() // twice, where two want it at once
	t.names[scope].Store(&name)
	return name
}

// function returns the name of a function's entry as a reader wants it: its
// linkage name without mangling and parameters, else (and always of Fortran, whose
// compilers mangle in many ways) its own name behind those of the namespaces and
// types around its declaration; "" if it has none.
func (e Entry) function() string { return e.functionWithin(maxHops) }

// functionWithin is function of what is found in so many steps: whatever refers
// to itself gets no further.
func (e Entry) functionWithin(hops int) string {
	if hops == 0 {
		return ""
	}
	if name, ok := e.d.names.ofEntry(e.off); ok {
		return name
	}
	if own, linkage, next := e.read(); next.d != nil && e.d.str(e.u, own) == "" && e.d.str(e.u, linkage) == "" {
		return next.functionWithin(hops - 1) // which many entries may refer to
	}
	name, language := e.linkageName()
	if name == "" || language == Fortran {
		name = e.scopedName(hops, "")
	} else if language != Ada {
		name = e.d.names.symbols.Name(name)
	}
	if language == Ada {
		name = funcname.DemangleAda(name)
	}
	e.d.names.keep(e.off, name)
	return name
}

// linkageName returns the linkage name of a function's entry, "" if it has none,
// and the language of the unit that says it, or declares the function.
func (e Entry) linkageName() (string, Language) {
	language := OtherLanguage
	for range maxHops {
		if e.d == nil {
			break
		}
		_, linkage, next := e.read()
		language = e.u.language
		if s := e.d.str(e.u, linkage); s != "" {
			return s, language
		}
		e = next
	}
	return "", language
}

// scopedName returns the name of a function, type or namespace behind the names
// of what is around it; of what is around a member, if one is named.
func (e Entry) scopedName(hops int, member string) string {
	if hops == 0 {
		return ""
	}
	name, _, next := e.read()
	own := e.d.str(e.u, name)
	if own == "" && next.d != nil {
		return next.scopedName(hops-1, member)
	}
	t := e.d.walk(e.u)
	i, self := t.container(e.off)
	isFunction := self < 0 || t.containers[self].tag == dwarf.TagSubprogram
	if own == "" {
		switch {
		case isFunction:
			return ""
		case t.containers[self].tag == dwarf.TagNamespace:
			own = "(anonymous namespace)"
		default:
			own = e.unnamed(member)
		}
	}
	if i < 0 {
		return own
	}
	around := Entry{e.d, e.u, t.containers[i].off}
	prefix := ""
	if t.containers[i].tag != dwarf.TagSubprogram {
		prefix = around.scopedName(hops-1, own)
	} else if !isFunction || e.u.language == Fortran {
		prefix = around.functionWithin(hops - 1)
	}
	if prefix == "" {
		return own // a function directly within one of C keeps its own name
	}
	return prefix + "::" + own
}

// unnamed returns what to call a type that has no name: by the line of its
// declaration, which tells the lambdas of one function apart. The member is the
// one whose name is wanted.
func (e Entry) unnamed(member string) string {
	var line uint64
	e.each(func(attr dwarf.Attr, v value) {
		if attr == dwarf.AttrDeclLine {
			line = v.u
		}
	})
	if strings.HasPrefix(member, "operator()") {
		return fmt.Sprintf("{lambda:%d}", line)
	}
	return fmt.Sprintf("{unnamed:%d}", line)
}

// container returns the index of the container around the entry at off and its
// own, where it is one itself; -1 for none.
func (t *tree) container(off uint64) (around, self int) {
	i, found := slices.BinarySearchFunc(t.containers, off, func(c container, off uint64) int { return cmp.Compare(c.off, off) })
	if found {
		return int(t.containers[i].parent), i
	}
	for i--; i >= 0 && t.containers[i].end <= off; {
		i = int(t.containers[i].parent)
	}
	return i, -1
}

// read returns the names of an entry and the entry that completes it: its
// abstract origin or its declaration.
func (e Entry) read() (name, linkage value, next Entry) {
	var origin, declaration value
	e.each(func(attr dwarf.Attr, v value) {
		switch attr {
		case dwarf.AttrName:
			name = v
		case dwarf.AttrLinkageName, attrMIPSLinkageName:
			linkage = v
		case dwarf.AttrAbstractOrigin:
			origin = v
		case dwarf.AttrSpecification:
			declaration = v
		}
	})
	if origin.ok() {
		return name, linkage, e.follow(origin)
	}
	return name, linkage, e.follow(declaration)
}
