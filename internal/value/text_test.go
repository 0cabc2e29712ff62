package value

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

var (
	tInt    = &Type{Kind: Integer, Name: "int", Size: 4, Signed: true}
	tChar   = &Type{Kind: Character, Name: "char", Size: 1, Signed: true}
	tDouble = &Type{Kind: Float, Name: "double", Size: 8, Signed: true}
	tFloat  = &Type{Kind: Float, Name: "float", Size: 4, Signed: true}
	tVoid   = &Type{Kind: Void}
	tText   = &Type{Kind: Pointer, Size: 8, Elem: tChar}
	tWide   = &Type{Kind: Character, Name: "char16_t", Size: 2, Wide: true}
	tPoint  = &Type{Kind: Structure, Name: "point", Size: 8, Fields: []Field{{Name: "x", Type: tInt}, {Name: "y", Type: tInt, Offset: 4}}}
)

func array(t *Type, n int64) *Type {
	return &Type{Kind: Array, Size: uint64(n) * t.Size, Elem: t, Count: n}
}

func word(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

type places struct{}

func (places) Data(addr uint64) string     { return map[uint64]string{0x10: "table+8"}[addr] }
func (places) Function(addr uint64) string { return map[uint64]string{0x20: "twice(int)"}[addr] }

func TestText(t *testing.T) {
	colors := []Enumerator{{"RED", 0}, {"GREEN", 5}}
	flags := []Enumerator{{"FA", 1}, {"FB", 2}, {"FC", 4}}
	for _, x := range []struct {
		typ   *Type
		bytes []byte
		gone  []Gap
		texts [][]byte
		want  string
	}{
		{typ: tInt, bytes: []byte{0xfe, 0xff, 0xff, 0xff}, want: "-2"},
		{typ: &Type{Kind: Integer, Size: 2}, bytes: []byte{0xfe, 0xff}, want: "65534"},
		{typ: tChar, bytes: []byte{'x'}, want: "120 'x'"},
		{typ: tChar, bytes: []byte{0xc8}, want: `-56 '\310'`},
		{typ: tChar, bytes: []byte{'\''}, want: `39 '\''`},
		{typ: tChar, bytes: []byte{27}, want: `27 '\033'`},
		{typ: &Type{Kind: Character, Name: "wchar_t", Size: 4, Signed: true, Wide: true}, bytes: []byte{0xe9, 0, 0, 0}, want: "233 L'é'"},
		{typ: &Type{Kind: Character, Name: "char16_t", Size: 2, Wide: true}, bytes: []byte{'x', 0}, want: "120 u'x'"},
		{typ: &Type{Kind: Boolean, Size: 1}, bytes: []byte{1}, want: "true"},
		{typ: &Type{Kind: Boolean, Size: 1}, bytes: []byte{7}, want: "7"},
		{typ: tDouble, bytes: word(math.Float64bits(2.5)), want: "2.5"},
		{typ: tDouble, bytes: word(math.Float64bits(0.1)), want: "0.10000000000000001"},
		{typ: tDouble, bytes: word(math.Float64bits(1e100)), want: "1e+100"},
		{typ: tDouble, bytes: word(math.Float64bits(1e-5)), want: "1.0000000000000001e-05"},
		{typ: tDouble, bytes: word(math.Float64bits(math.Inf(-1))), want: "-inf"},
		{typ: tDouble, bytes: word(0x7ff8000000000000), want: "nan(0x8000000000000)"},
		{typ: &Type{Kind: Float, Size: 16}, bytes: []byte{0xcd, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xfb, 0x3f, 0, 0, 0, 0, 0, 0}, want: "0.100000000000000000001"},
		{typ: &Type{Kind: Float, Size: 16}, bytes: []byte{0, 0, 0, 0, 0, 0, 0, 0xa0, 0, 0xc0, 0, 0, 0, 0, 0, 0}, want: "-2.5"},
		{typ: &Type{Kind: Float, Size: 16}, bytes: []byte{0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x7f, 0, 0, 0, 0, 0, 0}, want: "inf"},
		{typ: &Type{Kind: Float, Size: 16}, bytes: make([]byte, 16), want: "0"},
		{typ: &Type{Kind: Function, Name: "int (int)", Size: 8}, bytes: word(0x20), want: "{int (int)} 0x20 <twice(int)>"},
		{typ: &Type{Kind: Incomplete, Name: "op"}, want: "<incomplete type>"},
		{typ: aData, bytes: word(4), want: "&A::y"},
		{typ: aData, bytes: word(8), want: "8"},
		{typ: aData, bytes: word(math.MaxUint64), want: "NULL"},
		{typ: aMethod, bytes: append(word(0x20), word(0)...), want: "(int (A::*)(A * const)) 0x20 <twice(int)>"},
		{typ: aMethod, bytes: append(word(0x21), word(16)...), want: "&virtual table offset 32, this adjustment 16"},
		{typ: aMethod, bytes: append(word(9), word(0)...), want: "&virtual A::f()"},
		{typ: aMethod, bytes: append(word(9), word(16)...), want: "&virtual B::g()"},
		{typ: aMethod, bytes: make([]byte, 16), want: "NULL"},
		{typ: &Type{Kind: Float, Size: 2}, bytes: []byte{0, 0xc1}, want: "-2.5"},
		{typ: &Type{Kind: Float, Size: 2}, bytes: []byte{1, 0}, want: "5.9605e-08"},
		{typ: &Type{Kind: Float, Size: 2}, bytes: []byte{0, 0xfc}, want: "-inf"},
		{typ: &Type{Kind: Float, Size: 2}, bytes: []byte{1, 0x7e}, want: "nan(0x201)"},
		{typ: &Type{Kind: Float, Name: BFloat16, Size: 2}, bytes: []byte{0x20, 0x40}, want: "2.5"},
		{typ: &Type{Kind: Float, Name: BFloat16, Size: 2}, bytes: []byte{0x49, 0xfe}, want: "-6.679e+37"},
		{typ: &Type{Kind: Enumeration, Size: 4, Bits: true, Enums: flags}, bytes: []byte{0x0d, 0, 0, 0}, want: "[ FA FC ]"},
		{typ: &Type{Kind: Enumeration, Size: 4, Bits: true, Enums: flags}, bytes: make([]byte, 4), want: "[ ]"},
		{typ: &Type{Kind: Integer, Size: 16, Signed: true}, bytes: append([]byte{0xfb}, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")...), want: "-5"},
		{typ: &Type{Kind: Integer, Size: 16}, bytes: []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), want: "340282366920938463463374607431768211455"},
		{typ: tFloat, bytes: word(uint64(math.Float32bits(0.1)))[:4], want: "0.100000001"},
		{typ: &Type{Kind: Enumeration, Size: 4, Enums: colors}, bytes: []byte{5, 0, 0, 0}, want: "GREEN"},
		{typ: &Type{Kind: Enumeration, Size: 4, Enums: colors}, bytes: []byte{3, 0, 0, 0}, want: "3"},
		{typ: &Type{Kind: Enumeration, Size: 4, Enums: flags, Flags: true}, bytes: []byte{5, 0, 0, 0}, want: "(FA | FC)"},
		{typ: &Type{Kind: Enumeration, Size: 4, Enums: flags, Flags: true}, bytes: []byte{9, 0, 0, 0}, want: "(FA | unknown: 0x8)"},
		{typ: &Type{Kind: Enumeration, Size: 4, Enums: flags, Flags: true}, bytes: []byte{0, 0, 0, 0}, want: "0"},
		{typ: &Type{Kind: Enumeration, Size: 4, Enums: flags, Flags: true}, bytes: []byte{8, 0, 0, 0}, want: "(unknown: 0x8)"},
		{typ: &Type{Kind: Enumeration, Size: 4, Enums: flags, Flags: true, Signed: true}, bytes: []byte{0xfa, 0xff, 0xff, 0xff}, want: "(FB | unknown: 0xfffffff8)"},
		{typ: &Type{Kind: Pointer, Size: 8, Elem: tVoid}, bytes: word(0), want: "0x0"},
		{typ: &Type{Kind: Pointer, Size: 8, Elem: tVoid}, bytes: word(0x10), want: "0x10 <table+8>"},
		{typ: &Type{Kind: Pointer, Size: 8, Elem: &Type{Kind: Function}}, bytes: word(0x20), want: "0x20 <twice(int)>"},
		{typ: &Type{Kind: Reference, Size: 8, Elem: tInt}, bytes: word(0x30), want: "@0x30"},
		{typ: tText, bytes: word(0x40), texts: [][]byte{[]byte("hello\n\"q\"\x00")}, want: `0x40 "hello\n\"q\""`},
		{typ: &Type{Kind: Pointer, Size: 8, Elem: tWide}, bytes: word(0x10), texts: [][]byte{[]byte("G\x00\xe9\x00=\xd8\x00\xde\x00\x00")}, want: `0x10 <table+8> u"Gé😀"`},
		{typ: array(tWide, 4), bytes: []byte("\x00\xd8a\x00=\xd8\x00\x00"), want: `u"\xd800\141", <incomplete sequence \xd83d>`},
		{typ: tText, bytes: word(0x10), texts: [][]byte{[]byte("GET\x00")}, want: `0x10 <table+8> "GET"`},
		{typ: tText, bytes: word(0x40), texts: [][]byte{nil}, want: "0x40 <error: Cannot access memory at address 0x40>"},
		{typ: tText, bytes: word(0), texts: [][]byte{nil}, want: "0x0"},
		{typ: array(tChar, 6), bytes: []byte("ab\x00\x00\x00\x00"), want: `"ab\000\000\000"`},
		{typ: array(tChar, 3), bytes: []byte("abc"), want: `"abc"`},
		{typ: array(tChar, 13), bytes: make([]byte, 13), want: `'\000' <repeats 12 times>`},
		{typ: array(tChar, 14), bytes: []byte("yaaaaaaaaaaaab"), want: `"y", 'a' <repeats 12 times>, "b"`},
		{typ: array(tChar, 8), bytes: []byte("S\303\251T\303\303\0017"), want: `"SéT\303\303\0017"`},
		{typ: array(tChar, 24), bytes: []byte(strings.Repeat("é", 11) + "\"\""), want: `'é' <repeats 11 times>, "\"\""`},
		{typ: array(tChar, 11), bytes: []byte("baaaaaaaaaa"), want: `"baaaaaaaaaa"`},
		{typ: array(tInt, 3), bytes: []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, want: "{1, 2, 3}"},
		{typ: array(tInt, 30), bytes: append([]byte{1}, make([]byte, 119)...), want: "{1, 0 <repeats 29 times>}"},
		{typ: array(array(tInt, 2), 2), bytes: []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}, want: "{{1, 2}, {3, 4}}"},
		{typ: tPoint, bytes: []byte{1, 0, 0, 0, 2, 0, 0, 0}, want: "{x = 1, y = 2}"},
		{typ: tPoint, bytes: make([]byte, 8), gone: []Gap{{Offset: 4, Size: 4}}, want: "{x = 0, y = <optimized out>}"},
		{typ: tText, bytes: make([]byte, 8), gone: []Gap{{Size: 8, Pointer: true}}, want: "<synthetic pointer>"},
		{typ: &Type{Kind: Structure, Size: 1}, bytes: []byte{0}, want: "{<No data fields>}"},
		{typ: &Type{Kind: Structure, Size: 8, Fields: []Field{{Type: tPoint, Base: true, Name: "point"}}}, bytes: make([]byte, 8), want: "{<point> = {x = 0, y = 0}, <No data fields>}"},
		{typ: &Type{Kind: Structure, Size: 4, Fields: []Field{{Name: "a", Type: tInt, BitSize: 3}, {Name: "b", Type: &Type{Kind: Integer, Size: 4}, BitOffset: 3, BitSize: 5}}}, bytes: []byte{0x8f, 0, 0, 0}, want: "{a = -1, b = 17}"},
		{typ: &Type{Kind: Structure, Size: 12, Fields: []Field{{Name: "n", Type: tInt, Static: true, Offset: 8}, {Name: "x", Type: tInt}}}, bytes: []byte{1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0}, want: "{static n = 9, x = 1}"},
		{typ: &Type{Kind: Structure, Size: 4, Fields: []Field{{Name: "far", Type: tInt, Offset: 1 << 40}}}, bytes: make([]byte, 4), want: "{far = <optimized out>}"},
		{typ: &Type{Kind: Array, Size: 4, Elem: tInt, Count: 1 << 60}, bytes: make([]byte, 4), want: "{0, <optimized out>, <optimized out>, <optimized out>}"},
	} {
		v := Value{Type: x.typ, Bytes: x.bytes, Gone: x.gone, Texts: x.texts}
		if got := v.Text(places{}); got != x.want {
			t.Errorf("%s, not %s", got, x.want)
		}
	}
}

func TestLongTexts(t *testing.T) {
	long := make([]byte, 200)
	for i := range long {
		long[i] = 'a' + byte(i%26)
	}
	v := Value{Type: tText, Bytes: word(0x40), Texts: [][]byte{long}}
	if got := v.Text(nil); got != `0x40 "`+string(long)+`"...` {
		t.Error(got)
	}
	if got := (&Value{Type: array(tInt, 300), Bytes: func() (b []byte) {
		for i := range 300 {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
		return b
	}()}).Text(nil); !strings.HasSuffix(got, "198, 199...}") {
		t.Error(got[len(got)-20:])
	}
}

func TestDecode(t *testing.T) {
	b := append(word(0x40), 6, 0, 'h', 'e', 'l', 'l', 'o', 0)
	v, ok := Decode(tText, nil, b)
	if !ok || v.Text(nil) != `0x40 "hello"` {
		t.Error(ok, v)
	}
	if v, ok = Decode(tText, nil, append(word(0x40), 0xff, 0xff)); !ok || v.Texts[0] != nil {
		t.Error(ok, v)
	}
	for n := range len(b) {
		if _, ok := Decode(tText, nil, b[:n]); ok && n != 8 {
			t.Errorf("%d bytes are enough", n)
		}
	}
}
