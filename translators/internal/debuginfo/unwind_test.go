package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// ehFrame returns that section of a program, and the program.
func ehFrame(tb testing.TB) (*elf.Section, []byte, string) {
	tb.Helper()
	program := filepath.Join(tb.TempDir(), "program")
	dir := filepath.Join("..", "..", "addr2line", "testdata")
	argv := []string{"-O2", "-I", filepath.Join(dir, "include"), "-o", program, filepath.Join(dir, "chain.c")}
	if out, err := exec.Command("gcc", argv...).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	f, err := elf.Open(program)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".eh_frame")
	b, err := s.Data()
	if err != nil {
		tb.Fatal(err)
	}
	return s, b, program
}

// TestCode has the functions that readelf lists.
func TestCode(t *testing.T) {
	s, b, program := ehFrame(t)
	out, err := exec.Command("readelf", "--debug-dump=frames", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	code := NewCode(b, s.Addr, 8)
	listed := regexp.MustCompile(`FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)`).FindAllSubmatch(out, -1)
	if len(listed) < 5 || len(listed) != len(code.starts) {
		t.Errorf("%d functions, readelf lists %d", len(code.starts), len(listed))
	}
	for _, m := range listed {
		low, _ := strconv.ParseUint(string(m[1]), 16, 64)
		high, _ := strconv.ParseUint(string(m[2]), 16, 64)
		for _, addr := range []uint64{low, (low + high) / 2, high - 1} {
			if start, ok := code.Start(addr); !ok || start != low {
				t.Errorf("0x%x is in the function at 0x%x, %v, want 0x%x", addr, start, ok, low)
			}
		}
	}
	if start, ok := code.Start(0); ok {
		t.Errorf("0 is in the function at 0x%x", start)
	}
}

// TestCodeEncodings has the ways to write an address that no compiler here uses.
func TestCodeEncodings(t *testing.T) {
	for _, c := range []struct {
		name     string
		encoding byte
		address  []byte // and size
		known    bool
	}{
		{"8 bytes", 0x00, []byte{0, 0x10, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0}, true},
		{"uleb", 0x01, []byte{0x80, 0x20, 0x20}, true},
		{"sleb", 0x09, []byte{0x80, 0x20, 0x20}, true},
		{"2 bytes", 0x02, []byte{0, 0x10, 0x20, 0}, true},
		{"2 bytes, signed", 0x0a, []byte{0, 0x10, 0x20, 0}, true},
		{"4 bytes", 0x03, []byte{0, 0x10, 0, 0, 0x20, 0, 0, 0}, true},
		{"8 bytes, signed", 0x0c, []byte{0, 0x10, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0}, true},
		{"by the data", 0x33, []byte{0, 0x10, 0, 0, 0x20, 0, 0, 0}, false},
		{"indirect", 0x83, []byte{0, 0x10, 0, 0, 0x20, 0, 0, 0}, false},
		{"none", 0xff, []byte{0, 0x10, 0, 0, 0x20, 0, 0, 0}, false},
		{"unknown", 0x07, []byte{0, 0x10, 0, 0, 0x20, 0, 0, 0}, false},
	} {
		cie := append([]byte{0, 0, 0, 0, 1}, "zPLR\x00\x01\x78\x10\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
		cie = append(cie, c.encoding)
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(cie)))
		b = append(b, cie...)
		b = binary.LittleEndian.AppendUint32(b, uint32(4+len(c.address)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
		b = append(b, c.address...)
		start, ok := NewCode(b, 0x5000, 8).Start(0x101f)
		if ok != c.known || ok && start != 0x1000 {
			t.Errorf("%s: 0x%x, %v", c.name, start, ok)
		}
	}
}

func FuzzCode(f *testing.F) {
	s, b, _ := ehFrame(f)
	f.Add(b)
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	for i := 1; i < len(b); i += 13 {
		f.Add(b[:i])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		code := NewCode(b, s.Addr, 8)
		for _, start := range code.starts {
			code.Start(start)
		}
		if len(code.starts) > len(b)/4 {
			t.Errorf("%d functions in %d bytes", len(code.starts), len(b))
		}
	})
}
