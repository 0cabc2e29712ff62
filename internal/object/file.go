// Package object reads object files: ELF executables, shared objects, and the files with debug
// data of both. It owns what every reader of them has to agree on: which build a file is, where
// its code is, what its functions are called and where they begin, and which other files hold its
// debug data. Nothing in a file is trusted: what can't be right is as if it were not there.
package object

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/profilecollection/pct/internal/regular"
)

// A File is an ELF file that is open. Its headers can be asked after Close as well.
type File struct {
	*elf.File
	Path string

	data  []byte // all of it, if it is in memory
	close func() error
}

// Open opens a regular file, of which parts are read when they are asked for.
func Open(path string) (*File, error) {
	file, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := New(path, file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.close = file.Close
	return f, nil
}

// New is the ELF file that r reads, which path may be the name of.
func New(path string, r io.ReaderAt) (*File, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	return &File{File: f, Path: path, close: func() error { return nil }}, nil
}

// Map maps a regular file, which must be little-endian. What is read of it points into the
// mapping, and is gone after Close.
func Map(path string) (*File, error) {
	file, st, err := regular.Open(path)
	if not := (*regular.Error)(nil); errors.As(err, &not) {
		return nil, fmt.Errorf("%s: not an ELF file", path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if st.Size() == 0 {
		return nil, fmt.Errorf("%s: not an ELF file", path)
	}
	data, err := syscall.Mmap(int(file.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := Parse(path, data)
	if err != nil {
		syscall.Munmap(data)
		return nil, err
	}
	f.close = func() error { return syscall.Munmap(data) }
	return f, nil
}

// Parse is the little-endian ELF file whose contents are data, which path may be the name of.
func Parse(path string, data []byte) (*File, error) {
	f, err := New(path, bytes.NewReader(data))
	if err == nil && f.ByteOrder != binary.LittleEndian {
		err = errors.New("big-endian ELF files are not read")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.data = data
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

// Contents are those of a section, uncompressed; nil if s is nil or the file does not have them.
func (f *File) Contents(s *elf.Section) []byte {
	if s == nil || s.Type == elf.SHT_NOBITS {
		return nil
	}
	if f.data != nil && s.Flags&elf.SHF_COMPRESSED == 0 && !strings.HasPrefix(s.Name, ".zdebug") {
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

// Content is Contents of a section by name.
func (f *File) Content(name string) []byte { return f.Contents(f.Section(name)) }

// DebugSection is the section .debug_NAME, or .zdebug_NAME as it was called where it was
// compressed the old way; nil if the file has neither.
func (f *File) DebugSection(name string) *elf.Section {
	for _, s := range f.Sections {
		if (s.Name == ".debug_"+name || s.Name == ".zdebug_"+name) && s.Type != elf.SHT_NOBITS {
			return s
		}
	}
	return nil
}

// HasDebugInfo reports whether the file itself holds debug data.
func (f *File) HasDebugInfo() bool { return f.DebugSection("info") != nil }
