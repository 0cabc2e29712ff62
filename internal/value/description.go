package value

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A description tells all of a type that Text needs, in one string that stands alone:
//
//	byte     version
//	types    each only made of those before it; the last one is the type that is described
//
// Of a type there are
//
//	byte     kind, see kinds
//	uvarint  flags
//	string   name; like all, a uvarint length and so many bytes
//	uvarint  size
//	element  of pointers, references and arrays: uvarint number of the type, from 0
//	varint   of arrays: count, then lowest index
//	fields   of structures: uvarint number; each a string, uvarints type, offset, flags, first bit, bits
//	names    of enumerations and pointers to members: uvarint number; each a string and a varint
//	view     with its flag: uvarint form, string name, uvarint number of the elements' type plus 1, or 0
//
// What a pointer or reference leads to is described by its kind, flags, name and size, so that no type
// is made of itself. Members without a place in their structure are left out. Descriptions without views are in
// version 1, which older readers know, and version 3 is of those alone that have incomplete types, pointers to members,
// registers of flags or numbers with a fraction of other sizes than 4, 8 and 16. Version 4 is of those that have pointers
// to wide characters, whose texts follow their values.
const (
	descriptionVersion = 1
	viewVersion        = 2
	recentVersion      = 3 // with types that earlier versions do not know
	wideVersion        = 4 // with pointers that lead to texts of wide characters
)

// kinds are the numbers of kinds in descriptions.
var kinds = [...]Kind{Unknown, Void, Integer, Character, Boolean, Float, Enumeration, Pointer, Reference, Structure, Array, Function, Incomplete, MemberPointer}

// Flags of a type, and of a field.
const (
	flagSigned = 1 << iota
	flagVector
	flagUnion
	flagBits
	flagWide
	flagView
	flagRegister

	flagNamed     = 1 << 8
	languageShift = 9 // above it the language in whose form the value is shown

	flagBase    = 1
	flagVirtual = 2
	flagStatic  = 4
)

// Bounds of a description, which may come from anybody's file.
const (
	mostDescription = 1 << 18 // bytes
	mostPrinted     = 1 << 24 // bytes that Text makes of a value, with all elements of its arrays
	deepestType     = 100     // of types that are parts of others
)

var (
	errDescription = errors.New("damaged description of a type")
	errLarge       = errors.New("the type is too large to be described")
)

// Describe returns the description of the type, an error if it has too many parts or is made of itself.
func (t *Type) Describe() ([]byte, error) {
	d := describer{out: []byte{descriptionVersion}, known: map[*Type]uint64{}, same: map[string]uint64{}}
	if _, err := d.whole(t, 0); err != nil {
		return nil, err
	}
	if _, err := Described(d.out); err != nil { // what readers refuse is not written
		return nil, err
	}
	return d.out, nil
}

type describer struct {
	out   []byte
	known map[*Type]uint64  // numbers of types that were described with their parts
	same  map[string]uint64 // numbers of descriptions
}

// whole describes a type with its parts, and returns its number.
func (d *describer) whole(t *Type, depth int) (uint64, error) {
	if n, ok := d.known[t]; ok {
		return n, nil
	}
	if depth > deepestType || len(d.out) > mostDescription {
		return 0, errLarge
	}
	t.Whole()
	switch {
	case t.IsText() && t.Elem.Wide:
		d.out[0] = wideVersion
	case t.recent():
		d.out[0] = max(d.out[0], recentVersion)
	}
	b := head(t, bit(t.View != nil, flagView))
	switch t.Kind {
	case Pointer, Reference:
		b = binary.AppendUvarint(b, d.target(t.Elem))
	case Array:
		n, err := d.whole(t.Elem, depth+1)
		if err != nil {
			return 0, err
		}
		b = binary.AppendUvarint(b, n)
		b = binary.AppendVarint(b, t.Count)
		b = binary.AppendVarint(b, t.Lower)
	case Structure:
		fields, n := []byte(nil), uint64(0)
		for i := range t.Fields {
			f := &t.Fields[i]
			number, err := d.whole(f.Type, depth+1)
			if err != nil {
				return 0, err
			}
			n++
			fields = appendText(fields, f.Name)
			for _, v := range []uint64{number, f.Offset, bit(f.Base, flagBase) | bit(f.Virtual, flagVirtual) | bit(f.Static, flagStatic), f.BitOffset, f.BitSize} {
				fields = binary.AppendUvarint(fields, v)
			}
		}
		b = append(binary.AppendUvarint(b, n), fields...)
	case Enumeration, MemberPointer:
		b = binary.AppendUvarint(b, uint64(len(t.Enums)))
		for _, e := range t.Enums {
			b = binary.AppendVarint(appendText(b, e.Name), e.Value)
		}
	}
	if v := t.View; v != nil {
		elem := uint64(0)
		if v.Elem != nil {
			n, err := d.whole(v.Elem, depth+1)
			if err != nil {
				return 0, err
			}
			elem = n + 1
		}
		b = binary.AppendUvarint(appendText(binary.AppendUvarint(b, uint64(v.Kind)), v.Name), elem)
		d.out[0] = max(d.out[0], viewVersion)
	}
	n := d.add(b)
	d.known[t] = n
	return n, nil
}

