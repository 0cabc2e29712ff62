package expression

import (
	"debug/dwarf"
	"slices"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// functionValue is the place of a function's address with the type by which it is shown.
func (c *compiler) functionValue(p place) (place, error) {
	name := "void ()" // what the program counter leads to
	if c.cxx() {
		name = "void (void)"
	}
	if e, ok := c.types.functions[p.typ]; ok {
		name = spellType(e, "", 0)
	}
	if name == "" {
		return place{}, refusef("a function whose type is not understood")
	}
	// There is none where nothing can be read.
	readable := []plan.Instr{{Op: plan.Dup}, {Op: plan.Load, Size: 1}, {Op: plan.Drop}}
	return place{typ: &value.Type{Kind: value.Function, Name: name, Size: 8}, word: join(p.addr, readable)}, nil
}

// memberPointer makes t a pointer to a member, whose enumerators are the members that it may lead to.
func (ts *types) memberPointer(t *value.Type, e debuginfo.Entry) {
	of, class := e.Ref(dwarf.AttrType), untypedef(e.Ref(dwarf.AttrContainingType))
	if class.Has(dwarf.AttrDeclaration) {
		class = ts.definition(class) // none: members have no names
	}
	if !of.OK() {
		*t = *refused("a pointer to a member of an unknown type")
		return
	}
	t.Kind, t.Size = value.MemberPointer, 8
	if of.Tag() != dwarf.TagSubroutineType {
		if class.OK() {
			t.Complete = func(t *value.Type) { ts.dataMembers(t, ts.of(class), 0, 0) }
		}
		return
	}
	t.Size = 16
	if t.Name = spellType(e, "", 0); t.Name == "" {
		*t = *refused("a pointer to a member function whose type is not understood")
		return
	}
	t.Complete = func(t *value.Type) { ts.virtualMembers(t, class, 0, 0) }
}

// dataMembers adds the members of a class, which is at an offset of the whole.
func (ts *types) dataMembers(t, class *value.Type, at uint64, depth int) {
	class.Whole()
	for own := range 2 { // those of base classes come last
		for i := range class.Fields {
			switch f := &class.Fields[i]; {
			case f.Static || f.Virtual || f.Base != (own == 1):
			case !f.Base && f.BitSize == 0:
				addMember(t, "&"+class.Name+"::"+f.Name, int64(at+f.Offset))
			case f.Base && depth < mostNested:
				ts.dataMembers(t, f.Type, at+f.Offset, depth+1)
			}
		}
	}
}

// virtualMembers adds the virtual functions of a class, which is at an offset of the whole.
func (ts *types) virtualMembers(t *value.Type, class debuginfo.Entry, at uint64, depth int) {
	for own := range 2 {
		for c := range class.Children() {
			switch tag := c.Tag(); {
			case tag == dwarf.TagSubprogram && own == 0:
				if expr := c.Block(dwarf.AttrVtableElemLoc); len(expr) > 1 && expr[0] == dwConstu {
					addMember(t, "&virtual "+funcname.Pointee(c.Linkage(), 0), value.VirtualMember(int64(at), uleb(expr[1:])))
				}
			case tag == dwarf.TagInheritance && own == 1 && depth < mostNested:
				v, _, _ := c.Const(dwarf.AttrVirtuality)
				off, _, known := c.Const(dwarf.AttrDataMemberLoc)
				if v == 0 && known {
					ts.virtualMembers(t, untypedef(c.Ref(dwarf.AttrType)), at+off, depth+1)
				}
			}
		}
	}
}

// addMember adds an enumerator, unless there is one of the same value.
func addMember(t *value.Type, name string, v int64) {
	if !slices.ContainsFunc(t.Enums, func(e value.Enumerator) bool { return e.Value == v }) {
		t.Enums = append(t.Enums, value.Enumerator{Name: name, Value: v})
	}
}
