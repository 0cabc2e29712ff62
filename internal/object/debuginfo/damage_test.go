package debuginfo

import (
	"debug/elf"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"testing"
)

// sections returns the debug sections of a small program, compiled as flags say,
// and an address within it.
func sections(tb testing.TB, flags ...string) ([]byte, uint64) {
	tb.Helper()
	program := filepath.Join(tb.TempDir(), "program")
	source := filepath.Join("..", "..", "..", "translators", "addr2line", "testdata", "chain.c")
	argv := append(flags, "-I", filepath.Join("..", "..", "..", "translators", "addr2line", "testdata", "include"), "-o", program, source)
	if out, err := exec.Command("gcc", argv...).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	f, err := elf.Open(program)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var all [][]byte
	for _, name := range []string{"info", "abbrev", "line", "line_str", "str", "str_offsets", "addr", "ranges", "rnglists"} {
		var data []byte
		if s := f.Section(".debug_" + name); s != nil {
			if data, err = s.Data(); err != nil {
				tb.Fatal(err)
			}
		}
		all = append(all, data)
	}
	return pack(all), f.Section(".text").Addr
}

// pack and unpack turn sections into one piece of data and back: each behind its
// length.
func pack(all [][]byte) []byte {
	var b []byte
	for _, data := range all {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
		b = append(b, data...)
	}
	return b
}

func unpack(b []byte) Sections {
	next := func() []byte {
		if len(b) < 4 {
			return nil
		}
		n := min(int(binary.LittleEndian.Uint32(b)), len(b)-4)
		data := b[4 : 4+n]
		b = b[4+n:]
		return data
	}
	return Sections{
		Info: next(), Abbrev: next(), Line: next(), LineStr: next(), Str: next(),
		StrOffsets: next(), Addr: next(), Ranges: next(), RngLists: next(),
	}
}

// ask asks for an address, and for those where something begins.
func ask(d *Data, addr uint64) (frames int) {
	frames = len(d.Frames(nil, addr, Detail{}))
	for i, s := range d.code {
		if i == 20 {
			break
		}
		frames += len(d.Frames(nil, s.low, Detail{}))
		for _, u := range d.units {
			if u.tree == nil {
				continue
			}
			for j, s := range u.tree.code {
				if j == 20 {
					break
				}
				frames += len(d.Frames(nil, s.low, Detail{}))
			}
		}
	}
	return frames
}

var variants = [][]string{{"-gdwarf-5", "-O2"}, {"-gdwarf-4", "-O2"}, {"-gdwarf-2", "-O1"}, {"-gdwarf-5", "-gdwarf64", "-O2"}, {"-g", "-gsplit-dwarf", "-O1"}}

// Damaged data is read to an end without a fault.
func FuzzFrames(f *testing.F) {
	for _, flags := range variants {
		data, addr := sections(f, flags...)
		f.Add(data, addr)
	}
	f.Fuzz(func(t *testing.T, data []byte, addr uint64) {
		sup := New(unpack(data), nil, 0)
		ask(New(unpack(data), sup, 1), addr)
	})
}

// Cut short anywhere and with any byte changed, the data of a real program is
// read to an end without a fault.
func TestDamage(t *testing.T) {
	for _, flags := range variants {
		data, addr := sections(t, flags...)
		if ask(New(unpack(data), nil, 1), addr) == 0 {
			t.Errorf("%v: no frames in good data", flags)
		}
		step := max(1, len(data)/500)
		for i := 0; i < len(data); i += step {
			ask(New(unpack(data[:i]), nil, 1), addr)
			old := data[i]
			for _, b := range []byte{old ^ 1, old ^ 0x80, 0, 0xff} {
				data[i] = b
				ask(New(unpack(data), nil, 1), addr)
			}
			data[i] = old
		}
	}
}
