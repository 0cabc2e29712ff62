package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/profilecollection/pct/internal/regular"
	"github.com/profilecollection/pct/translators"
	"github.com/profilecollection/pct/translators/internal/debuginfo"
)

// A file is an ELF file, mapped. It stays open: what was read from it points
// into the mapping.
type file struct {
	*elf.File
	path string
	data []byte
}

func openFile(path string) (*file, error) {
	f, st, err := regular.Open(path)
	if not := (*regular.Error)(nil); errors.As(err, &not) {
		return nil, fmt.Errorf("%s: no ELF file", path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st.Size() == 0 {
		return nil, fmt.Errorf("%s: no ELF file", path)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	g, err := newFile(path, data)
	if err != nil {
		syscall.Munmap(data)
	}
	return g, err
}

// newFile returns the ELF file whose contents are data.
func newFile(path string, data []byte) (*file, error) {
	e, err := elf.NewFile(bytes.NewReader(data))
	if err == nil && e.ByteOrder != binary.LittleEndian {
		err = errors.New("big-endian ELF files are not read")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &file{File: e, path: path, data: data}, nil
}

// close unmaps a file of which nothing is used any more.
func (f *file) close() { syscall.Munmap(f.data) }

// contents returns the contents of a section, uncompressed, nil if the file has
// none.
func (f *file) contents(s *elf.Section) []byte {
	if s == nil || s.Type == elf.SHT_NOBITS {
		return nil
	}
	if s.Flags&elf.SHF_COMPRESSED == 0 && !strings.HasPrefix(s.Name, ".zdebug") {
		size := uint64(len(f.data))
		if s.Offset > size || s.FileSize > size-s.Offset {
			return nil
		}
		return f.data[s.Offset : s.Offset+s.FileSize]
	}
	data, err := s.Data()
	if err != nil {
		return nil
	}
	return data
}

// section is contents by name.
func (f *file) section(name string) []byte { return f.contents(f.Section(name)) }

// debugSection is section for .debug_NAME, or .zdebug_NAME as it was called where
// it was compressed the old way.
func (f *file) debugSection(name string) []byte {
	if b := f.section(".debug_" + name); b != nil {
		return b
	}
	return f.section(".zdebug_" + name)
}

// has says whether the file holds the debug section of this name.
func (f *file) has(name string) bool {
	for _, s := range f.Sections {
		if (s.Name == ".debug_"+name || s.Name == ".zdebug_"+name) && s.Type != elf.SHT_NOBITS {
			return true
		}
	}
	return false
}

// buildID returns the build-id in hexadecimal, "" if the file has none.
func (f *file) buildID() string { return translators.BuildID(f.File) }

// executable says whether vaddr is code.
func (f *file) executable(vaddr uint64) bool {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && vaddr-p.Vaddr < p.Memsz {
			return true
		}
	}
	return false
}

// lowestCode returns the lowest address of code.
func (f *file) lowestCode() uint64 {
	lowest := ^uint64(0)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			lowest = min(lowest, p.Vaddr)
		}
	}
	return lowest
}

// functions returns where the file's functions are, with or without a name.
func (f *file) functions() *debuginfo.Code {
	s := f.Section(".eh_frame")
	if s == nil {
		return &debuginfo.Code{}
	}
	addrSize := 4
	if f.Class == elf.ELFCLASS64 {
		addrSize = 8
	}
	return debuginfo.NewCode(f.contents(s), s.Addr, addrSize)
}
