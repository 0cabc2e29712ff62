package disasm

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// boasting is an object of which code and functions are said to be far larger than it is.
func boasting(tb testing.TB, data []byte) []byte {
	tb.Helper()
	data = bytes.Clone(data)
	o, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	table := o.SectionByType(elf.SHT_SYMTAB)
	const programs, entry, fileSize, symbol, size = 32, 56, 32, 24, 16
	le := binary.LittleEndian
	for i := range o.Progs {
		le.PutUint64(data[le.Uint64(data[programs:])+uint64(i*entry+fileSize):], 1<<40)
	}
	for at := table.Offset; at < table.Offset+table.FileSize; at += symbol {
		le.PutUint64(data[at+size:], 1<<40)
	}
	return data
}

// Whatever an object's headers and symbols say, what is read of it is what it holds.
func FuzzObject(f *testing.F) {
	small, err := os.ReadFile(program(f, "-Os", "-Wl,-z,noseparate-code", "-Wl,--build-id=none"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small, uint64(0x1040))
	f.Add(small[:1024], uint64(0))
	f.Add(boasting(f, small), uint64(1<<39))
	path := filepath.Join(f.TempDir(), "object")
	f.Fuzz(func(t *testing.T, data []byte, vaddr uint64) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := openObject(path)
		if err != nil {
			return
		}
		defer o.Close()
		asked := []uint64{vaddr, vaddr + 1}
		functions := o.symbols.Functions
		for _, y := range functions[:min(len(functions), 8)] {
			asked = append(asked, y.Low, y.High)
		}
		for _, v := range asked {
			for _, p := range o.pieces([]uint64{v}) {
				if len(p.bytes) > len(data) {
					t.Errorf("%d bytes of code in a file of %d", len(p.bytes), len(data))
				}
			}
			o.place(v)
			o.frames(v)
		}
	})
}
