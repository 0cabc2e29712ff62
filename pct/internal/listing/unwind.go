package listing

import (
	"debug/elf"
	"strings"
)

// unwindStarts returns where functions begin, by the entries (FDE) of .eh_frame, which
// stripped objects keep. What it can't read it leaves out: where functions begin is
// then known less well, but not wrong.
//
// The section is a sequence of records: length (4 bytes, the largest number says that 8
// follow), and id (4). One with the id 0 (CIE) tells how addresses are encoded in those
// (FDE) whose id is the distance back to it.
func unwindStarts(f *elf.File) []uint64 {
	s := f.Section(".eh_frame")
	if s == nil || s.Type == elf.SHT_NOBITS {
		return nil
	}
	b, err := s.Data()
	if err != nil {
		return nil
	}
	var starts []uint64
	encodings := map[uint64]byte{} // of each CIE, by its offset
	for at := uint64(0); at+8 <= uint64(len(b)); {
		size, head := uint64(f.ByteOrder.Uint32(b[at:])), uint64(4)
		if size == 0xffffffff && at+16 <= uint64(len(b)) {
			size, head = f.ByteOrder.Uint64(b[at+4:]), 12
		}
		id := at + head
		if size == 0 {
			at = id // the end of one object's records; another's may follow
			continue
		}
		end := id + size
		if size < 4 || end < id || end > uint64(len(b)) {
			break
		}
		if distance := uint64(f.ByteOrder.Uint32(b[id:])); distance == 0 {
			encodings[at] = cieEncoding(f, b[id+4:end])
		} else if encoding, ok := encodings[id-distance]; ok {
			if start, ok := encodedAddress(f, encoding, b[id+4:end], s.Addr+id+4); ok {
				starts = append(starts, start)
			}
		}
		at = end
	}
	return starts
}

// Encodings of addresses: a form in the lower four bits, what it is relative to above.
const (
	formAddress = 0x00
	formSigned4 = 0x0b
	formSigned8 = 0x0c
	formMask    = 0x0f
	fromItself  = 0x10
	noEncoding  = 0xff
)

// cieEncoding returns how the FDEs of a CIE encode addresses. b begins behind the id:
// version, augmentation (a string), three numbers of variable length, and if the
// augmentation begins with z its data: their length, and one item for each letter.
func cieEncoding(f *elf.File, b []byte) byte {
	if len(b) < 2 {
		return noEncoding
	}
	augmentation, rest, ok := strings.Cut(string(b[1:]), "\x00")
	if !ok || !strings.HasPrefix(augmentation, "z") {
		return formAddress
	}
	for range 4 { // code and data alignment, return register, length of the data
		for rest != "" && rest[0] >= 0x80 {
			rest = rest[1:]
		}
		if rest == "" {
			return noEncoding
		}
		rest = rest[1:]
	}
	for _, letter := range augmentation[1:] {
		if rest == "" {
			return noEncoding
		}
		switch letter {
		case 'R':
			return rest[0]
		case 'L':
			rest = rest[1:]
		case 'P':
			size := 1 + formSize(f, rest[0])
			if size == 1 || size > len(rest) {
				return noEncoding
			}
			rest = rest[size:]
		}
	}
	return formAddress
}

// formSize returns the length of an encoded address, 0 if it varies.
func formSize(f *elf.File, encoding byte) int {
	switch encoding & formMask &^ 0x08 { // signed or not
	case formAddress:
		if f.Class == elf.ELFCLASS32 {
			return 4
		}
		return 8
	case 0x02:
		return 2
	case formSigned4 &^ 0x08:
		return 4
	case formSigned8 &^ 0x08:
		return 8
	}
	return 0
}

// encodedAddress reads an address that stands in b, which is at the address self.
func encodedAddress(f *elf.File, encoding byte, b []byte, self uint64) (uint64, bool) {
	size := formSize(f, encoding)
	if encoding == noEncoding || size > len(b) {
		return 0, false
	}
	var value uint64
	switch {
	case size == 4 && encoding&formMask == formSigned4:
		value = uint64(int64(int32(f.ByteOrder.Uint32(b))))
	case size == 4:
		value = uint64(f.ByteOrder.Uint32(b))
	case size == 8:
		value = f.ByteOrder.Uint64(b)
	default:
		return 0, false
	}
	switch encoding &^ formMask {
	case 0:
		return value, true
	case fromItself:
		return value + self, true
	}
	return 0, false
}
