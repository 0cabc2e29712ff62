package expression

import (
	"debug/dwarf"
	"fmt"
	"github.com/profilecollection/pct/internal/value"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// types are those of one object, read when they are first wanted.
type types struct {
	data  *debuginfo.Data
	known map[debuginfo.Entry]*value.Type
	// outlying are the entries of members whose place is not in the structure: static ones, and virtual base
	// classes.
	outlying map[*value.Field]debuginfo.Entry
	// described are arrays whose place or bounds the program knows, with their entries.
	described map[*value.Type]debuginfo.Entry
	// functions are types of functions, with their entries.
	functions map[*value.Type]debuginfo.Entry
}

// mostHops bounds how far typedefs and qualifiers are followed.
const mostHops = 64

// of reads the type that the entry is; void is none.
func (ts *types) of(e debuginfo.Entry) *value.Type { return ts.read(e, 0) }

// typeOf reads the type of what the entry is: a variable, a member.
func (ts *types) typeOf(e debuginfo.Entry) *value.Type { return ts.readOf(e, 0) }

func (ts *types) readOf(e debuginfo.Entry, hops int) *value.Type {
	if e.Lacks(dwarf.AttrType) {
		return refused("a type that the debug data lack")
	}
	return ts.read(e.Ref(dwarf.AttrType), hops)
}

func (ts *types) read(e debuginfo.Entry, hops int) *value.Type {
	if !e.OK() {
		return voidType
	}
	if t := ts.known[e]; t != nil {
		return t
	}
	if hops == mostHops {
		return refused("a type that is made of itself")
	}
	if e.Has(dwarf.AttrSignature) {
		if e.Lacks(dwarf.AttrSignature) {
			return refused("a type that the debug data lack")
		}
		return ts.keep(e, ts.read(e.Ref(dwarf.AttrSignature), hops+1))
	}
	tag := e.Tag()
	switch tag {
	case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType, tagImmutable, tagPackedType:
		return ts.keep(e, ts.readOf(e, hops+1))
	case dwarf.TagTypedef:
		under := ts.readOf(e, hops+1)
		if under.Kind == value.Unknown || under.Kind == value.Function {
			return ts.keep(e, under)
		}
		t := *under
		if !under.WideText() { // as which it is shown
			t.Name = e.Name()
		}
		if d, ok := ts.described[under]; ok {
			ts.described[&t] = d
		}
		switch t.Name {
		case "wchar_t", "char16_t", "char32_t":
			if t.Kind == value.Integer {
				t.Kind, t.Wide = value.Character, true
			}
		}
		if t.Complete != nil {
			// The members are read into the type that is named, once for all names.
			t.Complete = func(t *value.Type) {
				u := under.Whole()
				t.Fields, t.Enums, t.Flags, t.Size, t.Count, t.Elem, t.Kind = u.Fields, u.Enums, u.Flags, u.Size, u.Count, u.Elem, u.Kind
			}
		}
		return ts.keep(e, &t)
	}
	t := &value.Type{Name: e.Name()}
	ts.known[e] = t // before what it is made of is read, which may refer to it
	size, _, sized := e.Const(dwarf.AttrByteSize)
	t.Size = size
	switch tag {
	case dwarf.TagBaseType:
		ts.base(t, e)
	case dwarf.TagPointerType:
		t.Kind, t.Size, t.Elem = value.Pointer, 8, ts.readOf(e, hops+1)
	case dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		t.Kind, t.Size, t.Elem = value.Reference, 8, ts.readOf(e, hops+1)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagInterfaceType:
		t.Kind, t.Union = value.Structure, tag == dwarf.TagUnionType
		switch l := e.Language(); {
		case t.Name == "":
		case l == debuginfo.CPlusPlus:
			t.Name = debuginfo.Canonical(e.Around() + t.Name)
		case l == debuginfo.Rust:
			t.Name = e.Around() + t.Name
		}
		if e.Has(dwarf.AttrDeclaration) {
			t.Size = 0
			if d := ts.definition(e); d.OK() {
				*t = *ts.read(d, hops+1)
				return t
			}
			t.Kind = value.Incomplete
			return t
		}
		switch {
		case !sized:
			t.Kind, t.Name = value.Unknown, "a type whose size varies"
			return t
		case strings.Contains(t.Name, "___") && !strings.Contains(t.Name, "___XU"):
			t.Kind, t.Name = value.Unknown, "a type encoded in its name, "+t.Name // of GNAT
			return t
		}
		t.Complete = func(t *value.Type) { ts.fields(t, e) }
	case dwarf.TagEnumerationType:
		t.Kind = value.Enumeration
		if e.Has(dwarf.AttrDeclaration) {
			if d := ts.definition(e); d.OK() {
				*t = *ts.read(d, hops+1)
				return t
			}
		}
		if t.Size == 0 {
			t.Size = ts.readOf(e, hops+1).Size
		}
		t.Complete = func(t *value.Type) { ts.enumerators(t, e) }
		t.Whole()
	case dwarf.TagArrayType:
		ts.array(t, e, hops)
	case tagStringType:
		ts.text(t, e)
	case dwarf.TagSubroutineType, dwarf.TagSubprogram:
		t.Kind, t.Size, t.Elem = value.Function, 1, ts.readOf(e, hops+1)
		ts.functions[t] = e
	case dwarf.TagUnspecifiedType:
		t.Kind = value.Void
		if t.Name == "decltype(nullptr)" {
			t.Kind, t.Size, t.Elem = value.Pointer, 8, voidType
		}
	case dwarf.TagSubrangeType:
		name := t.Name
		*t = *ts.readOf(e, hops+1)
		if name != "" {
			t.Name = name
		}
	case dwarf.TagPtrToMemberType:
		ts.memberPointer(t, e)
	default:
		t.Kind, t.Name = value.Unknown, fmt.Sprintf("a type of kind %v", tag)
	}
	return t
}

// Kinds of types that package dwarf does not name.
const (
	tagImmutable  dwarf.Tag = 0x4b
	tagPackedType dwarf.Tag = 0x2d
)

func (ts *types) keep(e debuginfo.Entry, t *value.Type) *value.Type {
	ts.known[e] = t
	return t
}

// refused is the type of what is not evaluated natively.
func refused(why string) *value.Type { return &value.Type{Kind: value.Unknown, Name: why} }

// Encodings of numbers.
const (
	encAddress      = 0x01
	encBoolean      = 0x02
	encComplex      = 0x03
	encFloat        = 0x04
	encSigned       = 0x05
	encSignedChar   = 0x06
	encUnsigned     = 0x07
	encUnsignedChar = 0x08
	encUTF          = 0x10
	encASCII        = 0x12
)

func (ts *types) base(t *value.Type, e debuginfo.Entry) {
	enc, _, _ := e.Const(dwarf.AttrEncoding)
	switch enc {
	case encBoolean:
		t.Kind = value.Boolean
	case encFloat:
		t.Kind, t.Signed = value.Float, true
	case encSigned:
		t.Kind, t.Signed = value.Integer, true
	case encUnsigned, encAddress:
		t.Kind = value.Integer
	case encSignedChar:
		t.Kind, t.Signed = value.Character, true
	case encUnsignedChar:
		t.Kind = value.Character
	case encUTF, encASCII:
		t.Kind, t.Wide = value.Character, t.Size > 1
	default:
		t.Kind, t.Name = value.Unknown, "a number of encoding "+fmt.Sprint(enc)
	}
	if l := e.Language(); t.Kind == value.Integer && t.Size == 1 && (l.CFamily() || l == debuginfo.Go) {
		t.Kind = value.Character // C and C++ have no other integer of one byte, and gdb shows Go's so
	}
	if t.Name == "wchar_t" && t.Kind == value.Integer {
		t.Kind, t.Wide = value.Character, true
	}
	if _, _, ok := e.Const(dwarf.AttrBitSize); ok {
		t.Kind, t.Name = value.Unknown, "a number of some bits of "+t.Name
	}
	if end, _, ok := e.Const(dwarf.AttrEndianity); ok && end != 0 && end != 2 {
		t.Kind, t.Name = value.Unknown, "a big-endian number"
	}
}

// definition finds the type that e only declares, by its qualified name.
func (ts *types) definition(e debuginfo.Entry) debuginfo.Entry {
	path := e.Path()
	if len(path) == 0 {
		return debuginfo.Entry{}
	}
	tag := e.Tag()
	for d := range ts.data.Named(path...) {
		if same := d.Tag(); (same == tag || record(same) && record(tag)) && !d.Has(dwarf.AttrDeclaration) {
			return d
		}
	}
	return debuginfo.Entry{}
}

// untypedef is what a typedef names in the end, as the base classes of a class are shown.
func untypedef(e debuginfo.Entry) debuginfo.Entry {
	for range mostHops {
		switch e.Tag() {
		case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType:
			e = e.Ref(dwarf.AttrType)
			continue
		}
		break
	}
	return e
}

func record(t dwarf.Tag) bool { return t == dwarf.TagStructType || t == dwarf.TagClassType }

func (ts *types) fields(t *value.Type, e debuginfo.Entry) {
	var entries []debuginfo.Entry
	defer func() {
		for i := range t.Fields {
			if f := &t.Fields[i]; f.Static || f.Virtual {
				ts.outlying[f] = entries[i]
			}
		}
	}()
	for c := range e.Children() {
		switch c.Tag() {
		case dwarf.TagMember, dwarf.TagVariable:
			f := value.Field{Name: c.Name(), Type: ts.typeOf(c)}
			// Where a member of a class has no place in it, it is a static one.
			f.Static = c.Tag() == dwarf.TagVariable || c.Flag(dwarf.AttrExternal) || c.Flag(dwarf.AttrDeclaration)
			ts.place(&f, c)
			t.Fields, entries = append(t.Fields, f), append(entries, c)
		case dwarf.TagInheritance:
			f := value.Field{Type: ts.of(untypedef(c.Ref(dwarf.AttrType))), Base: true}
			f.Name = f.Type.Name
			v, _, _ := c.Const(dwarf.AttrVirtuality)
			f.Virtual = v != 0
			ts.place(&f, c)
			t.Fields, entries = append(t.Fields, f), append(entries, c)
		case tagVariantPart:
			*t = value.Type{Kind: value.Unknown, Name: "a type with variants", Size: t.Size}
			return
		}
	}
}

const (
	tagVariantPart dwarf.Tag  = 0x33
	attrGNUVector  dwarf.Attr = 0x2107
)

// place reads where a member is.
func (ts *types) place(f *value.Field, e debuginfo.Entry) {
	if off, _, ok := e.Const(dwarf.AttrDataMemberLoc); ok {
		f.Offset = off
	} else if b := e.Block(dwarf.AttrDataMemberLoc); len(b) > 0 && !f.Virtual {
		// Before DWARF 3 an offset was an expression: plus_uconst.
		if b[0] == 0x23 {
			f.Offset = uleb(b[1:])
		} else {
			f.Type = refused("a member whose place varies")
		}
	}
	bits, _, ok := e.Const(dwarf.AttrBitSize)
	if !ok {
		return
	}
	f.BitSize = bits
	if off, _, ok := e.Const(dwarf.AttrDataBitOffset); ok {
		f.BitOffset = off
		return
	}
	// DWARF 3 counts from the highest bit of the member's storage.
	high, _, _ := e.Const(dwarf.AttrBitOffset)
	size, _, sized := e.Const(dwarf.AttrByteSize)
	if !sized {
		size = f.Type.Size
	}
	f.BitOffset = 8*f.Offset + 8*size - high - bits
}

func uleb(b []byte) uint64 {
	var v uint64
	for i, c := range b {
		if i < 10 {
			v |= uint64(c&0x7f) << (7 * i)
		}
		if c < 0x80 {
			break
		}
	}
	return v
}

func (ts *types) enumerators(t *value.Type, e debuginfo.Entry) {
	under := ts.typeOf(e)
	t.Signed = under.Signed
	flags, signed := true, false
	around := ""
	l := e.Language()
	if l == debuginfo.CPlusPlus || l == debuginfo.Rust {
		around = e.Around()
	}
	if e.Flag(debuginfo.AttrEnumClass) || l == debuginfo.Rust {
		around += e.Name() + "::"
	}
	for c := range e.Children() {
		if c.Tag() != dwarf.TagEnumerator {
			continue
		}
		bits, size, _ := c.Const(dwarf.AttrConstValue)
		v := int64(bits)
		if size < 8 {
			// The form has no sign: that of the type underneath decides.
			if t.Signed {
				shift := 64 - 8*min(uint64(size), t.Size)
				v = v << shift >> shift
			}
		}
		signed = signed || v < 0
		flags = flags && v >= 0
		name := around + c.Name()
		if l == debuginfo.Ada {
			name = name[strings.LastIndex(name, "__")+1:] // without the package
			name = strings.TrimPrefix(name, "_")
			if strings.HasPrefix(name, "Q") { // of a character: names have small letters
				*t = *refused("an enumeration with characters")
				return
			}
		}
		t.Enums = append(t.Enums, value.Enumerator{Name: name, Value: v})
	}
	if under.Kind == value.Void {
		t.Signed = signed
	}
	t.Flags = flags && len(t.Enums) > 0 && disjoint(t.Enums)
}

// disjoint reports whether the values look like flags: runs of bits, no two of which overlap.
func disjoint(enums []value.Enumerator) bool {
	var seen uint64
	for _, e := range enums {
		v := uint64(e.Value)
		if v&seen != 0 {
			return false
		}
		if v != 0 {
			low := v & -v
			if run := v/low + 1; run&(run-1) != 0 {
				return false
			}
		}
		seen |= v
	}
	return true
}

// array makes t an array, of arrays where there are several dimensions.
func (ts *types) array(t *value.Type, e debuginfo.Entry, hops int) {
	t.Kind, t.Elem = value.Array, ts.readOf(e, hops+1)
	t.Vector = e.Flag(attrGNUVector)
	var dims []value.Type
	varies := e.Has(dwarf.AttrDataLocation) || e.Has(dwarf.AttrAllocated) || e.Has(dwarf.AttrAssociated)
	for c := range e.Children() {
		switch c.Tag() {
		case dwarf.TagSubrangeType:
			d := bounds(c)
			if e.Language() == debuginfo.Ada {
				names, first := enumerated(c, d.Lower)
				if names && !first {
					*t = *refused("an array that does not begin at the first enumerator")
					return
				}
				d.Named = names
			}
			varies = varies || d.Kind == value.Unknown && d.Name != ""
			dims = append(dims, d)
		case dwarf.TagEnumerationType:
			*t = *refused("an array whose index is an enumeration")
			return
		}
	}
	if varies && dialects[e.Language()] != nil {
		t.Count, t.Size = -1, 0
		ts.described[t] = e
		return
	}
	if varies || e.Has(dwarf.AttrStride) || e.Has(dwarf.AttrStrideSize) {
		*t = *refused("an array that is described by the program")
		return
	}
	if len(dims) == 0 {
		dims = []value.Type{{Count: -1}}
	}
	if e.Language() == debuginfo.Fortran {
		slices.Reverse(dims) // the first dimension is the innermost one
	}
	elem := t.Elem
	for i := len(dims) - 1; i > 0; i-- {
		inner := &value.Type{Kind: value.Array, Elem: elem, Count: dims[i].Count, Lower: dims[i].Lower, Named: dims[i].Named}
		inner.Size = uint64(max(inner.Count, 0)) * elem.Size
		elem = inner
	}
	t.Elem, t.Count, t.Lower, t.Named = elem, dims[0].Count, dims[0].Lower, dims[0].Named
	if t.Size == 0 {
		t.Size = uint64(max(t.Count, 0)) * elem.Size
	}
}

// bounds are those of a dimension of an array.
func bounds(c debuginfo.Entry) value.Type {
	d := value.Type{Count: -1}
	lower, _, hasLower := c.Const(dwarf.AttrLowerBound)
	d.Lower = signed(int64(lower), c)
	if !hasLower && !c.Has(dwarf.AttrLowerBound) {
		d.Lower = lowest(c)
	}
	if n, _, ok := c.Const(dwarf.AttrCount); ok {
		d.Count = int64(n)
	} else if upper, _, ok := c.Const(dwarf.AttrUpperBound); ok {
		d.Count = max(signed(int64(upper), c)-d.Lower+1, 0)
	} else if c.Has(dwarf.AttrCount) || c.Has(dwarf.AttrUpperBound) || c.Has(dwarf.AttrLowerBound) && !hasLower {
		return *refused("an array of variable length")
	}
	return d
}

// enumerated reports whether the indices of a dimension are an enumeration, and the lowest one its first value.
func enumerated(dim debuginfo.Entry, lower int64) (yes, first bool) {
	t := dim.Ref(dwarf.AttrType)
	for range mostHops {
		if tag := t.Tag(); tag != dwarf.TagSubrangeType && tag != dwarf.TagTypedef {
			break
		}
		t = t.Ref(dwarf.AttrType)
	}
	if t.Tag() != dwarf.TagEnumerationType {
		enc, _, _ := t.Const(dwarf.AttrEncoding)
		return enc == encBoolean, lower == 0
	}
	for c := range t.Children() {
		v, _, _ := c.Const(dwarf.AttrConstValue)
		return true, int64(v) == lower
	}
	return true, false
}

// signed is a bound with its sign, which the type of the index has, not the form of the bound.
func signed(bound int64, of debuginfo.Entry) int64 {
	t := untypedef(of.Ref(dwarf.AttrType))
	for range mostHops {
		if t.Tag() != dwarf.TagSubrangeType {
			break
		}
		t = untypedef(t.Ref(dwarf.AttrType))
	}
	enc, _, _ := t.Const(dwarf.AttrEncoding)
	size, _, _ := t.Const(dwarf.AttrByteSize)
	if t.Tag() != dwarf.TagBaseType || enc != encSigned && enc != encSignedChar || size >= 8 || size == 0 {
		return bound
	}
	shift := 64 - 8*size
	return bound << shift >> shift
}

// lowest is the lowest index of arrays where the data do not say it.
func lowest(e debuginfo.Entry) int64 {
	switch e.Language() {
	case debuginfo.Ada, debuginfo.Fortran, debuginfo.Pascal:
		return 1
	}
	return 0
}
