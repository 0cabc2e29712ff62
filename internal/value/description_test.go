package value

import (
	"math"
	"strings"
	"testing"
)

var (
	anInt   = &Type{Kind: Integer, Name: "int", Size: 4, Signed: true}
	aChar   = &Type{Kind: Character, Name: "char", Size: 1, Signed: true}
	colours = &Type{Kind: Enumeration, Name: "color", Size: 4, Enums: []Enumerator{{"RED", 0}, {"GREEN", 5}, {"NONE", -1}}, Signed: true}
	masks   = &Type{Kind: Enumeration, Size: 4, Flags: true, Enums: []Enumerator{{"FA", 1}, {"FB", 2}}}
)

var (
	aFlags  = &Type{Kind: Enumeration, Name: "flags", Size: 4, Bits: true, Enums: []Enumerator{{"FA", 1}, {"FC", 4}}}
	aData   = &Type{Kind: MemberPointer, Size: 8, Enums: []Enumerator{{"&A::x", 0}, {"&A::y", 4}}}
	aMethod = &Type{Kind: MemberPointer, Name: "int (A::*)(A * const)", Size: 16, Enums: []Enumerator{{"&virtual A::f()", VirtualMember(0, 1)}, {"&virtual B::g()", VirtualMember(16, 1)}}}
)

// node is a list's element, which leads to another one.
func node() *Type {
	n := &Type{Kind: Structure, Name: "node", Size: 64}
	n.Complete = func(n *Type) {
		n.Fields = []Field{
			{Name: "next", Type: &Type{Kind: Pointer, Size: 8, Elem: n}},
			{Name: "name", Type: &Type{Kind: Pointer, Size: 8, Elem: aChar}, Offset: 8},
			{Name: "buffer", Type: &Type{Kind: Array, Size: 4, Count: 4, Elem: aChar}, Offset: 16},
			{Name: "bits", Type: &Type{Kind: Integer, Size: 4}, BitOffset: 8 * 20, BitSize: 3},
			{Name: "color", Type: colours, Offset: 24},
			{Name: "mask", Type: masks, Offset: 28},
			{Type: &Type{Kind: Structure, Union: true, Size: 4, Fields: []Field{{Name: "i", Type: anInt}, {Name: "f", Type: &Type{Kind: Float, Size: 4}}}}, Offset: 32},
			{Name: "count", Type: anInt, Static: true, Offset: 72},
			{Name: "base", Type: &Type{Kind: Structure, Name: "base<int>", Size: 1}, Base: true, Offset: 36},
			{Name: "call", Type: &Type{Kind: Pointer, Size: 8, Elem: &Type{Kind: Function, Size: 1, Elem: anInt}}, Offset: 40},
			{Name: "rest", Type: &Type{Kind: Array, Count: -1, Elem: anInt}, Offset: 64},
		}
	}
	return n
}

func TestDescription(t *testing.T) {
	written := []byte(strings.Repeat("0123456\x05", 8) + "\x03\x00GET")
	written[16], written[24], written[25], written[26], written[27] = 'x', 5, 0, 0, 0
	for _, typ := range []*Type{
		anInt, aChar, colours, masks, node(), {Kind: Array, Name: "list", Size: 128, Count: 2, Elem: node()},
		{Kind: Reference, Size: 8, Elem: node()}, {Kind: Pointer, Size: 8, Elem: &Type{Kind: Array, Size: 8, Count: 2, Elem: anInt}},
		{Kind: Character, Wide: true, Name: "wchar_t", Size: 4, Signed: true}, {Kind: Boolean, Name: "bool", Size: 1},
		{Kind: Function, Name: "int (int)", Size: 8}, {Kind: Incomplete, Name: "op"}, aFlags, aData, aMethod, {Kind: Pointer, Size: 8, Elem: aMethod},
		aString, aList, aHolder, {Kind: Reference, Size: 8, Elem: aString, View: &View{Kind: AsReference, Elem: aString}},
	} {
		b, err := typ.Describe()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Described(b)
		if err != nil {
			t.Fatal(err)
		}
		again, err := got.Describe()
		if err != nil || string(again) != string(b) {
			t.Errorf("%s: described again it is\n%q, was\n%q: %v", typ.Name, again, b, err)
		}
		whole := append(make([]byte, 0, 200), written...)
		for uint64(len(whole)) < typ.Size {
			whole = append(written[:64:64], written...)
		}
		want, ok1 := Decode(typ, []Gap{{Offset: 40, Size: 8}}, whole)
		have, ok2 := Decode(got, []Gap{{Offset: 40, Size: 8}}, whole)
		if ok1 != ok2 || ok1 && want.Text(nil) != have.Text(nil) {
			t.Errorf("%s, %q:\n%s, want\n%s", typ.Name, b, have.Text(nil), want.Text(nil))
		}
	}
}

// The numbers of kinds are in files.
func TestKindNumbers(t *testing.T) {
	for n, k := range kinds {
		if int(k) != n {
			t.Errorf("kind %d is described as %d", k, n)
		}
	}
	if MemberPointer != 13 || len(kinds) != int(MemberPointer)+1 {
		t.Errorf("a kind is inserted, or the last one, %d, has no number", MemberPointer)
	}
}

func TestTooLargeToDescribe(t *testing.T) {
	itself := &Type{Kind: Structure, Size: 8}
	itself.Fields = []Field{{Name: "self", Type: itself}}
	wide := anInt
	for range 9 { // 8 to the 9th members
		f := Field{Name: "x", Type: wide}
		wide = &Type{Kind: Structure, Size: 4, Fields: []Field{f, f, f, f, f, f, f, f}}
	}
	empty := &Type{Kind: Structure, Fields: nil}
	for _, typ := range []*Type{
		itself, wide,
		{Kind: Array, Count: math.MaxInt64, Elem: empty},
		{Kind: Array, Size: 8, Count: 3, Elem: anInt},
		{Kind: Structure, Size: 4, Fields: []Field{{Name: "beyond", Type: anInt, Offset: mostPrinted}}},
		{Kind: Structure, Size: 4, Fields: []Field{{Name: "beyond", Type: anInt, BitOffset: 30, BitSize: 3}}},
	} {
		if b, err := typ.Describe(); err == nil {
			t.Errorf("described: %.100q", b)
		}
	}
}

// FuzzDescribed: whatever a description says, its values are printed.
func FuzzDescribed(f *testing.F) {
	for _, typ := range []*Type{anInt, node(), {Kind: Array, Size: 128, Count: 2, Elem: node()}, aList, aHolder} {
		b, err := typ.Describe()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, []byte(strings.Repeat("01234567", 20)))
	}
	f.Fuzz(func(t *testing.T, description, written []byte) {
		typ, err := Described(description)
		if err != nil {
			return
		}
		if v, ok := Decode(typ, []Gap{{Offset: 3, Size: 2}}, written); ok {
			v.Text(nil)
			if len(v.Viewed(nil)) > mostPrinted {
				t.Fatal("too long")
			}
		}
		again, err := typ.Describe()
		if err != nil {
			return // it may use one type so often that it is too large without the numbers
		}
		if _, err := Described(again); err != nil {
			t.Fatal(err)
		}
	})
}
