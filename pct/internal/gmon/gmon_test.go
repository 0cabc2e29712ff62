package gmon

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// file is a gmon.out with one record of each kind, and where each ends.
func file() (content []byte, ends []int) {
	le := binary.LittleEndian
	b := append([]byte("gmon\x01\x00\x00\x00"), make([]byte, 12)...)
	ends = append(ends, len(b))
	b = le.AppendUint32(le.AppendUint32(le.AppendUint64(le.AppendUint64(append(b, 0), 0x1000), 0x1010), 4), 100)
	b = append(b, "seconds\x00\x00\x00\x00\x00\x00\x00\x00s"...)
	for _, n := range []uint16{1, 0, 65535, 7} {
		b = le.AppendUint16(b, n)
	}
	ends = append(ends, len(b))
	b = le.AppendUint32(le.AppendUint64(le.AppendUint64(append(b, 1), 0x1002), 0x1008), 42)
	ends = append(ends, len(b))
	b = le.AppendUint32(append(b, 2), 2)
	for _, n := range []uint64{0x1000, 5, 0x1008, 6} {
		b = le.AppendUint64(b, n)
	}
	return b, append(ends, len(b))
}

func TestRead(t *testing.T) {
	content, _ := file()
	d, err := parse(content, "f")
	if err != nil {
		t.Fatal(err)
	}
	h := d.Histograms[0]
	if len(d.Histograms) != 1 || h.Low != 0x1000 || h.High != 0x1010 || h.Rate != 100 || !slices.Equal(h.Bins, []uint64{1, 0, 65535, 7}) {
		t.Errorf("%+v", d.Histograms)
	}
	if !slices.Equal(d.Arcs, []Arc{{0x1002, 0x1008, 42}}) || !slices.Equal(d.Blocks, []Block{{0x1000, 5}, {0x1008, 6}}) {
		t.Errorf("%+v %+v", d.Arcs, d.Blocks)
	}
	sum := &Data{}
	for range 3 {
		if err := sum.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if sum.Samples() != 3*65543 || len(sum.Histograms) != 1 || len(sum.Arcs) != 3 || sum.Rate() != 100 {
		t.Errorf("%+v", sum)
	}
	if d.Samples() != 65543 {
		t.Errorf("the sum changed what was added: %d", d.Samples())
	}
}

// TestCut: of a file that is cut off anywhere the whole records are there.
func TestCut(t *testing.T) {
	content, ends := file()
	for n := range len(content) {
		d, err := parse(content[:n], "f")
		if i, whole := slices.BinarySearch(ends, n); whole {
			if err != nil {
				t.Errorf("%d bytes: %v", n, err)
			}
			continue
		} else if n == 0 {
			if err == nil || !strings.Contains(err.Error(), "it is empty") {
				t.Errorf("empty: %v", err)
			}
			continue
		} else if cut := (*Truncated)(nil); !errors.As(err, &cut) {
			t.Errorf("%d bytes: %v", n, err)
		} else if records := i - 1; records >= 0 && (d == nil || len(d.Histograms)+len(d.Arcs) != records) {
			t.Errorf("%d bytes: %d whole records, got %+v", n, records, d)
		}
	}
}

func TestForeign(t *testing.T) {
	content, ends := file()
	edit := func(at int, with string) string {
		b := slices.Clone(content)
		copy(b[at:], with)
		return string(b)
	}
	bits32 := string(content[:20]) + "\x00\x00\x10\x00\x00\x10\x10\x00\x00\x04\x00\x00\x00\x64\x00\x00\x00seconds\x00\x00\x00\x00\x00\x00\x00\x00s" + strings.Repeat("\x01\x00", 20)
	for _, tt := range []struct{ content, want string }{
		{"\x7fELF\x02\x01\x01 and more than a header", `it does not begin with "gmon"`},
		{"x", `it does not begin with "gmon"`},
		{edit(4, "\x00\x00\x00\x01"), "big-endian"},
		{edit(4, "\x02\x00\x00\x00"), "of version 2, not 1"},
		{bits32, "32-bit"},
		{edit(ends[1], "\x09"), "unknown kind 9"},
		{edit(20+1+20, "\x00\x00\x00\x00"), "0 Hz is damaged"},
		{edit(20+1+16, "\xff\xff\xff\x7f"), "2147483647 bins"},
		{edit(20+1, "\xff\xff\xff\xff\xff\xff\xff\xff"), "is damaged"},
		{string(content) + string(content[20:41]) + "\xc8\x00\x00\x00" + string(content[45:ends[1]]), "100 Hz and another one at 200 Hz"},
		{string(content) + "\x00\x08" + string(content[22:ends[1]]), "of different builds"},
	} {
		d, err := parse([]byte(tt.content), "f")
		if err == nil || d != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, %v, want %q", tt.content, d, err, tt.want)
		}
	}
}

// TestFlipped: no bit that is turned makes the reader panic or take much memory.
func TestFlipped(t *testing.T) {
	content, _ := file()
	for bit := range 8 * len(content) {
		b := slices.Clone(content)
		b[bit/8] ^= 1 << (bit % 8)
		if d, err := parse(b, "f"); err == nil && d.Samples() > 1e6 {
			t.Errorf("bit %d: %d samples", bit, d.Samples())
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		b := slices.Clone(content)
		for range 1 + r.IntN(6) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		_, _ = parse(b, "f") // must return
	}
}

func TestNoProgram(t *testing.T) {
	content, _ := file()
	name := filepath.Join(t.TempDir(), "gmon.out")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Graph(name, strings.ToUpper); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("%v", err)
	}
	if _, err := Read(name + ".not"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
