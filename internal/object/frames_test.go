package object

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

const functions = `
__attribute__((noinline)) int one(int n) { return n * 3; }
__attribute__((noinline)) int two(int n) { return one(n) + one(n + 1); }
int main(int argc, char **argv) { return two(argc); }
`

// TestFrames has the functions that readelf lists, by the search table, without one, and without
// section headers.
func TestFrames(t *testing.T) {
	for _, how := range []string{"-Wl,--eh-frame-hdr", "-Wl,--no-eh-frame-hdr", "bare"} {
		bare := how == "bare"
		if bare {
			how = "-Wl,--eh-frame-hdr"
		}
		program := compile(t, functions, "-O2", "-static", how)
		out, err := exec.Command("readelf", "--debug-dump=frames", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		if bare {
			withoutSections(t, program)
		}
		frames := open(t, program).EHFrames()
		if frames == nil || (frames.hdr == nil) != (how == "-Wl,--no-eh-frame-hdr") {
			t.Fatalf("%s: search table of %+v", how, frames)
		}
		listed := regexp.MustCompile(`FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)`).FindAllSubmatch(out, -1)
		if n := len(frames.Starts()); len(listed) < 5 || len(listed) != n {
			t.Errorf("%s: %d functions, readelf lists %d", how, n, len(listed))
		}
		for _, m := range listed {
			low, _ := strconv.ParseUint(string(m[1]), 16, 64)
			high, _ := strconv.ParseUint(string(m[2]), 16, 64)
			for _, addr := range []uint64{low, (low + high) / 2, high - 1} {
				if d, ok := frames.Find(addr); !ok || d.Start != low || d.End != high {
					t.Errorf("%s: 0x%x is in the function at 0x%x, %v, want 0x%x", how, addr, d.Start, ok, low)
				}
			}
		}
		if d, ok := frames.Find(0); ok {
			t.Errorf("%s: 0 is in the function at 0x%x", how, d.Start)
		}
	}
}

// section makes an .eh_frame of a CIE that encodes addresses so, and an FDE for each address.
func section(order binary.AppendByteOrder, encoding byte, addresses ...[]byte) []byte {
	cie := append([]byte{0, 0, 0, 0, 1}, "zPLR\x00\x01\x78\x10\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	cie[len("\x00\x00\x00\x00\x01zPLR\x00\x01\x78\x10")] = byte(len("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00") + 1)
	cie = append(cie, encoding)
	b := order.AppendUint32(nil, uint32(len(cie)))
	b = append(b, cie...)
	for _, a := range addresses {
		b = order.AppendUint32(b, uint32(4+len(a)+1))
		b = order.AppendUint32(b, uint32(len(b)))
		b = append(append(b, a...), 0) // no augmentation data
	}
	return b
}

// TestFrameEncodings has the ways to write an address that no compiler here uses.
func TestFrameEncodings(t *testing.T) {
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
		f := newEHFrames(layout{}, section(binary.LittleEndian, c.encoding, c.address), 0x5000, nil, 0, false)
		d, ok := f.Find(0x101f)
		if ok != c.known || ok && d.Start != 0x1000 {
			t.Errorf("%s: 0x%x, %v", c.name, d.Start, ok)
		}
	}
	big := newEHFrames(layout{big: true, narrow: true}, section(binary.BigEndian, 0x03, []byte{0, 0, 0x10, 0, 0, 0, 0, 0x20}), 0x5000, nil, 0, false)
	if d, ok := big.Find(0x101f); !ok || d.Start != 0x1000 || d.End != 0x1020 {
		t.Errorf("big-endian: %+v, %v", d, ok)
	}
}

// A length of zero ends the entries of one of the objects that were linked, wherever it stands:
// others may follow, as readelf has it.
func TestZeroTerminator(t *testing.T) {
	at := func(n byte) []byte { return []byte{0, n, 0, 0, 0x20, 0, 0, 0} }
	first := section(binary.LittleEndian, 0x03, at(0x10), at(0x20))
	ended := append(slices.Clone(first), 0, 0, 0, 0)
	more := section(binary.LittleEndian, 0x03, at(0x10), at(0x30))
	frames := newEHFrames(layout{}, append(ended, more...), 0, nil, 0, false)
	if got, want := frames.Starts(), []uint64{0x1000, 0x2000, 0x1000, 0x3000}; !slices.Equal(got, want) {
		t.Errorf("functions at %#x, want %#x", got, want)
	}
	if d, ok := frames.Find(0x301f); !ok || d.Start != 0x3000 {
		t.Errorf("%+v, %v", d, ok)
	}
	// Where the section's end isn't known, what follows is something else.
	frames = newEHFrames(layout{}, append(ended, more...), 0, nil, 0, true)
	if got, want := frames.Starts(), []uint64{0x1000, 0x2000}; !slices.Equal(got, want) {
		t.Errorf("functions at %#x, want %#x", got, want)
	}
}

func FuzzFrames(f *testing.F) {
	g := open(f, compile(f, functions, "-O2"))
	s := g.Section(".eh_frame")
	b := bytes.Clone(g.Contents(s))
	eh := g.EHFrames()
	hdr := append([]byte{1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, byte(len(eh.hdr) / 8), 0, 0, 0}, eh.hdr...)
	f.Add(b, hdr, s.Addr, false)
	f.Add(b, []byte(nil), s.Addr, false)
	f.Add(bytes.Repeat([]byte{0xff}, 64), []byte(nil), uint64(0), true)
	f.Add([]byte("\x10\x00\x00\x00\xff\xff\xff\xff\x03\x00\x01\x78\x10\x0c\x07\x08\x90\x01\x00\x00"+
		"\x1c\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x41\x0e\x10\x00"),
		[]byte(nil), uint64(0x1010), true)
	for i := 1; i < len(b); i += 13 {
		f.Add(b[:i], hdr, s.Addr+uint64(i), false)
	}
	f.Fuzz(func(t *testing.T, b, hdr []byte, addr uint64, debug bool) {
		frames := newEHFrames(layout{}, b, s.Addr, hdr, eh.hdrAt, false)
		if debug {
			frames = newDebugFrames(layout{}, b)
		}
		if d, ok := frames.Find(addr); ok && (addr < d.Start || addr >= d.End || d.Program.P > len(b)) {
			t.Errorf("%#x is in %+v", addr, d)
		}
		starts := frames.Starts()
		for _, start := range starts {
			frames.Find(start)
		}
		if len(starts) > len(b)/8 {
			t.Errorf("%d functions in %d bytes", len(starts), len(b))
		}
	})
}

// TestDamagedFrames changes each byte of a program's entries: there are no more of them by that.
func TestDamagedFrames(t *testing.T) {
	program := compile(t, functions, "-O2")
	image, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, program)
	s := f.Section(".eh_frame")
	whole := len(f.EHFrames().Starts())
	if whole < 3 {
		t.Fatalf("%d entries", whole)
	}
	for i := range s.FileSize {
		for _, damage := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			damaged := bytes.Clone(image[s.Offset : s.Offset+s.FileSize])
			damaged[i] = damage
			frames := newEHFrames(layout{}, damaged, s.Addr, nil, 0, false)
			if n := len(frames.Starts()); n > 2*whole {
				t.Fatalf("%d entries instead of %d with %#x at byte %d", n, whole, damage, i)
			}
		}
	}
}
