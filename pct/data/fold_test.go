package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// writeLog makes a log: written is what its header says, the capacity that of the
// records given.
func writeLog(t testing.TB, path string, c *Counts, kind CountKind, written uint64, records []record) {
	t.Helper()
	h := *c
	h.Kind, h.Width, h.BinSize, h.Capacity, h.Written, h.Samples = kind, recordWidth, 1, uint64(len(records)), written, uint64(len(records))
	b, err := h.encode()
	check(t, err)
	for _, r := range records {
		b = binary.LittleEndian.AppendUint64(b, r.time)
		b = binary.LittleEndian.AppendUint32(b, r.offset)
		b = binary.LittleEndian.AppendUint32(b, r.thread)
	}
	check(t, os.WriteFile(path, b, 0o600))
}

func TestLogs(t *testing.T) {
	dir := t.TempDir()
	unwritten := record{time: 1<<64 - 1, offset: 9, thread: 1}
	type line struct {
		time   time.Duration
		thread uint32
		vaddr  uint64
	}
	for _, c := range []struct {
		name    string
		kind    CountKind
		written uint64
		records []record
		want    []line
		each    map[uint64]uint64
	}{
		{"ordered", Log, 3, []record{{1, 4, 7}, {2, 8, 8}, {3, 4, 7}, {4, 12, 7}}, []line{{1, 7, 0x1004}, {2, 8, 0x1008}, {3, 7, 0x1004}}, map[uint64]uint64{0x1004: 2, 0x1008: 1}},
		{"threads", Log, 9, []record{{5, 4, 7}, {2, 8, 8}}, []line{{2, 8, 0x1008}, {5, 7, 0x1004}}, map[uint64]uint64{0x1004: 1, 0x1008: 1}},
		{"unwritten", Log, 3, []record{{5, 4, 7}, unwritten, {}}, []line{{5, 7, 0x1004}}, map[uint64]uint64{0x1004: 1}},
		{"circular", Circular, 5, []record{{4, 4, 7}, {5, 5, 7}, {3, 3, 7}}, []line{{3, 7, 0x1003}, {4, 7, 0x1004}, {5, 7, 0x1005}}, map[uint64]uint64{0x1003: 1, 0x1004: 1, 0x1005: 1}},
	} {
		path := filepath.Join(dir, c.name)
		in := someCounts()
		in.Low = 0x1000
		writeLog(t, path, in, c.kind, c.written, c.records)
		got, err := OpenCounts(path)
		check(t, err)
		var lines []line
		check(t, got.Records(func(at time.Duration, thread uint32, vaddr uint64) { lines = append(lines, line{at, thread, vaddr}) }))
		if !reflect.DeepEqual(lines, c.want) {
			t.Errorf("%s: %v, want %v", c.name, lines, c.want)
		}
		if all := each(t, got); !reflect.DeepEqual(all, c.each) {
			t.Errorf("%s: %v, want %v", c.name, all, c.each)
		}
	}
	path := filepath.Join(dir, "histogram")
	check(t, WriteCounts(path, someCounts(), map[uint64]uint64{1: 1}))
	c, err := OpenCounts(path)
	check(t, err)
	if err := c.Records(nil); err == nil {
		t.Error("a histogram has records")
	}
}

// started is field 22 of /proc/PID/stat.
func started(t testing.TB, pid int) uint64 {
	t.Helper()
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	check(t, err)
	fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))
	n, err := strconv.ParseUint(fields[19], 10, 64)
	check(t, err)
	return n
}