// recent reports whether the type is one that early versions do not know.
func (t *Type) recent() bool {
	return t.Kind > Function || t.Bits || t.Kind == Float && t.Size != 4 && t.Size != 8 && t.Size != 16
}

// target describes what a pointer leads to, as if it had no parts.
func (d *describer) target(t *Type) uint64 {
	if t.recent() {
		return d.add(head(&Type{Kind: Unknown, Name: t.Name, Size: t.Size}, 0))
	}
	b := head(t, 0)
	switch t.Kind {
	case Pointer, Reference, Array:
		b = binary.AppendUvarint(b, d.add(head(&Type{Kind: Unknown}, 0)))
		if t.Kind == Array {
			b = binary.AppendVarint(binary.AppendVarint(b, -1), t.Lower)
		}
	case Structure, Enumeration, MemberPointer:
		b = append(b, 0)
	}
	return d.add(b)
}

// add adds the description of a type, unless there is an equal one.
func (d *describer) add(b []byte) uint64 {
	n, ok := d.same[string(b)]
	if !ok {
		n = uint64(len(d.same))
		d.same[string(b)] = n
		d.out = append(d.out, b...)
	}
	return n
}

func head(t *Type, flags uint64) []byte {
	flags |= bit(t.Signed, flagSigned) | bit(t.Vector, flagVector) | bit(t.Union, flagUnion) | bit(t.Flags, flagBits) | bit(t.Wide, flagWide) | bit(t.Bits, flagRegister) | bit(t.Named, flagNamed) | uint64(t.Language)<<languageShift
	b := binary.AppendUvarint([]byte{byte(t.Kind)}, flags)
	return binary.AppendUvarint(appendText(b, t.Name), t.Size)
}

