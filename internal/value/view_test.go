package value

import (
	"encoding/binary"
	"strings"
	"testing"
)

// A string that has a pointer to its text and a length, a sequence of such, and what holds them among others.
var (
	aString = &Type{Kind: Structure, Name: "string", Size: 16, View: &View{Kind: AsText}, Fields: []Field{
		{Name: "text", Type: tText}, {Name: "length", Type: &Type{Kind: Integer, Size: 8}, Offset: 8}}}
	aList = &Type{Kind: Structure, Name: "list", Size: 8, View: &View{Kind: AsVector, Elem: aString}, Fields: []Field{
		{Name: "first", Type: &Type{Kind: Pointer, Size: 8, Elem: aString}}}}
	aHolder = &Type{Kind: Structure, Name: "holder", Size: 48, Fields: []Field{
		{Name: "before", Type: tText}, {Name: "list", Type: aList, Offset: 8}, {Name: "s", Type: aString, Offset: 16}, {Name: "behind", Type: tText, Offset: 32},
		{Name: "n", Type: tInt, Offset: 40}}}
)

// written puts together what a plan writes: numbers are words, texts are blocks, and nil is one that cannot be read.
func written(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = binary.LittleEndian.AppendUint64(b, uint64(p))
		case string:
			b = append(binary.LittleEndian.AppendUint16(b, uint16(len(p))), p...)
		case []byte:
			b = append(binary.LittleEndian.AppendUint16(b, uint16(len(p))), p...)
		case nil:
			b = append(b, 0xff, 0xff)
		}
	}
	return b
}

// of is a type with a view.
func of(kind ViewKind, name string, elem *Type) *Type {
	return &Type{Kind: Structure, Size: 8, Fields: []Field{{Name: "x", Type: &Type{Kind: Integer, Size: 8}}}, View: &View{Kind: kind, Name: name, Elem: elem}}
}

