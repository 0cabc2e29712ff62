package ring

import (
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/pct/data"
)

func TestCPUList(t *testing.T) {
	for text, want := range map[string][]int{
		"0": {0}, "0-3": {0, 1, 2, 3}, "0-1,4,6-7": {0, 1, 4, 6, 7}, "": nil, "x-2": nil,
	} {
		if got := cpuList(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Records come out in the order of their time, those that are too young later.
func TestOrder(t *testing.T) {
	var o order
	at := func(times ...time.Duration) {
		for _, x := range times {
			o.pending = append(o.pending, record{time: x})
		}
	}
	take := func(until time.Duration) (times []time.Duration) {
		for _, r := range o.take(until) {
			times = append(times, r.time)
		}
		return times
	}
	at(5, 9, 1, 7)
	if got := take(7); !slices.Equal(got, []time.Duration{1, 5}) {
		t.Errorf("until 7: %v", got)
	}
	at(6, 8)
	if got := take(100); !slices.Equal(got, []time.Duration{6, 7, 8, 9}) {
		t.Errorf("the rest: %v", got)
	}
}

// A ring hands over whole records, also those that go around its end, and stops at
// what is none.
func TestBuffer(t *testing.T) {
	const size, header = 256, 8
	b := &buffer{control: new(unix.PerfEventMmapPage), data: make([]byte, size)}
	put := func(kind uint32, length int) {
		rec := make([]byte, length)
		binary.NativeEndian.PutUint32(rec, kind)
		binary.NativeEndian.PutUint16(rec[6:], uint16(length))
		for i := header; i < length; i++ {
			rec[i] = byte(i)
		}
		for i, c := range rec {
			b.data[(b.control.Data_head+uint64(i))%size] = c
		}
		b.control.Data_head += uint64(length)
	}
	var kinds []uint32
	drain := func() {
		b.drain(func(rec []byte) {
			kinds = append(kinds, binary.NativeEndian.Uint32(rec))
			for i := header; i < len(rec); i++ {
				if rec[i] != byte(i) {
					t.Fatalf("record %d has %d at %d", len(kinds), rec[i], i)
				}
			}
		})
	}
	for kind := uint32(1); kind < 40; kind++ {
		put(kind, 8*int(1+kind%11))
		if kind%2 == 0 {
			drain()
		}
	}
	drain()
	if len(kinds) != 39 || !slices.IsSorted(kinds) {
		t.Errorf("records %v", kinds)
	}
	b.data[(b.control.Data_head+6)%size], b.data[(b.control.Data_head+7)%size] = 0, 0
	b.control.Data_head += 64
	drain()
	if len(kinds) != 39 || b.control.Data_tail != b.control.Data_head {
		t.Errorf("a record of no length: %v, tail %d, head %d", kinds, b.control.Data_tail, b.control.Data_head)
	}
}

// No record, however short, makes the parser fail.
func TestParseShort(t *testing.T) {
	for kind := uint32(0); kind < 20; kind++ {
		for length := range 160 {
			b := make([]byte, length)
			for i := range b {
				b[i] = 0xff
			}
			if length >= 4 {
				binary.NativeEndian.PutUint32(b, kind)
			}
			parse(b, func(uint64) *eventSpec { return &eventSpec{raw: true, result: 16, chain: true, stack: stackBytes} })
		}
	}
}

// A mapping takes the place of what was there, also in the middle of it.
func TestMappings(t *testing.T) {
	p := &process{}
	p.mapped(&mapping{start: 0x1000, end: 0x5000, offset: 0x100000, path: "a"})
	p.mapped(&mapping{start: 0x8000, end: 0x9000, path: "b"})
	p.mapped(&mapping{start: 0x2000, end: 0x3000, path: "c"})
	for addr, want := range map[uint64]string{
		0xfff: "", 0x1000: "a", 0x1fff: "a", 0x2000: "c", 0x2fff: "c", 0x3000: "a", 0x4fff: "a", 0x5000: "", 0x8000: "b", 0x9000: "",
	} {
		got := ""
		if m := p.find(addr); m != nil {
			got = m.path
		}
		if got != want {
			t.Errorf("%#x is in %q, want %q", addr, got, want)
		}
	}
	if m := p.find(0x3000); m.offset != 0x102000 {
		t.Errorf("what follows is at %#x of the file", m.offset)
	}
}

const systemMap = `ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 t first
ffffffff81000200 T second
ffffffff81000240 D not_code
ffffffff81000300 t third
`

// The kernel's functions come from kallsyms, or from a System.map if that hides
// their addresses, and it's said.
func TestKernelSymbols(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open := write("kallsyms", systemMap+"ffffffffc0000000 t of_module\t[fuse]\n")
	hidden := write("hidden", "0000000000000000 T _stext\n0000000000000000 t first\n")
	from := write("System.map", systemMap)
	k := readKernel(open, from)
	for addr, want := range map[uint64]string{
		0xffffffff81000000: "_text", 0xffffffff810001ff: "first", 0xffffffff81000250: "second", 0xffffffffc0000010: "of_module",
		0xffffffff80ffffff: "", 0xffffffffc0200000: "",
	} {
		if s, ok := k.find(addr); s.name != want || ok != (want != "") {
			t.Errorf("%#x is in %q, want %q", addr, s.name, want)
		}
	}
	if s, _ := k.find(0xffffffffc0000010); s.object() != "[kernel:fuse]" || k.note != "" {
		t.Errorf("object %s, note %q", s.object(), k.note)
	}
	k = readKernel(hidden, from)
	if s, _ := k.find(0xffffffff81000150); s.name != "first" || !strings.Contains(k.note, "nokaslr") {
		t.Errorf("by System.map: %q, note %q", s.name, k.note)
	}
	k = readKernel(hidden, dir+"/none")
	if _, ok := k.find(0xffffffff81000150); ok || !strings.Contains(k.note, "not named") {
		t.Errorf("by nothing: note %q", k.note)
	}
}

// The kernel's own histogram gives a count file of what was added to it.
func TestProcProfile(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/profile"
	const step = 0x40
	write := func(counts ...uint32) {
		t.Helper()
		b := binary.NativeEndian.AppendUint32(nil, step)
		for _, n := range counts {
			b = binary.NativeEndian.AppendUint32(b, n)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if profileReadable(file) {
		t.Error("what is not there is readable")
	}
	write(5, 0, 0, 0, 7, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0)
	if !profileReadable(file) {
		t.Error("the file is not readable")
	}
	ticks, err := beginTicks(file)
	if err != nil {
		t.Fatal(err)
	}
	write(5, 0, 0, 0, 10, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0)
	symbols := dir + "/System.map"
	if err := os.WriteFile(symbols, []byte(systemMap), 0o600); err != nil {
		t.Fatal(err)
	}
	into, err := data.Create(dir, "run", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	run := into.Path()
	if err := ticks.write(into, 4711, &kernel{symbols: readSymbols(symbols)}); err != nil {
		t.Fatal(err)
	}
	c, err := data.OpenCounts(run + "/[kernel]")
	if err != nil {
		t.Fatal(err)
	}
	each := map[uint64]uint64{}
	if err := c.Each(func(vaddr, count uint64) { each[vaddr] = count }); err != nil {
		t.Fatal(err)
	}
	if want := map[uint64]uint64{0xffffffff81000100: 3, 0xffffffff81000240: 1}; !maps.Equal(each, want) {
		t.Errorf("counts %#x, want %#x", each, want)
	}
	if c.Object != "[kernel]" || c.ObjectKind != data.ObjectKernel || c.BinSize != step || c.Pid != 4711 || c.Period <= 0 {
		t.Errorf("header %+v", c)
	}
	got, err := os.ReadFile(run + "/kernel.syms")
	if want := "ffffffff81000100 t first\nffffffff81000200 T second\n"; err != nil || string(got) != want {
		t.Errorf("kernel.syms %q, %v", got, err)
	}
	if err := ticks.write(into, 4711, &kernel{}); err == nil || !strings.Contains(err.Error(), "_stext") {
		t.Errorf("without symbols: %v", err)
	}
}
