package remote

import "encoding/binary"

// The x87 keeps two bits for each of its registers that say what is in it.
const (
	tagValid = iota
	tagZero
	tagSpecial // infinity, not a number, denormal
	tagEmpty
)

// fullTags gives the tag word of an FXSAVE image, which holds one bit for each
// register, by its physical number: not empty. The values, by their place on
// the stack, tell the rest.
func fullTags(image []byte) uint16 {
	top := int(binary.LittleEndian.Uint16(image[2:])) >> 11 & 7
	var full uint16
	for physical := range 8 {
		tag := tagEmpty
		if image[tagWord]>>physical&1 != 0 {
			value := image[32+16*((physical+8-top)%8):]
			tag = tagOf(binary.LittleEndian.Uint64(value), binary.LittleEndian.Uint16(value[8:]))
		}
		full |= uint16(tag) << (2 * physical)
	}
	return full
}

func tagOf(mantissa uint64, signAndExponent uint16) int {
	switch exponent := signAndExponent & 0x7fff; {
	case exponent == 0x7fff:
		return tagSpecial
	case exponent == 0 && mantissa == 0:
		return tagZero
	case exponent == 0 || mantissa>>63 == 0:
		return tagSpecial
	}
	return tagValid
}

// abridgedTags is what FXSAVE keeps of a tag word.
func abridgedTags(full uint16) byte {
	var abridged byte
	for physical := range 8 {
		if full>>(2*physical)&3 != tagEmpty {
			abridged |= 1 << physical
		}
	}
	return abridged
}
