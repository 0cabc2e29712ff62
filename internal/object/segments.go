package object

import (
	"debug/elf"
	"io"
	"strings"
)

// code are the segments that hold code.
func (f *File) code(yield func(*elf.Prog) bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && !yield(p) {
			return
		}
	}
}

// Executable reports whether a virtual address is code.
func (f *File) Executable(vaddr uint64) bool {
	for p := range f.code {
		if vaddr-p.Vaddr < p.Memsz {
			return true
		}
	}
	return false
}

// LowestCode is the lowest address of code.
func (f *File) LowestCode() uint64 {
	lowest := ^uint64(0)
	for p := range f.code {
		lowest = min(lowest, p.Vaddr)
	}
	return lowest
}

// Code are the bytes of code from low on to before high, or as many of them as the file has.
func (f *File) Code(low, high uint64) []byte {
	for p := range f.code {
		if low < p.Vaddr || low-p.Vaddr >= p.Filesz {
			continue
		}
		n := min(high-low, p.Filesz-(low-p.Vaddr))
		// Into what grows as there is something: the headers may say anything.
		b, err := io.ReadAll(io.NewSectionReader(p, int64(low-p.Vaddr), int64(n)))
		if err != nil {
			return nil
		}
		return b
	}
	return nil
}

// Vaddr is the virtual address of an offset in the file, as it is loaded.
func (f *File) Vaddr(offset uint64) (vaddr uint64, ok bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// Offset is where in the file a virtual address is loaded from.
func (f *File) Offset(vaddr uint64) (offset uint64, ok bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && vaddr >= p.Vaddr && vaddr-p.Vaddr < p.Filesz {
			return vaddr - p.Vaddr + p.Off, true
		}
	}
	return 0, false
}

// Interpreter is the dynamic linker that the file asks for, "" of a static program and of a library.
func (f *File) Interpreter() string {
	const most = 4096
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < most {
			path := make([]byte, p.Filesz)
			n, _ := p.ReadAt(path, 0)
			return strings.TrimRight(string(path[:n]), "\x00")
		}
	}
	return ""
}

const page = 0xfff // the address within a page

// Bias is run-time address minus virtual address in a mapping of the file from offset on at
// start; ok is false if no segment is mapped so.
func (f *File) Bias(start, offset uint64) (bias uint64, ok bool) {
	for _, executable := range []bool{true, false} {
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 == executable &&
				offset >= p.Off&^page && offset < (p.Off+p.Filesz+page)&^page {
				return start - offset + p.Off - p.Vaddr, true
			}
		}
	}
	return 0, false
}

// Extent are the virtual addresses that the file takes when it is loaded.
func (f *File) Extent() (start, end uint64) {
	start = 1<<64 - 1
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			start = min(start, p.Vaddr&^page)
			end = max(end, (p.Vaddr+p.Memsz+page)&^page)
		}
	}
	return min(start, end), end
}

// Load reads what the file has at a virtual address, as far as it goes.
func (f *File) Load(b []byte, vaddr uint64) int {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && vaddr >= p.Vaddr && vaddr-p.Vaddr < p.Filesz {
			n, _ := p.ReadAt(b, int64(vaddr-p.Vaddr))
			return n
		}
	}
	return 0
}

// ThreadOffset is how far below the thread pointer the thread-local variables of a program that is executed begin.
func (f *File) ThreadOffset() (uint64, bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS {
			align := max(p.Align, 1)
			if align&(align-1) != 0 || p.Vaddr&(align-1) != 0 || p.Memsz > 1<<32 {
				return 0, false
			}
			return (p.Memsz + align - 1) &^ (align - 1), f.Machine == elf.EM_X86_64
		}
	}
	return 0, false
}
