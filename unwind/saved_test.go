package unwind

// saved is a part of a thread's stack as it was, copied from Base on: a Memory.
type saved struct {
	Base uint64
	Data []byte
}

// ReadAt reads as Memory says.
func (s *saved) ReadAt(p []byte, addr uint64) int {
	if addr < s.Base || addr-s.Base >= uint64(len(s.Data)) {
		return 0
	}
	return copy(p, s.Data[addr-s.Base:])
}
