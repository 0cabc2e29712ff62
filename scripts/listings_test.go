package scripts_test

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// TestListingsExample makes the listings of the documentation's program: that of the
// source as it is printed there, that of the machine code but for addresses and what
// compilers may choose.
func TestListingsExample(t *testing.T) {
	pctInPath(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "hot.c"), fenced(t, "c")[0])
	inDir(t, dir, "gcc", "-O2", "-g", "-o", "hot", "hot.c")
	object := filepath.Join(dir, "hot")
	looping := symbol(t, object, "looping")
	const nop = 1 // byte
	run := sampled(t, dir, object, 1, map[uint64]int{looping: 8, looping + nop: 2})

	text, err := os.ReadFile(listings)
	if err != nil {
		t.Fatal(err)
	}
	_, want, found := strings.Cut(string(text), "\n/src/hot.c:")
	want, _, ended := strings.Cut(want, "```\n")
	if !found || !ended {
		t.Fatalf("%s has no listing of /src/hot.c", listings)
	}
	got := inDir(t, dir, "pct", "annotate%", run)
	if _, got, _ = strings.Cut(got, "\n"+object+".c:"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	code := inDir(t, dir, "pct", "disasm", run)
	for _, want := range []string{
		"\nmain in " + object + " at 0x", ": 100.0%, 10 samples\n",
		"\n       |\t\thot.c:6   __asm__ volatile (\"looping: nop\");\n     8 |", ":\tnop\n       |\t\thot.c:7   sink = n;\n     2 |",
	} {
		if !strings.Contains(code, want) {
			t.Errorf("%q is not in\n%s", want, code)
		}
	}
}

// sampled writes the run directory PROG.PID of samples at addresses of an object.
func sampled(t *testing.T, dir, object string, pid int, counts map[uint64]int) string {
	t.Helper()
	d, err := data.Create(dir, filepath.Base(object), pid)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for vaddr, n := range counts {
		s := data.Sample{Weight: 10000, Thread: 1, Node: w.Node(0, w.Object(object, "", 0, 0, 0, 0), vaddr)}
		for range n {
			if err := w.Sample(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteMeta(data.Meta{Argv: []string{filepath.Base(object)}, Pid: pid, State: "complete"}); err != nil {
		t.Fatal(err)
	}
	return d.Path()
}

// symbol returns the address of a symbol.
func symbol(t *testing.T, object, name string) uint64 {
	t.Helper()
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("%s has no symbol %s", object, name)
	return 0
}
