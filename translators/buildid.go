package translators

import (
	"debug/elf"
	"encoding/hex"
)

// BuildID returns the GNU build-id of f in hexadecimal, "" if it has none.
func BuildID(f *elf.File) string {
	const noteGNUBuildID = 3
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOTE || s.Size > 1<<16 {
			continue
		}
		b, err := s.Data()
		if err != nil {
			continue
		}
		for len(b) >= 12 {
			name, desc := uint64(f.ByteOrder.Uint32(b)), uint64(f.ByteOrder.Uint32(b[4:]))
			kind := f.ByteOrder.Uint32(b[8:])
			from := 12 + (name+3)&^3
			to := from + desc
			if to > uint64(len(b)) {
				break
			}
			if kind == noteGNUBuildID && string(b[12:12+name]) == "GNU\x00" {
				return hex.EncodeToString(b[from:to])
			}
			b = b[min((to+3)&^3, uint64(len(b))):]
		}
	}
	return ""
}
