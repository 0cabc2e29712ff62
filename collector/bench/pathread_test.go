package bench

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// entryOf is a program's entry point, as an address and as an offset in its file.
func entryOf(t *testing.T, path string) (vaddr, offset uint64) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && f.Entry >= p.Vaddr && f.Entry < p.Vaddr+p.Filesz {
			return f.Entry, f.Entry - p.Vaddr + p.Off
		}
	}
	t.Fatalf("%s has no entry point", path)
	return 0, 0
}

func TestRoots(t *testing.T) {
	program, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	vaddr, offset := entryOf(t, program)
	r := newRoots()
	for _, tt := range []struct {
		what string
		got  bool
		want bool
	}{
		{"the entry point", r.begins(program, vaddr), true},
		{"its call", r.begins(program, vaddr+0x20), true},
		{"its offset", r.atOffset(program, offset), true},
		{"other code", r.begins(program, vaddr+0x200), false},
		{"no address", r.begins(program, 0), false},
		{"an offset beyond the file", r.atOffset(program, 1<<40), false},
		{"a file that is not there", r.begins(program+".none", vaddr), false},
	} {
		if tt.got != tt.want {
			t.Errorf("%s of %s: %v, want %v", tt.what, program, tt.got, tt.want)
		}
	}
}

// TestAddPerf counts paths of perf script that are whole and that are cut off.
func TestAddPerf(t *testing.T) {
	program, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	_, offset := entryOf(t, program)
	place := func(offset uint64) string { return fmt.Sprintf("\t   %x (%s)", offset, program) }
	const kernel = "\tffffffff81001234 ([kernel.kallsyms])"
	r := newRoots()
	var c collected
	for _, path := range [][]string{
		{kernel, place(offset + 0x300), place(offset + 8)},
		{place(offset + 0x300), place(offset + 8), "\t0 ([unknown])"}, // a word above the outermost frame
		{place(offset + 0x300), place(offset + 0x200)},
		{kernel},
	} {
		c.addPerf(r, path)
	}
	if want := (collected{user: 3, whole: 2, frames: 7}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}

func TestNodesOf(t *testing.T) {
	const treeAt = 4096
	file := make([]byte, treeAt+240)
	copy(file, "PCTcalls2\n")
	binary.LittleEndian.PutUint64(file[32:], treeAt)
	copy(file[treeAt:], "PCTtree3")
	binary.LittleEndian.PutUint32(file[28:], 200) // bytes of text
	for i, word := range []uint32{96, 1, 1000, 300} {
		binary.LittleEndian.PutUint32(file[treeAt+16+4*i:], word)
	}
	path := filepath.Join(t.TempDir(), "calls")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	// There is not room for all the words.
	if all, counted, err := nodesOf(path); all != 300*4-200 || !counted || err != nil {
		t.Errorf("%d bytes, activations %v, %v; want %d and true", all, counted, err, 300*4-200)
	}
	if err := os.Truncate(path, treeAt); err != nil {
		t.Fatal(err)
	}
	if _, _, err := nodesOf(path); err == nil {
		t.Error("no error about a file without a tree")
	}
}

func TestMapsOfProfile(t *testing.T) {
	var file []byte
	for _, w := range []uint64{0, 3, 0, 10000, 0 /**/, 5, 2, 0x401000, 0x401010 /**/, 0, 1, 0} {
		file = binary.LittleEndian.AppendUint64(file, w)
	}
	file = append(file, "00400000-00403000 r-xp 00001000 fe:00 17 /bin/p\n7f00-7f10 rw-p 0 00:00 0\n"...)
	maps := mapsOfProfile(file)
	if want := (mapping{0x400000, 0x3000, 0x1000, "/bin/p"}); len(maps) != 1 || maps[0] != want {
		t.Errorf("%+v, want %+v alone", maps, want)
	}
}

func TestHighest(t *testing.T) {
	for micros, want := range map[float64]string{10: "1000", 12.5: "800", 0: "not told from 0", -3: "not told from 0"} {
		if got := highest(micros); got != want {
			t.Errorf("samples of %g µs: %s, want %s", micros, got, want)
		}
	}
}

// TestShown: that calls are not counted is told where they should be.
func TestShown(t *testing.T) {
	calls, paths := pathMethod{method: method{name: callsName}}, pathMethod{method: method{name: oursName}}
	for _, tt := range []struct {
		m    pathMethod
		c    collected
		want string
	}{
		{calls, collected{samples: 1}, callsName + ", off"},
		{calls, collected{samples: 1, counted: true}, callsName},
		{calls, collected{}, callsName}, // nothing is known
		{paths, collected{samples: 1}, oursName},
	} {
		if got := tt.m.shown(tt.c); got != tt.want {
			t.Errorf("%+v is shown as %q, want %q", tt.c, got, tt.want)
		}
	}
}