func bit(set bool, flag uint64) uint64 {
	if set {
		return flag
	}
	return 0
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Described returns the type that a description is of. Values of it can be decoded and printed within a
// bounded time, whoever wrote the description.
func Described(description []byte) (*Type, error) {
	switch {
	case len(description) < 2:
		return nil, errDescription
	case description[0] < descriptionVersion || description[0] > wideVersion:
		return nil, fmt.Errorf("description of a type in an unknown version, %d", description[0])
	case len(description) > mostDescription:
		return nil, errLarge
	}
	d := reader{rest: description[1:]}
	for len(d.rest) > 0 {
		t := d.next()
		if d.bad {
			return nil, errDescription
		}
		cost := printed(t, d.cost)
		if cost > mostPrinted {
			return nil, errLarge
		}
		d.types = append(d.types, t)
		d.cost[t] = cost
	}
	return d.types[len(d.types)-1], nil
}

// printed is how many bytes Text makes of a value of the type at most, roughly; cost that of its parts.
func printed(t *Type, cost map[*Type]uint64) uint64 {
	const scalar = 32
	n := uint64(scalar)
	switch t.Kind {
	case Integer:
		if t.Size == 0 {
			n += uint64(len(t.Name)) // Rust's ()
		}
	case Array:
		if t.Count > 0 {
			n += min(uint64(t.Count), mostPrinted) * cost[t.Elem]
		}
	case Structure:
		n += uint64(len(t.Name)) // which Rust shows
		for i := range t.Fields {
			f := &t.Fields[i]
			n += uint64(len(f.Name)) + uint64(len(f.Type.Name)) + cost[f.Type]
		}
	case Enumeration, MemberPointer:
		for _, e := range t.Enums {
			n += uint64(len(e.Name)) + 3
		}
	}
	if v := t.View; v != nil {
		const octal = 4
		n += uint64(len(v.Name)) + octal*MostText + MostElements*cost[v.Elem]
	}
	return n
}

// reader reads a description. What it returns after bad is set means nothing.
type reader struct {
	rest  []byte
	bad   bool
	types []*Type
	cost  map[*Type]uint64 // see printed
}

// next reads a type, and refuses one whose parts lie outside of it.
func (d *reader) next() *Type {
	if d.cost == nil {
		d.cost = map[*Type]uint64{}
	}
	kind := d.rest[0]
	d.rest = d.rest[1:]
	if int(kind) >= len(kinds) {
		d.bad = true
		return nil
	}
	flags := d.uvarint()
	t := &Type{
		Kind: kinds[kind], Name: d.text(), Size: d.uvarint(),
		Signed: flags&flagSigned != 0, Vector: flags&flagVector != 0, Union: flags&flagUnion != 0, Flags: flags&flagBits != 0, Wide: flags&flagWide != 0, Bits: flags&flagRegister != 0,
		Named: flags&flagNamed != 0, Language: Language(min(flags>>languageShift, uint64(languages))),
	}
	d.bad = d.bad || t.Language == languages // or of a later version
	switch t.Kind {
	case Pointer, Reference:
		t.Elem = d.typ()
	case Array:
		t.Elem, t.Count, t.Lower = d.typ(), d.varint(), d.varint()
		d.bad = d.bad || t.Count > 0 && !t.holds(t.Elem, uint64(t.Count))
	case Structure:
		for n := d.count(6); n > 0 && !d.bad; n-- {
			f := Field{Name: d.text(), Type: d.typ(), Offset: d.uvarint()}
			flags := d.uvarint()
			f.Base, f.Virtual, f.Static = flags&flagBase != 0, flags&flagVirtual != 0, flags&flagStatic != 0
			f.BitOffset, f.BitSize = d.uvarint(), d.uvarint()
			switch {
			case d.bad:
			case f.BitSize > 0:
				d.bad = f.BitSize > 64 || f.BitOffset > 8*mostPrinted || f.BitOffset+f.BitSize > 8*min(t.Size, mostPrinted)
			default:
				// What objects share, or have elsewhere, lies behind them.
				d.bad = f.Offset > mostPrinted || f.Type.Size > mostPrinted-f.Offset
			}
			t.Fields = append(t.Fields, f)
		}
	case Enumeration, MemberPointer:
		for n := d.count(2); n > 0 && !d.bad; n-- {
			t.Enums = append(t.Enums, Enumerator{Name: d.text(), Value: d.varint()})
		}
	}
	if flags&flagView != 0 {
		d.view(t)
	}
	return t
}

// view reads what a type is shown as, and refuses elements without bytes.
func (d *reader) view(t *Type) {
	kind, name, elem := d.uvarint(), d.text(), d.uvarint()
	if kind == 0 || kind >= uint64(len(viewWords)) || t.Kind != Structure && t.Kind != Reference || elem > uint64(len(d.types)) {
		d.bad = true
		return
	}
	t.View = &View{Kind: ViewKind(kind), Name: name}
	if elem > 0 {
		t.View.Elem = d.types[elem-1]
		d.bad = d.bad || t.View.Elem.Size == 0 || t.View.Kind == AsText
	}
}

// holds reports whether an array has room for its elements. As many of no size do no harm.
func (t *Type) holds(elem *Type, count uint64) bool {
	if elem.Size == 0 {
		return count <= mostDescription
	}
	return count <= t.Size/elem.Size
}

// count reads the number of parts, each of which takes some bytes: a false one must not allocate.
func (d *reader) count(bytes int) uint64 {
	n := d.uvarint()
	if n > uint64(len(d.rest)/bytes) {
		d.bad = true
		return 0
	}
	return n
}

// typ reads the number of a type that stands before.
func (d *reader) typ() *Type {
	n := d.uvarint()
	if d.bad || n >= uint64(len(d.types)) {
		d.bad = true
		return &Type{}
	}
	return d.types[n]
}

func (d *reader) text() string {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.bad = true
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *reader) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	d.take(n)
	return v
}

func (d *reader) varint() int64 {
	v, n := binary.Varint(d.rest)
	d.take(n)
	return v
}

// take passes over the bytes of a number; 0 or less of one that is damaged.
func (d *reader) take(n int) {
	if n <= 0 {
		d.bad = true
		d.rest = nil
		return
	}
	d.rest = d.rest[n:]
}
