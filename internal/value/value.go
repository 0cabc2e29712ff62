// Package value has the typed values of a program: their bytes, what they mean, and how gdb shows
// them.
package value

// A Value is the bytes of a value, and which of them the program does not keep.
type Value struct {
	Type  *Type
	Bytes []byte
	Gone  []Gap
	// Texts are what the pointers to characters in the value lead to, in their order, with the zero byte that
	// ends each; nil where it cannot be read.
	Texts [][]byte

	views []content // of the views in the value, in their order
}

// A Gap is a run of bytes of a value that the program does not keep.
type Gap struct {
	Offset, Size uint64
	Pointer      bool // it is a pointer, to what the program keeps
}

// Unreadable stands for the length of a text that cannot be read.
const Unreadable = 0xffff

// Decode makes a Value of the bytes that a plan has written: those of the type's size, then the contents of the
// views in it, then of each text its length, in two bytes, and its bytes. It reports false if they are fewer.
func Decode(t *Type, gone []Gap, b []byte) (Value, bool) {
	size := t.Whole().Size
	if uint64(len(b)) < size {
		return Value{}, false
	}
	v := Value{Type: t, Bytes: b[:size], Gone: gone}
	d := decoder{rest: b[size:]}
	v.views = d.views(t, nil)
	for len(d.rest) > 0 {
		v.Texts = append(v.Texts, d.block())
	}
	if d.bad {
		return Value{}, false
	}
	return v, true
}

// Number reads up to 8 bytes, the lowest first.
func Number(b []byte) uint64 {
	var v uint64
	for i, c := range b[:min(8, len(b))] {
		v |= uint64(c) << (8 * i)
	}
	return v
}