// A run directory of the library: a histogram, a log, a table, and what else stands
// in such a directory.
func TestFold(t *testing.T) {
	start := time.Unix(1700000000, 0)
	d, err := Create(t.TempDir(), "prog", 4711)
	check(t, err)
	check(t, d.WriteMeta(Meta{Pid: 4711, Start: start.UTC(), State: "complete", Collector: "libpct", Exe: "/bin/prog"}))
	in := func(name string) string { return filepath.Join(d.Path(), name) }
	c := someCounts()
	c.Start, c.BuildID, c.Translator, c.Lost, c.Width = start, "ab", "tr -x", 0, 1
	check(t, WriteCounts(in("libm.so.6"), c, map[uint64]uint64{0x10: 3, 0x20: 300}))
	l := *c
	l.Object, l.Start, l.Low, l.Period, l.BuildID, l.Translator, l.ObjectKind = "/bin/prog", start.Add(time.Second), 0x1000, time.Millisecond, "", "", 0
	writeLog(t, in("prog"), &l, Log, 2, []record{{5, 4, 7}, {6, 4, 8}})
	a := *c
	a.Object, a.ObjectKind, a.Translator = "[anon]", 2, ""
	check(t, WriteCounts(in("[anon]"), &a, map[uint64]uint64{0x7f0000000000: 2, 4: 1}))
	check(t, os.WriteFile(in("pc"), []byte("0x10 in main\n"), 0o600))
	check(t, os.WriteFile(in("kernel.syms"), nil, 0o600))
	check(t, os.WriteFile(in("empty"), nil, 0o600))
	check(t, unix.Mkfifo(in("fifo"), 0o600))

	r, err := Open(d.Path())
	check(t, err)
	if len(r.Counts) != 3 || r.Counts[2].Path != in("prog") {
		t.Errorf("%d count files", len(r.Counts))
	}
	r.Counts = nil
	want := &Run{
		Dir: d.Path(),
		Meta: Meta{Version: Version, Pid: 4711, Start: start.UTC(), State: "complete", Collector: "libpct", Exe: "/bin/prog",
			Samples: 263, Lost: 45},
		Header: Header{Resource: "cpu", Unit: "µs", Clock: "prof", Period: 10 * time.Millisecond, Start: start.UTC()},
		Objects: []Object{{},
			{Path: "[anon]", BuildID: "ab", Kind: 2, Start: a.Bias, End: a.Bias, Bias: a.Bias},
			{Path: "/lib/libm.so.6", BuildID: "ab", Kind: 1, Start: c.Bias + 0x10, End: c.Bias + 0x21, Bias: c.Bias, Translator: "tr -x"},
			{Path: "/bin/prog", Start: l.Bias + 0x1000, End: l.Bias + 0x1000, Bias: l.Bias}},
		Nodes:  []Node{{}, {0, 1, 4}, {0, 1, 0x7f0000000000}, {0, 2, 0x10}, {0, 2, 0x20}, {0, 3, 0x1004}},
		Fields: []string{""},
		Packed: packed(
			Sample{Node: 1, Weight: 10000, Count: 1, Untimed: true}, Sample{Node: 2, Weight: 20000, Count: 2, Untimed: true},
			Sample{Node: 3, Weight: 30000, Count: 3, Untimed: true}, Sample{Node: 4, Weight: 2550000, Count: 255, Untimed: true},
			Sample{Time: time.Second + 5, Thread: 7, Node: 5, Weight: 1000, Count: 1}, Sample{Time: time.Second + 6, Thread: 8, Node: 5, Weight: 1000, Count: 1},
		),
		Lost: map[string]uint64{LostCounts: 45},
		Full: 1,
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got  %+v\nwant %+v", r, want)
	}

	// One file alone.
	r, err = Open(in("prog"))
	check(t, err)
	if len(r.Samples()) != 2 || len(r.Objects) != 2 || r.Meta.Exe != "/bin/prog" {
		t.Errorf("prog alone: %+v", r)
	}
	// Without a meta.
	check(t, os.Remove(in("meta")))
	r, err = Open(d.Path())
	check(t, err)
	if len(r.Samples()) != 6 || r.Meta.Pid != 4711 || !r.Meta.Start.Equal(start) {
		t.Errorf("without meta: %+v", r)
	}
	if !IsRun(d.Path()) || IsRun(filepath.Dir(d.Path())) {
		t.Error("IsRun")
	}
}

