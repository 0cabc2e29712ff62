package imported

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/profilecollection/pct/pct/data"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text writes the runs of a profile for comparison: a line for each sample.
func text(t *testing.T, p *Profile) string {
	t.Helper()
	dirs, err := p.Write(t.TempDir())
	check(t, err)
	var b strings.Builder
	for _, dir := range dirs {
		r, err := data.Open(dir)
		check(t, err)
		fmt.Fprintf(&b, "%s %d %s %s %v\n", r.Meta.Exe, r.Meta.Pid, r.Header.Resource, r.Header.Unit, r.Header.Period)
		for _, s := range r.Samples() {
			fmt.Fprintf(&b, "%d×%d", s.Count, s.Weight)
			if !s.Untimed {
				fmt.Fprintf(&b, " %v@%d", s.Time, s.Thread)
			}
			if s.Partial {
				b.WriteString(" partial")
			}
			for _, f := range s.Fields {
				fmt.Fprintf(&b, " %s=%s", r.Fields[f.Field], f.Value)
			}
			b.WriteString(":")
			for n := s.Node; n != 0; n = r.Nodes[n].Parent {
				at := r.Nodes[n]
				names, ok := r.Names[data.Place{Object: at.Object, Vaddr: at.Vaddr}]
				if len(names) == 0 {
					fmt.Fprintf(&b, " %s:%#x", r.Objects[at.Object].Path, at.Vaddr)
					if !ok {
						b.WriteString("?")
					}
				}
				for i, name := range names {
					b.WriteString(" " + name.Function)
					if name.Line > 0 {
						fmt.Fprintf(&b, "(%s:%d)", name.File, name.Line)
					}
					if i < len(names)-1 {
						b.WriteString(" ←")
					}
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

const perfText = `# captured on    : Sun Nov 22 19:56:08 2026
my prog 2 14451/14452 [001] 35633.394670:     250000   cpu-clock:u: 
	           1462a handle (a, b)+0xa (/usr/lib/a (b)/libx.so)
	            113c leaf+0x13 (inlined)
	            115a operator()<int (*)(x)>+0x8 (/tmp/my prog (deleted))
	ffffffff813bbd1c update_sd+0x71c ([kernel.kallsyms])
	ffffffffc0a01000 nft_do_chain+0x1 ([nf_tables])
	    7f5a4bcd58a8 [unknown] ([unknown])
	               0 [unknown] (/tmp/my prog)

my prog 14451/14451 35633.395670:          1 page-faults:u: 
	           1ab70 _start+0x0 (/lib/ld.so)

my prog 14451/14451 35633.395670:     250000   cpu-clock:u: 
	            115a main+0x8 (/tmp/my prog)
  t.c:12
	            1160 inner
  i.h:3 (inlined)
	            1160 outer+0x8 (/tmp/my prog)
  t.c:15

my prog 14451/14451 35633.395671: PERF_RECORD_LOST lost 7
other 9/9 35633.395999:     250500 cpu-clock:u:      55bbec49f142 a+0x19 (/tmp/other)
`

func TestPerf(t *testing.T) {
	p, err := Read(strings.NewReader(perfText), Options{Name: "x"})
	check(t, err)
	want := `/tmp/other 9 cpu µs 250.166µs
1×250 1.329ms@9: a
/tmp/my prog 14451 cpu µs 250.166µs
1×250 0s@14452 comm=my prog 2: handle (a, b) leaf ← operator()<int (*)(x)> update_sd nft_do_chain ? ?
1×250 1ms@14451 comm=my prog: main(t.c:12) inner(i.h:3) ← outer(t.c:15)
`
	if got := text(t, p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if p.lost != 7 || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "page-faults:u") {
		t.Errorf("lost %d, warnings %q", p.lost, p.Warnings)
	}
	p, err = Read(strings.NewReader(perfText), Options{Name: "x", Resource: "page-faults"})
	check(t, err)
	if got, want := text(t, p), "my prog 14451 page-faults count 0s\n1×1 0s@14451: _start\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if _, err = Read(strings.NewReader(perfText), Options{Name: "x", Resource: "cycles"}); err == nil ||
		err.Error() != `x has no event "cycles"; there is "cpu-clock:u", "page-faults:u"` {
		t.Errorf("error %v", err)
	}
}

// Threads alone are a process by the name of their command.
func TestPerfWithoutProcesses(t *testing.T) {
	p, err := Read(strings.NewReader("a b  1 5.000001:  1 cycles:  1 f (/a)\na b  2 5.000002:  1 cycles:  1 f (/a)\nc  3 5.000002: 1 cycles: 1 f (/a)\n"), Options{Name: "x"})
	check(t, err)
	want := "a b 0 cycles count 0s\n1×1 0s@1: f\n1×1 1µs@2: f\nc 3 cycles count 0s\n1×1 1µs@3: f\n"
	if got := text(t, p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p, err = Read(strings.NewReader("my prog 14434 \n\t           153e0 update\n\t    7f5a4bcd58a8 [unknown]\n\nmy prog 14434 \n\t 1 f\n\n"), Options{Name: "x"})
	check(t, err)
	want = "my prog 0 samples count 0s\n1×1 thread=14434: update ?\n1×1 thread=14434: f\n"
	if got := text(t, p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestFolded(t *testing.T) {
	src := "# comment\nmain;a b;std::map<int, x>::f 3\n\nmain;a b 2.5\nmain;a b 0.5\n 4\nmain;sys_[k];q;in_[i] 1\r\nmain 0\n"
	p, err := Read(strings.NewReader(src), Options{Name: "/dir/cpu.folded.gz"})
	check(t, err)
	want := "cpu 0 samples count 0s\n3×3: std::map<int, x>::f a b main\n2×2: a b main\n1×1: a b main\n4×4:\n1×1: in ← q sys main\n"
	if got := text(t, p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p, err = Read(strings.NewReader("a;b 3\n"), Options{Name: "x", Period: 1500 * time.Microsecond})
	check(t, err)
	if got, want := text(t, p), "x 0 cpu µs 1.5ms\n3×4500: b a\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func goProfile() *profile.Profile {
	m := &profile.Mapping{ID: 1, Start: 0x400000, Limit: 0x500000, File: "/nowhere/prog", BuildID: "Go/build"}
	f := []*profile.Function{{ID: 1, Name: "main.main", Filename: "/m.go"}, {ID: 2, Name: "", SystemName: "sys"}, {ID: 3, Name: "?"}}
	l := []*profile.Location{
		{ID: 1, Address: 0x401000, Mapping: m, Line: []profile.Line{{Function: f[1], Line: 1}, {Function: f[0], Line: 7}}},
		{ID: 2, Address: 0x401000, Mapping: m, Line: []profile.Line{{Function: f[0], Line: 8}}},
		{ID: 3, Address: 0x402000, Mapping: m},
		{ID: 4, Line: []profile.Line{{Function: f[2]}}},
	}
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10000000, TimeNanos: 1e18, DurationNanos: 1e9,
		Mapping: []*profile.Mapping{m}, Location: l, Function: f,
		Sample: []*profile.Sample{
			{Location: l[:2], Value: []int64{2, 20000500}, Label: map[string][]string{"k": {"v w"}}, NumLabel: map[string][]int64{"n": {-3}}},
			{Location: []*profile.Location{l[2], l[3]}, Value: []int64{1, 500}},
			{Location: l[:1], Value: []int64{-1, -5}},
		},
	}
}

func TestPprof(t *testing.T) {
	var b bytes.Buffer
	check(t, goProfile().Write(&b))
	p, err := Read(&b, Options{Name: "x"})
	check(t, err)
	want := "/nowhere/prog 0 cpu µs 10ms\n2×20000 k=v w n=-3: sys(:1) ← main.main(/m.go:7) main.main(/m.go:8)\n1×1 partial: /nowhere/prog:0x402000?\n"
	if got := text(t, p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "negative") {
		t.Errorf("warnings %q", p.Warnings)
	}
	check(t, goProfile().WriteUncompressed(&b))
	p, err = Read(&b, Options{Name: "x", Resource: "samples"})
	check(t, err)
	if name, unit := p.Resource(); name != "samples" || unit != "count" || p.Samples() != 3 {
		t.Errorf("%d samples of %s (%s)", p.Samples(), name, unit)
	}
}

// What is damaged gives its whole records, and the place of the damage.
func TestDamaged(t *testing.T) {
	var z, whole bytes.Buffer
	w := gzip.NewWriter(&z)
	fmt.Fprint(w, strings.Repeat("main;f 1\n", 100000))
	check(t, w.Close())
	check(t, goProfile().WriteUncompressed(&whole))
	for _, c := range []struct {
		src     string
		samples uint64
		want    string
	}{
		{"", 0, "x is empty"},
		{"\x1f\x8b", 0, "x: gzip: unexpected EOF"},
		{"# only\n\n", 0, "x has none of the known formats"},
		{"a;b 1\nc;d\ne 2\n", 1, `x: line 2 is not a folded stack (FRAME;FRAME;FRAME NUMBER): "c;d"`},
		{"a;b -1\n", 0, "x has none of the known formats"},
		{"a 0\n", 0, "x has no samples"},
		{"{\"a\": 1}\n", 0, "x has none of the known formats"},
		{"PERFILE2\x00", 0, "x is a perf.data file"},
		{whole.String()[:100], 0, "x (100 bytes) is not a complete profile of pprof"},
		{perfText[:len(perfText)-260], 1, "is the end, within a sample"},
		{"p 1 1.000000: 1 cycles: \n\tzz\n", 0, `x: line 2 is neither a frame of perf script`},
		{"p 1 1.000000: 1 cycles: \n\t1 f (/a)\n\nnonsense\n", 1, "x: line 4 does not begin a sample of perf script"},
		{z.String()[:z.Len()-20], 1, "unexpected EOF"},
	} {
		p, err := Read(strings.NewReader(c.src), Options{Name: "x"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: error %v, want %s", c.src, err, c.want)
		}
		if p == nil && c.samples > 0 || p != nil && p.Samples() < c.samples {
			t.Errorf("%.40q: %v, want %d samples", c.src, p, c.samples)
		}
	}
}

// A name of any length and a stack of any depth are taken as they are.
func TestLarge(t *testing.T) {
	name := strings.Repeat("t<", 5000) + strings.Repeat(">", 5000)
	deep := strings.Repeat(name[:20]+";", 10000) + name
	p, err := Read(strings.NewReader(deep+" 1\n"+deep+";\xff\x01 2\n"), Options{Name: "x"})
	check(t, err)
	dirs, err := p.Write(t.TempDir())
	check(t, err)
	r, err := data.Open(dirs[0])
	check(t, err)
	if len(r.Nodes) != 1+10000+2 || p.Samples() != 3 || len(r.Names) != 3 {
		t.Errorf("%d nodes, %d samples, %d names", len(r.Nodes), p.Samples(), len(r.Names))
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	check(f, goProfile().WriteUncompressed(&b))
	f.Add(b.Bytes())
	f.Add([]byte(perfText))
	f.Add([]byte("main;a_[i];b_[k] 3\n 4\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := Read(bytes.NewReader(src), Options{Name: "x"})
		if p == nil && err == nil {
			t.Fatal("neither a profile nor an error")
		}
		if p == nil {
			return
		}
		if p.Samples() == 0 {
			t.Fatal("a profile without samples")
		}
		dirs, err := p.Write(t.TempDir())
		check(t, err)
		for _, dir := range dirs {
			_, err := data.Open(dir)
			check(t, err)
		}
	})
}