func TestViews(t *testing.T) {
	none := int(-1)
	two := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	strings2 := written(0x50, 1, 0x60, 9) // the bytes of two strings
	for _, x := range []struct {
		typ       *Type
		written   []byte
		want, raw string
	}{
		{of(AsText, "", nil), written(5, 3, "a\x00\n"), `"a\000\n"`, "{x = 5}"},
		{of(AsText, "", nil), written(5, 0), `""`, "{x = 5}"},
		{of(AsText, "", nil), written(5, 9, "abc"), `"abc"...`, "{x = 5}"},
		{of(AsText, "", nil), written(5, 9, nil), "{x = 5}", "{x = 5}"},
		{of(AsText, "", nil), written(5, none), "{x = 5}", "{x = 5}"},
		{of(AsVector, "", tInt), written(5, 2, 4, two), "std::vector of length 2, capacity 4 = {1, 2}", "{x = 5}"},
		{of(AsVector, "", tInt), written(5, 3, 4, two), "std::vector of length 3, capacity 4 = {1, 2...}", "{x = 5}"},
		{of(AsVector, "", tInt), written(5, 0, 4), "std::vector of length 0, capacity 4", "{x = 5}"},
		{of(AsVector, "", tInt), written(5, none), "{x = 5}", "{x = 5}"},
		{of(AsVec, "", tInt), written(5, 2, two), "Vec(size=2)={1, 2}", "{x = 5}"},
		{of(AsVec, "", tInt), written(5, 0), "Vec(size=0)", "{x = 5}"},
		{of(AsSlice, "[]int", tInt), written(5, 2, two), "[]int = {1, 2}", "{x = 5}"},
		{of(AsSlice, "[]int", tInt), written(5, 0), "[]int = {}", "{x = 5}"},
		{of(AsOptional, "std::optional<int>", tInt), written(5, 1, two[:4]), "std::optional<int> = {[contained value] = 1}", "{x = 5}"},
		{of(AsOptional, "std::optional<int>", tInt), written(5, 0), "std::optional<int> [no contained value]", "{x = 5}"},
		{of(AsPointer, "std::unique_ptr<int>", tInt), written(5, 1, 0x40, two[:4]), "std::unique_ptr<int> = {get() = 0x40, *get() = 1}", "{x = 5}"},
		{of(AsPointer, "std::unique_ptr<void>", nil), written(5, 1, 0x40), "std::unique_ptr<void> = {get() = 0x40}", "{x = 5}"},
		{of(AsPointer, "std::unique_ptr<int>", tInt), written(5, 1, 0x40, nil), "{x = 5}", "{x = 5}"},
		{of(AsPointer, "std::unique_ptr<int>", tInt), written(5, 0, 0), "std::unique_ptr<int> = {get() = 0x0}", "{x = 5}"},
		{of(AsShared, "std::weak_ptr<int>", tInt), written(5, 0, 0x10, 0, 2), "std::weak_ptr<int> (expired, weak count 2) = {get() = 0x10 <table+8>}", "{x = 5}"},
		{of(AsShared, "std::shared_ptr<int>", tInt), written(5, 1, 0x10, 2, 1, two[:4]), "std::shared_ptr<int> (use count 2, weak count 1) = {get() = 0x10 <table+8>, *get() = 1}", "{x = 5}"},
		{of(AsShared, "std::shared_ptr<int>", tInt), written(5, 0, 0, 0, 0), "std::shared_ptr<int> (empty) = {get() = 0x0}", "{x = 5}"},
		{&Type{Kind: Reference, Size: 8, Elem: aString, View: &View{Kind: AsReference, Elem: aString}}, written(0x30, 1, strings2[:16], 1, "a", "a\x00"), `"a"`, "@0x30"},
		{&Type{Kind: Reference, Size: 8, Elem: aString, View: &View{Kind: AsReference, Elem: aString}}, written(0x30, 1, nil), "@0x30", "@0x30"},
		// Of the second string the length is wrong: that one shows its members, and not the text of another.
		{aList, written(0x90, 2, 2, strings2, 1, "a", "a\x00", none, "b\x00"),
			`std::vector of length 2, capacity 2 = {"a", {text = 0x60 "b", length = 9}}`, "{first = 0x90}"},
		{aHolder, written(0x40, 0x90, 0x50, 1, 0x70, 7, 1, 1, strings2[:16], 1, "e", "e\x00", 1, "s", "before\x00", "raw\x00", "behind\x00"),
			`{before = 0x40 "before", list = std::vector of length 1, capacity 1 = {"e"}, s = "s", behind = 0x70 "behind", n = 7}`,
			`{before = 0x40 "before", list = {first = 0x90}, s = {text = 0x50 "raw", length = 1}, behind = 0x70 "behind", n = 7}`},
	} {
		b, err := x.typ.Describe()
		if err != nil {
			t.Fatal(err)
		}
		described, err := Described(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range []*Type{x.typ, described} {
			v, ok := Decode(typ, nil, x.written)
			if !ok || !v.HasViews() || v.Viewed(places{}) != x.want || v.Text(places{}) != x.raw {
				t.Errorf("%v\n%s, want\n%s; raw\n%s, want\n%s", ok, v.Viewed(places{}), x.want, v.Text(places{}), x.raw)
			}
		}
		for n := range x.written {
			if v, ok := Decode(x.typ, nil, x.written[:n]); ok && v.Viewed(places{}) == x.want && x.want != x.raw && len(v.Texts) == 0 {
				t.Errorf("%d of %d bytes are enough for %s", n, len(x.written), x.want)
			}
		}
	}
}

func TestDamagedViews(t *testing.T) {
	for _, x := range []struct {
		typ     *Type
		written []byte
	}{
		{of(AsText, "", nil), written(5, 2, "abc")},                         // more than there is
		{of(AsText, "", nil), written(5, 999, strings.Repeat("x", 201))},    // more than is kept
		{of(AsVector, "", tInt), written(5, 2, 2, "123")},                   // no whole element
		{of(AsVector, "", tInt), written(5, 1, 1, "12345678")},              // more than there are
		{of(AsVector, "", tInt), written(5, 1000, 1000, make([]byte, 400))}, // more than are kept
		{of(AsVector, "", tInt), written(5, 2)},                             // no capacity
		{aList, written(0x90, 2, 2, written(0x50, 1, 0x60, 9), 1, "a")},     // no text
	} {
		if v, ok := Decode(x.typ, nil, x.written); ok {
			t.Errorf("decoded: %s", v.Viewed(nil))
		}
	}
	for _, typ := range []*Type{
		{Kind: Integer, Size: 8, View: &View{Kind: AsText}},
		of(AsText, "", tInt), of(AsVector, "", &Type{Kind: Structure}), of(0, "", tInt), of(AsReference+1, "", tInt),
	} {
		if b, err := typ.Describe(); err == nil {
			t.Errorf("described: %q", b)
		}
	}
	if b, err := aHolder.Fields[0].Type.Describe(); err != nil || b[0] != 1 {
		t.Errorf("a type without views is in version %d: %v", b[0], err)
	}
}
