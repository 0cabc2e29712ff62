package plan

import "encoding/binary"

// Where the registers are in the image that fxsave writes.
const (
	controlAt    = 24
	floatStackAt = 32
	vectorsAt    = 160

	imageSlot   = 16
	firstVector = 17
	vectors     = 16
	floats      = 8
)

// slot is where a register of the x87, or a vector register, is in the image; false if the number is of another.
func slot(n int) (int, bool) {
	switch {
	case n >= firstVector && n < firstVector+vectors:
		return vectorsAt + imageSlot*(n-firstVector), true
	case n >= FloatStack && n < FloatStack+floats:
		return floatStackAt + imageSlot*(n-FloatStack), true
	}
	return 0, false
}

// FloatRegister is the first half of a register, by its DWARF number, in the image that fxsave writes of them; false if
// it is not there.
func FloatRegister(image []byte, n int) (uint64, bool) {
	at, ok := slot(n)
	switch {
	case n == VectorControl && len(image) >= controlAt+4:
		return uint64(binary.LittleEndian.Uint32(image[controlAt:])), true
	case !ok || len(image) < at+8:
		return 0, false
	}
	return binary.LittleEndian.Uint64(image[at:]), true
}

// FloatHigh is the second half of a register in that image.
func FloatHigh(image []byte, n int) (uint64, bool) {
	at, ok := slot(n)
	switch {
	case !ok || len(image) < at+imageSlot:
		return 0, false
	case n >= FloatStack:
		return uint64(binary.LittleEndian.Uint16(image[at+8:])), true
	}
	return binary.LittleEndian.Uint64(image[at+8:]), true
}