// A process that is there goes on; one that is not was killed.
func TestAlive(t *testing.T) {
	d, err := Create(t.TempDir(), "sleep", 1)
	check(t, err)
	cmd := exec.Command("sleep", "1000")
	check(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pid := cmd.Process.Pid
	exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	check(t, err)
	m := Meta{Pid: pid, State: "running", Collector: "libpct", Started: started(t, pid), Exe: exe}
	check(t, WriteCounts(filepath.Join(d.Path(), "sleep"), someCounts(), map[uint64]uint64{1: 1}))
	expect := func(state string, writing bool) {
		t.Helper()
		check(t, d.WriteMeta(m))
		r, err := Open(d.Path())
		check(t, err)
		if r.Meta.State != state || r.Writing != writing {
			t.Errorf("%+v: state %s, writing %v, want %s, %v", m, r.Meta.State, r.Writing, state, writing)
		}
	}
	expect("running", true)
	m.Exe = "/bin/another"
	expect("killed", false)
	m.Exe, m.Started = exe, m.Started+1
	expect("killed", false)
	m.Started--
	check(t, cmd.Process.Kill())
	info := new(unix.Siginfo)
	check(t, unix.Waitid(unix.P_PID, pid, info, unix.WEXITED|unix.WNOWAIT, nil)) // it is a zombie now
	expect("killed", false)
	cmd.Wait()
	expect("killed", false)
}

// What is wrong with one file is told, and keeps no other from being read.
func TestDamage(t *testing.T) {
	d, err := Create(t.TempDir(), "prog", 1)
	check(t, err)
	in := func(name string) string { return filepath.Join(d.Path(), name) }
	check(t, WriteCounts(in("good"), someCounts(), map[uint64]uint64{1: 1}))
	whole, err := os.ReadFile(in("good"))
	check(t, err)
	put := func(name string, at int, b ...byte) {
		bad := append([]byte(nil), whole...)
		copy(bad[at:], b)
		check(t, os.WriteFile(in(name), bad, 0o600))
	}
	put("kind", atKind, 9)
	put("width", atWidth, 3)
	put("bin", atBinSize, 0)
	put("capacity", atCapacity, 255, 255, 255, 255, 255, 255, 255, 127)
	put("object", atObject, 0)
	check(t, os.WriteFile(in("header"), whole[:4095], 0o600))
	check(t, os.WriteFile(in("payload"), whole[:4096], 0o600))
	put("resource", atResource, 'r', 'e', 'a', 'l', 0)
	r, err := Open(d.Path())
	check(t, err)
	want := []string{
		"bin: damaged count file: bins of 0 bytes",
		"capacity: damaged count file: room for 9223372036854775807",
		"header: damaged count file: its header is cut off at byte 4095 of 4096",
		"kind: damaged count file: kind 9 is not known",
		"object: damaged count file: it names no object",
		"payload: its counters are cut off at byte 4096 of 4096; the data before it were read",
		"resource measured real and the run cpu, which cannot be added up",
		"width: damaged count file: counters of 3 bytes",
	}
	var got []string
	for _, d := range r.Damage {
		got = append(got, filepath.Base(strings.SplitAfter(d.Error(), "prog.1/")[1]))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(r.Samples()) != 1 || len(r.Objects) != 3 {
		t.Errorf("%d samples in %d objects", len(r.Samples()), len(r.Objects)-1)
	}
	for _, name := range []string{"absent", "kind", "header", "/dev/zero", "/dev/tty"} {
		path := name
		if !filepath.IsAbs(name) {
			path = in(name)
		}
		var not *NotCounts
		if r, err := Open(path); r != nil || !errors.As(err, &not) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, unix.Mkfifo(in("fifo"), 0o600))
	var not *NotCounts
	if _, err := OpenCounts(in("fifo")); !errors.As(err, &not) || !not.Foreign {
		t.Errorf("a FIFO: %v", err)
	}
}

// A count file that is cut off anywhere gives its whole counters and says so.
func TestCountsCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	in := someCounts()
	in.Width = 4
	check(t, WriteCounts(path, in, map[uint64]uint64{0: 1, 1: 2, 2: 3}))
	for size := int64(countHeaderSize + 12); size >= countHeaderSize; size-- {
		check(t, os.Truncate(path, size))
		c, err := OpenCounts(path)
		var torn *Truncated
		if whole := size == countHeaderSize+12; whole != (err == nil) || !whole && (!errors.As(err, &torn) || torn.Offset != size-size%4 || torn.Size != size) {
			t.Fatalf("cut at %d: %v", size, err)
		}
		if all := each(t, c); uint64(len(all)) != uint64(size-countHeaderSize)/4 {
			t.Fatalf("cut at %d: %v", size, all)
		}
	}
}

// A histogram of 4 GB of which a few pages are used is read no further than those.
func TestSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	in := someCounts()
	in.Low, in.Size = 0, 4<<30
	counts := map[uint64]uint64{0: 1, 2 << 30: 1, 4<<30 - 1: 1}
	check(t, WriteCounts(path, in, counts))
	c, err := OpenCounts(path)
	check(t, err)
	if all := each(t, c); !reflect.DeepEqual(all, counts) {
		t.Errorf("%v", all)
	}
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	read := 0
	check(t, c.blocks(f, func(_ uint64, b []byte) { read += len(b) }))
	if read > 1<<20 {
		t.Errorf("%d bytes of a sparse file were read", read)
	}
}

func FuzzCounts(f *testing.F) {
	dir := f.TempDir()
	check(f, WriteCounts(filepath.Join(dir, "h"), someCounts(), map[uint64]uint64{0x10: 1, 0x20: 200}))
	check(f, WriteCounts(filepath.Join(dir, "t"), someCounts(), map[uint64]uint64{0x10: 1, 0x7f0000000000: 200}))
	writeLog(f, filepath.Join(dir, "l"), someCounts(), Log, 2, []record{{1, 2, 3}, {4, 5, 6}})
	writeLog(f, filepath.Join(dir, "c"), someCounts(), Circular, 5, []record{{1, 2, 3}, {4, 5, 6}})
	for _, name := range []string{"h", "t", "l", "c"} {
		src, err := os.ReadFile(filepath.Join(dir, name))
		check(f, err)
		header := bytes.TrimRight(src[:countHeaderSize], "\x00")
		f.Add(header, src[countHeaderSize:], false)
		f.Add(header, src[countHeaderSize:countHeaderSize+1], true)
	}
	// The header's padding is not fuzzed: with it, nearly all time would go into making
	// inputs smaller.
	f.Fuzz(func(t *testing.T, header, payload []byte, cut bool) {
		src := slices.Clone(header)
		if !cut && len(src) < countHeaderSize {
			src = append(src, make([]byte, countHeaderSize-len(src))...)
		}
		src = append(src, payload...)
		path := filepath.Join(dir, "fuzzed")
		check(t, os.WriteFile(path, src, 0o600))
		r, err := Open(path)
		if err == nil {
			consistent(t, r)
		}
		c, err := OpenCounts(path)
		if c == nil {
			return
		}
		var torn *Truncated
		if err != nil && !errors.As(err, &torn) {
			t.Fatal(err)
		}
		each(t, c)
	})
}
