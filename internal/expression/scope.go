package expression

import (
	"debug/dwarf"
	"github.com/profilecollection/pct/internal/value"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// A variable is what a name in an expression means.
type variable struct {
	entry  debuginfo.Entry // its location and type; none of a member
	field  string          // the member of the object that "this" points to
	gone   bool            // the program does not keep it here
	moved  bool            // Go has it on its heap: the entry is of a pointer to it
	enum   *value.Enumerator
	typ    *value.Type // of enum
	begin  uint64      // of a function, where its code begins
	member bool        // a function of a class
}

// find looks a name up as gdb does: in the innermost block, outwards; among the members of the object of
// a member function; in the namespaces around the function; in the unit; in the program.
func (c *compiler) find(name string) (variable, error) {
	if file, rest, ok := strings.Cut(name, "'::"); ok {
		return c.inFile(strings.TrimPrefix(file, "'"), rest)
	}
	name = strings.Trim(name, "'")
	if c.dialect != nil {
		return c.findIn(name)
	}
	global := strings.HasPrefix(name, "::")
	path := pathOf(name)
	if len(path) == 1 && !global {
		if v, ok := c.local(name); ok {
			return v, nil
		}
		if c.member(name) {
			return variable{field: name}, nil
		}
	}
	var around []string
	if !global {
		around = c.namespaces()
	}
	for n := len(around); n >= 0; n-- {
		if v, ok := c.outside(append(around[:n:n], path...)); ok {
			return v, nil
		}
	}
	if !global {
		for _, in := range append(slices.Clone(c.blocks), c.unit) {
			for _, path := range imported(in, path) {
				if v, ok := c.outside(path); ok {
					return v, nil
				}
			}
		}
	}
	return variable{}, unknown(name)
}

// unknown is what gdb says of a name that it does not find.
func unknown(name string) *Refusal {
	return &Refusal{Why: "No symbol \"" + name + "\" in current context."}
}

// imported are the qualified names that a name may have by the using-declarations, using-directives and
// namespace aliases in a block or unit.
func imported(in debuginfo.Entry, path []string) [][]string {
	var all [][]string
	for e := range in.Children() {
		tag := e.Tag()
		if tag != dwarf.TagImportedDeclaration && tag != dwarf.TagImportedModule {
			continue
		}
		of := e.Ref(dwarf.AttrImport)
		target := of.Path()
		if len(target) == 0 {
			continue
		}
		if tag == dwarf.TagImportedModule {
			all = append(all, append(target, path...))
			continue
		}
		name := e.Name()
		if name == "" {
			name = of.Name()
		}
		if name == path[0] {
			all = append(all, append(target, path[1:]...))
		}
	}
	return all
}

// local looks in the blocks of the activation, innermost first.
func (c *compiler) local(name string) (variable, bool) {
	for i := len(c.blocks) - 1; i >= 0; i-- {
		if v, ok := c.inBlock(c.blocks[i], name); ok {
			return v, true
		}
		if c.dialect == nil || c.dialect.language != value.Go {
			continue
		}
		if v, ok := c.inBlock(c.blocks[i], "&"+name); ok {
			v.moved = true
			return v, true
		}
	}
	return variable{}, false
}

func (c *compiler) inBlock(block debuginfo.Entry, name string) (variable, bool) {
	kept := map[debuginfo.Entry]bool{}
	for e := range block.Children() {
		switch e.Tag() {
		case dwarf.TagVariable, dwarf.TagFormalParameter, dwarf.TagConstant:
			kept[e.Origin()] = true
			if e.Name() != name {
				continue
			}
			if e.Flag(dwarf.AttrDeclaration) && e.Flag(dwarf.AttrExternal) {
				return c.outside([]string{name})
			}
			return variable{entry: e}, true
		case dwarf.TagEnumerationType:
			if v, ok := c.enumerator(e, name); ok {
				return v, true
			}
		}
	}
	// What the compiler left out of this copy of the function is in the abstract one alone.
	for e := range block.Origin().Children() {
		switch e.Tag() {
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			if !kept[e] && e.Name() == name {
				return variable{entry: e, gone: !e.Has(dwarf.AttrLocation) && !e.Has(dwarf.AttrConstValue)}, true
			}
		}
	}
	return variable{}, false
}

func (c *compiler) enumerator(e debuginfo.Entry, name string) (variable, bool) {
	i := 0
	for n := range e.Children() {
		if n.Tag() != dwarf.TagEnumerator {
			continue
		}
		if n.Name() == name {
			if t := c.types.of(e).Whole(); i < len(t.Enums) {
				return variable{enum: &t.Enums[i], typ: t}, true
			}
		}
		i++
	}
	return variable{}, false
}

// member reports whether the object of the member function has a member of this name.
func (c *compiler) member(name string) bool {
	// Where the program does not keep "this" the name is a member still, whose value is gone.
	this, ok := c.local("this")
	if !ok {
		return false
	}
	t := c.types.typeOf(this.entry)
	if t.Kind != value.Pointer || t.Elem.Kind != value.Structure {
		return false
	}
	_, found := field(t.Elem, name)
	return found
}

// namespaces are those around the function, and its class.
func (c *compiler) namespaces() []string {
	path := c.function().Path()
	if len(path) == 0 {
		return nil
	}
	return path[:len(path)-1]
}

// outside looks for a variable outside of functions by its qualified name: in the unit first.
func (c *compiler) outside(path []string) (variable, bool) {
	if c.unit.OK() {
		for e := range c.unit.NamedIn(path...) {
			if v, ok := c.usable(e, path); ok {
				return v, true
			}
		}
	}
	for e := range c.data().Named(path...) {
		if v, ok := c.usable(e, path); ok {
			return v, true
		}
	}
	if len(path) > 1 {
		return c.staticOf(path)
	}
	return variable{}, false
}

// usable makes of an entry of that name a variable, if it is one that has a value.
func (c *compiler) usable(e debuginfo.Entry, path []string) (variable, bool) {
	switch e.Tag() {
	case dwarf.TagVariable, dwarf.TagMember, dwarf.TagConstant:
		if e.Tag() == dwarf.TagMember && !e.Flag(dwarf.AttrExternal) && !e.Flag(dwarf.AttrDeclaration) {
			return variable{}, false // of an object
		}
		has := func(e debuginfo.Entry) bool { return e.Has(dwarf.AttrLocation) || e.Has(dwarf.AttrConstValue) }
		if !has(e) && e.Flag(dwarf.AttrDeclaration) {
			if e = e.Completed(); !e.OK() {
				return variable{}, false
			}
		}
		return variable{entry: e, gone: !has(e)}, true
	case dwarf.TagSubprogram:
		if c.dialect == nil && c.ofClass(path) {
			return variable{entry: e, member: true}, true
		}
		if c.dialect == nil && !c.overloaded(path) {
			begin, ok := e.Begins()
			if !ok {
				begin, ok = c.object.begins(e)
			}
			return variable{entry: e, begin: begin}, ok
		}
	case dwarf.TagEnumerationType:
		return c.enumerator(e, path[len(path)-1])
	case dwarf.TagEnumerator:
		for o := range c.data().Named(path[:len(path)-1]...) {
			if v, ok := c.enumerator(o, path[len(path)-1]); ok {
				return v, true
			}
		}
	}
	return variable{}, false
}

// ofClass reports whether a name is that of a member of a class.
func (c *compiler) ofClass(path []string) bool {
	if len(path) == 1 {
		return false
	}
	for e := range c.data().Named(path[:len(path)-1]...) {
		if record(e.Tag()) || e.Tag() == dwarf.TagUnionType {
			return true
		}
	}
	return false
}

// overloaded reports whether there are several functions of a name.
func (c *compiler) overloaded(path []string) bool {
	linkage, several := "", false
	for e := range c.data().Named(path...) {
		if l := e.Linkage(); e.Tag() == dwarf.TagSubprogram && l != "" {
			several = several || linkage != "" && l != linkage
			linkage = l
		}
	}
	return several
}

// staticOf looks for a variable of a function that is always there.
func (c *compiler) staticOf(path []string) (variable, bool) {
	name := path[len(path)-1]
	for f := range c.data().Named(path[:len(path)-1]...) {
		if f.Tag() == dwarf.TagSubprogram {
			if v, ok := c.staticIn(f, name, 0); ok {
				return v, true
			}
		}
	}
	return variable{}, false
}

func (c *compiler) staticIn(block debuginfo.Entry, name string, depth int) (variable, bool) {
	for e := range block.Children() {
		switch e.Tag() {
		case dwarf.TagVariable:
			if expr := e.Block(dwarf.AttrLocation); e.Name() == name && len(expr) > 0 && (expr[0] == dwAddr || expr[0] == dwAddrx) {
				return variable{entry: e}, true
			}
		case dwarf.TagLexDwarfBlock:
			if depth < mostNested {
				if v, ok := c.staticIn(e, name, depth+1); ok {
					return v, true
				}
			}
		}
	}
	return variable{}, false
}

// inFile looks among the variables of one source file.
func (c *compiler) inFile(file, name string) (variable, error) {
	for u := range c.data().Units() {
		if of := u.Name(); of != file && filepath.Base(of) != file && !strings.HasSuffix(of, "/"+file) {
			continue
		}
		path := pathOf(name)
		for e := range u.NamedIn(path...) {
			if v, ok := c.usable(e, path); ok {
				return v, nil
			}
		}
	}
	return variable{}, &Refusal{Why: "No symbol \"" + name + "\" in specified context."}
}

// isType reports whether a name in an expression is that of a type, not of a variable.
func (c *compiler) isType(name string) bool {
	path := pathOf(name)
	if len(path) == 1 {
		if _, ok := c.local(name); ok || c.member(name) {
			return false
		}
	}
	return c.typeNamed(path, func(t dwarf.Tag) bool {
		// In C the names of structures, unions and enumerations alone are those of variables.
		return c.unit.Language() != debuginfo.C || t == dwarf.TagTypedef || t == dwarf.TagBaseType
	}) != nil
}

// typeNamed finds a type by its qualified name, from the function outwards; nil if there is none.
func (c *compiler) typeNamed(path []string, kind func(dwarf.Tag) bool) *value.Type {
	if len(path) == 1 {
		for i := len(c.blocks) - 1; i >= 0; i-- {
			for e := range c.blocks[i].Children() {
				if aType(e.Tag()) && kind(e.Tag()) && e.Name() == path[0] {
					return c.types.of(e)
				}
			}
		}
	}
	around := c.namespaces()
	for n := len(around); n >= 0; n-- {
		full := append(around[:n:n], path...)
		for e := range c.unit.NamedIn(full...) {
			if aType(e.Tag()) && kind(e.Tag()) && debuginfo.Canonical(e.Name()) == debuginfo.Canonical(path[len(path)-1]) {
				// Of one that is only declared gdb does not know the name.
				if t := c.types.of(e); !e.Has(dwarf.AttrDeclaration) || t.Whole().Kind != value.Incomplete {
					return t
				}
			}
		}
		for e := range c.data().Named(full...) {
			if aType(e.Tag()) && kind(e.Tag()) && debuginfo.Canonical(e.Name()) == debuginfo.Canonical(path[len(path)-1]) && !e.Has(dwarf.AttrDeclaration) {
				return c.types.of(e)
			}
		}
	}
	return nil
}

func aType(t dwarf.Tag) bool {
	switch t {
	case dwarf.TagBaseType, dwarf.TagTypedef, dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType:
		return true
	}
	return false
}
