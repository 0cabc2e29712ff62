package value

import "testing"

// A value is shown in the form of its language, also by a description of its type that was stored.
func TestLanguages(t *testing.T) {
	number := &Type{Kind: Integer, Name: "integer", Size: 1, Signed: true}
	truth := &Type{Kind: Boolean, Name: "logical", Size: 1}
	letter := &Type{Kind: Character, Name: "character", Size: 1}
	half := &Type{Kind: Float, Size: 4}
	point := &Type{Kind: Structure, Name: "main::Point", Size: 2, Fields: []Field{{Name: "x", Type: number}, {Name: "y", Type: truth, Offset: 1}}}
	pair := &Type{Kind: Structure, Name: "main::Pair", Size: 2, Fields: []Field{{Name: "__0", Type: number}, {Name: "__1", Type: number, Offset: 1}}}
	tuple := &Type{Kind: Structure, Name: "(i8, i8)", Size: 2, Fields: pair.Fields}
	array := func(elem *Type, count, lower int64) *Type {
		return &Type{Kind: Array, Elem: elem, Count: count, Lower: lower, Size: uint64(count) * elem.Size}
	}
	named := array(number, 2, 0)
	named.Named = true
	for _, c := range []struct {
		language Language
		typ      *Type
		bytes    string
		want     string
	}{
		{Fortran, point, "\x05\x01", "( x = 5, y = .TRUE. )"},
		{Fortran, truth, "\x00", ".FALSE."},
		{Fortran, truth, "\x02", "2"},
		{Fortran, array(number, 3, 1), "\x01\x02\x03", "(1, 2, 3)"},
		{Fortran, array(array(number, 2, 1), 2, 1), "\x01\x02\x03\x04", "((1, 2) (3, 4))"},
		{Fortran, array(array(number, 2, 1), 11, 1), "\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02", "((1, 2) <repeats 11 times>)"},
		{Fortran, array(number, 12, 1), "\x03\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02", "(3, 2, <repeats 11 times>)"},
		{Fortran, array(letter, 4, 1), "a'b ", `'a\'b '`},
		{Fortran, array(array(letter, 1, 1), 2, 1), "ab", "('a', 'b')"},
		{Ada, point, "\x05\x01", "(x => 5, y => true)"},
		{Ada, array(number, 2, 1), "\x01\x02", "(1, 2)"},
		{Ada, array(number, 2, 7), "\x01\x02", "(7 => 1, 2)"},
		{Ada, named, "\x01\x02", "(1, 2)"},
		{Ada, array(number, 10, 1), "\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02", "(2, 2, 2, 2, 2, 2, 2, 2, 2, 2)"},
		{Ada, array(letter, 5, 1), "a\"\x00\xff'", `"a""["00"]["ff"]'"`},
		{Ada, letter, "\x80", `128 '["80"]'`},
		{Ada, half, "\x00\x00\x00\x40", "2.0"},
		{Ada, half, "\xec\x78\xad\x60", "1.00000002e+20"},
		{Ada, half, "\x00\x00\x80\xff", "-Inf"},
		{Ada, half, "\x00\x00\xc0\xff", "NaN(0x400000)"},
		{Go, point, "\x05\x01", "{x = 5, y = true}"},
		{Go, array(number, 2, 0), "\x01\x02", "{1, 2}"},
		{Rust, point, "\x05\x01", "main::Point {x: 5, y: true}"},
		{Rust, pair, "\x01\x02", "main::Pair (1, 2)"},
		{Rust, tuple, "\x01\x02", "(1, 2)"},
		{Rust, array(pair, 2, 0), "\x01\x02\x03\x04", "[main::Pair (1, 2), main::Pair (3, 4)]"},
		{Rust, &Type{Kind: Structure, Name: "main::Unit"}, "", "main::Unit"},
		{Rust, &Type{Kind: Integer, Name: "()"}, "", "()"},
		{Rust, &Type{Kind: Character, Name: "char", Size: 4, Wide: true}, "\xac\x20\x00\x00", `8364 '\u{0020ac}'`},
	} {
		typ := *c.typ
		typ.Language = c.language
		v := Value{Type: &typ, Bytes: []byte(c.bytes)}
		if got := v.Text(nil); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		described, err := typ.Describe()
		if err != nil {
			t.Fatal(err)
		}
		if v.Type, err = Described(described); err != nil {
			t.Fatal(err)
		}
		if got := v.Text(nil); got != c.want {
			t.Errorf("%s, as stored; want %s", got, c.want)
		}
	}
	if _, err := Described([]byte{descriptionVersion, 2, 0x80, 0x14, 0, 1}); err == nil {
		t.Error("a language that is not known")
	}
}
