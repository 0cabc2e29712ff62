package unwind

// ObjectKind says what a mapped object is.
type ObjectKind byte

const (
	File ObjectKind = 'f' // an ELF file
	VDSO ObjectKind = 'v' // the kernel's shared object
	Anon ObjectKind = 'a' // executable memory that is no ELF object, such as compiled by a JIT
)

// Object is a program, a shared object or other executable memory, mapped
// into the process at one place. Its pointer and ID stay the same as long as
// its Unwinder lives, even when it is unmapped.
type Object struct {
	ID         int    // 1, 2, … in the order seen
	Path       string // as the process sees it, without " (deleted)"; for VDSO and Anon the name of the mapping in /proc/PID/maps, which may be empty
	BuildID    string // hexadecimal; "" none
	Start, End uint64 // runtime addresses: the object's mappings lie in [Start, End)
	Bias       uint64 // runtime address − ELF virtual address; 0 for Anon
	Kind       ObjectKind

	image  *image // nil: no ELF object, or unreadable
	mapped string // the path in /proc/PID/maps
	inode  uint64
}

// function returns the symbol of the function that a pc is in, its runtime
// address and its size; start is 0 if it is not known.
func (o *Object) function(pc uint64, exact bool) (name string, start, size uint64) {
	if o == nil || o.image == nil {
		return "", 0, 0
	}
	s := o.image.functions()
	y := s.find(Frame{PC: pc, Object: o, Exact: exact}.Vaddr())
	if y == nil {
		return "", 0, 0
	}
	return s.name(y), y.addr + o.Bias, y.size
}
