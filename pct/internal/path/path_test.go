package path

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

// fakeTranslator knows addresses by heart; all others are unknown.
type fakeTranslator map[uint64][]translators.Location

func (f fakeTranslator) TranslateBuild(object, _ string, vaddrs []uint64) ([][]translators.Location, error) {
	if object == "/broken" {
		return nil, errors.New("translator is broken")
	}
	var all [][]translators.Location
	for _, v := range vaddrs {
		frames := f[v]
		if frames == nil {
			frames = []translators.Location{{}}
		}
		all = append(all, frames)
	}
	return all, nil
}

// The program of these tests: main calls even and odd, which call each other;
// odd has inlined leaf; start is what calls main; sym has no line.
const (
	atStart, atMain, atEven, atOdd, atSym, atBare uint64 = 0x10, 0x20, 0x30, 0x40, 0x50, 0x60
)

var translator = fakeTranslator{
	atStart: {{Func: "_start", File: "/crt/start.S", Line: 9}},
	atMain:  {{Func: "main", File: "/src/main.c", Line: 20}},
	atEven:  {{Func: "even", File: "/src/lib.c", Line: 30}},
	atOdd:   {{Func: "leaf", File: "/src/leaf.h", Line: 1, Inlined: true}, {Func: "odd", File: "/src/lib.c", Line: 40}},
	atSym:   {{Func: "sym"}},
}

// call is a sample of a test: its frames outermost first.
type call struct {
	weight  uint64
	frames  []uint64
	partial bool
	fields  map[string]string
	thread  uint32
}

// writeRun makes a run directory of the samples in object.
func writeRun(t testing.TB, object string, meta data.Meta, calls ...call) string {
	t.Helper()
	d, err := data.Create(t.TempDir(), "prog", 1)
	check(t, err)
	check(t, d.WriteMeta(meta))
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond})
	check(t, err)
	o := w.Object(object, "", 'f', 0, 0, 0)
	for i, c := range calls {
		var node data.NodeID
		for _, vaddr := range c.frames {
			node = w.Node(node, o, vaddr)
		}
		s := data.Sample{Time: time.Duration(i) * time.Second, Node: node, Weight: c.weight, Partial: c.partial, Thread: c.thread}
		for name, value := range c.fields {
			s.Fields = append(s.Fields, data.FieldValue{Field: w.Field(name), Value: value})
		}
		check(t, w.Sample(s))
	}
	check(t, w.Close())
	return d.Path()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// selection opens runs and takes the samples for which where holds, "" all.
func selection(t testing.TB, where string, dirs ...string) *Selection {
	t.Helper()
	runs, err := Open(dirs)
	check(t, err)
	var e *Expr
	if where != "" {
		e, err = ParseExpr(where)
		check(t, err)
	}
	s, err := runs.Select(nil, e)
	check(t, err)
	return s
}

// text writes a profile for comparison: weight, samples, group, frames.
func text(p *Profile) string {
	var b strings.Builder
	for _, r := range p.Rows {
		fmt.Fprintf(&b, "%d %d ", r.Weight, r.Samples)
		if r.Group != "" {
			fmt.Fprintf(&b, "[%s] ", r.Group)
		}
		fmt.Fprintf(&b, "%s\n", strings.Join(r.Path.Names(), " <- "))
	}
	if p.Hidden > 0 {
		fmt.Fprintf(&b, "%d %d hidden\n", p.HiddenWeight, p.Hidden)
	}
	return b.String()
}

var calls = []call{
	{weight: 50, frames: []uint64{atStart, atMain, atEven, atOdd}},
	{weight: 20, frames: []uint64{atStart, atMain, atEven, atOdd, atEven}},
	{weight: 10, frames: []uint64{atStart, atMain, atSym}},
	{weight: 8, frames: []uint64{atStart, atMain, atEven, atOdd}},
	{weight: 6, frames: []uint64{atBare, atSym}, partial: true},
	{weight: 3, frames: []uint64{atMain, atSym}, partial: true},
	{weight: 3},
}

func TestProfiles(t *testing.T) {
	paths, flat := (*Selection).Paths, (*Selection).Flat
	for _, c := range []struct {
		name    string
		compute func(*Selection, Translator, Options) (*Profile, error)
		options Options
		want    string
	}{
		{"paths", paths, Options{Granularity: Symbol}, `
58 2 leaf <- odd <- even <- main
20 1 even <- leaf <- odd <- even <- main
13 2 sym <- main
6 1 sym <- prog:0x60 <- ?
3 1 ?
`},
		{"past main", paths, Options{Granularity: Symbol, PastMain: true}, `
58 2 leaf <- odd <- even <- main <- _start
20 1 even <- leaf <- odd <- even <- main <- _start
10 1 sym <- main <- _start
6 1 sym <- prog:0x60 <- ?
3 1 ?
3 1 sym <- main <- ?
`},
		{"limited", paths, Options{Granularity: Symbol, Levels: 2}, `
58 2 leaf <- odd
20 1 even <- leaf
13 2 sym <- main
6 1 sym <- prog:0x60
3 1 ?
`},
		{"lines", paths, Options{Granularity: Line, Levels: 3}, `
58 2 leaf.h:1 <- lib.c:40 <- lib.c:30
20 1 lib.c:30 <- leaf.h:1 <- lib.c:40
13 2 prog:sym <- main.c:20
6 1 prog:sym <- prog:0x60 <- ?
3 1 ?
`},
		{"addresses", paths, Options{Granularity: Address, Levels: 2}, `
58 2 prog:0x40 <- prog:0x30
20 1 prog:0x30 <- prog:0x40
13 2 prog:0x50 <- prog:0x20
6 1 prog:0x50 <- prog:0x60
3 1 ?
`},
		{"sources", paths, Options{Granularity: Source, PastMain: true}, `
58 2 leaf.h <- lib.c <- main.c <- start.S
20 1 lib.c <- leaf.h <- lib.c <- main.c <- start.S
10 1 prog <- main.c <- start.S
6 1 prog <- ?
3 1 ?
3 1 prog <- main.c <- ?
`},
		{"objects", paths, Options{Granularity: Object}, `
91 5 prog
6 1 prog <- ?
3 1 ?
`},
		{"rows", paths, Options{Granularity: Symbol, Rows: 1}, `
58 2 leaf <- odd <- even <- main
42 4 hidden
`},
		{"threshold", paths, Options{Granularity: Symbol, Threshold: 0.13}, `
58 2 leaf <- odd <- even <- main
20 1 even <- leaf <- odd <- even <- main
13 2 sym <- main
9 2 hidden
`},
		{"flat symbols", flat, Options{Granularity: Symbol}, `
58 2 /bin/prog:leaf
20 1 /bin/prog:even
19 3 /bin/prog:sym
3 1 ?
`},
		{"flat lines", flat, Options{Granularity: Line}, `
58 2 /src/leaf.h:1
20 1 /src/lib.c:30
19 3 /bin/prog:sym
3 1 ?
`},
		{"flat addresses", flat, Options{Granularity: Address}, `
58 2 /bin/prog:0x40
20 1 /bin/prog:0x30
19 3 /bin/prog:0x50
3 1 ?
`},
		{"flat sources", flat, Options{Granularity: Source}, `
58 2 /src/leaf.h
20 1 /src/lib.c
19 3 /bin/prog
3 1 ?
`},
		{"flat objects", flat, Options{Granularity: Object}, `
97 6 /bin/prog
3 1 ?
`},
		{"total counts recursion once", flat, Options{Granularity: Symbol, Total: true}, `
91 5 /bin/prog:main
78 3 /bin/prog:even
78 3 /bin/prog:leaf
78 3 /bin/prog:odd
19 3 /bin/prog:sym
6 1 /bin/prog:0x60
3 1 ?
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := c.compute(selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, calls...)), translator, c.options)
			check(t, err)
			if got := text(p); got != c.want[1:] {
				t.Errorf("got\n%swant%s", got, c.want)
			}
			if p.Samples != 7 || p.Weight != 100 {
				t.Errorf("%d samples of weight %d", p.Samples, p.Weight)
			}
		})
	}
}

func TestWithoutTranslator(t *testing.T) {
	p, err := selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, call{weight: 1, frames: []uint64{atMain, atOdd}})).
		Paths(nil, Options{Granularity: Symbol})
	check(t, err)
	if got, want := text(p), "1 1 prog:0x40 <- prog:0x20\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTranslatorFails(t *testing.T) {
	_, err := selection(t, "", writeRun(t, "/broken", data.Meta{}, calls...)).Flat(translator, Options{})
	if err == nil || err.Error() != "translator is broken" {
		t.Errorf("error %v", err)
	}
}

func TestRunsAddUp(t *testing.T) {
	a := writeRun(t, "/bin/a", data.Meta{}, calls...)
	b := writeRun(t, "/bin/b", data.Meta{}, calls...)
	p, err := selection(t, "", a, b).Paths(translator, Options{Granularity: Symbol, Levels: 1})
	check(t, err)
	if got, want := text(p), "116 4 leaf\n40 2 even\n38 6 sym\n6 2 ?\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p, err = selection(t, "", a, b).Flat(translator, Options{Granularity: Object, By: "process"})
	check(t, err)
	if got, want := text(p), "97 6 [process=prog.1] /bin/a\n97 6 [process=prog.1] /bin/b\n6 2 [process=prog.1] ?\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestUnlikeRunsDoNotAddUp(t *testing.T) {
	a := writeRun(t, "/bin/a", data.Meta{}, calls...)
	d, err := data.Create(t.TempDir(), "faults", 1)
	check(t, err)
	w, err := d.NewWriter(data.Header{Resource: "faults", Unit: "1"})
	check(t, err)
	check(t, w.Sample(data.Sample{Weight: 1}))
	if _, err := Open([]string{a, d.Path()}); err == nil || !strings.Contains(err.Error(), "cannot be added up") {
		t.Errorf("error %v", err)
	}
}

// valued are samples with a number n, a text name, and what a debugger makes of
// other types.
var valued = []call{
	{weight: 10, frames: []uint64{atMain}, fields: map[string]string{"n": "5", "name": `0x4006 "x"`, "ok": "true", "kind": "RED"}},
	{weight: 10, frames: []uint64{atMain}, fields: map[string]string{"n": "18446744073709551615", "name": `"say \"y\""`, "ok": "false", "kind": "GREEN"}},
	{weight: 20, frames: []uint64{atEven}, fields: map[string]string{"n": "-3", "a->b": "0x401136 <main+4>"}, thread: 7},
	{weight: 40, frames: []uint64{atEven}, fields: map[string]string{"n": "18446744073709551614", "a->b": "2.5e+30"}},
	{weight: 80, frames: []uint64{atEven}, partial: true},
}

func TestWhere(t *testing.T) {
	dir := writeRun(t, "/bin/prog", data.Meta{Exe: "/bin/prog", Pid: 12}, valued...)
	for _, c := range []struct {
		where  string
		weight uint64
	}{
		{`n > 4`, 60},
		{`n>4&&n<18446744073709551615`, 50},
		{`n == 18446744073709551615`, 10},
		{`n != 18446744073709551615`, 70},
		{`n >= 18446744073709551614`, 50},
		{`n <= -3`, 20},
		{`n < -3 || n == 5`, 10},
		{`0 > n`, 20},
		{`!(n > 4)`, 100},
		{`!n`, 80},
		{`n`, 80},
		{`name == "x"`, 10},
		{`name == 'say "y"'`, 10},
		{`name != "x"`, 10},
		{`name ~ "^x$"`, 10},
		{`name ~ "say"`, 10},
		{`name !~ "say"`, 10},
		{`name == "x" || name ~ "y" && kind == "GREEN"`, 20},
		{`ok`, 10},
		{`ok == "false"`, 10},
		{`kind == "RED" && !partial`, 10},
		{`partial`, 80},
		{"`a->b` == 0x401136", 20},
		{"`a->b` > 1e30", 40},
		{`a->b > 1e30`, 40},
		{`a->b > 1e30 && strcmp(kind, "GREEN") == 0 || !strcmp(name, "x") && name`, 10},
		{`strcmp(name, "y") < 0 && strlen(name) > 1`, 10},
		{`strncmp(kind, "GR", 2) == 0`, 10},
		{`strcmp(name, kind)`, 20},
		{`strlen(kind) == 3`, 10},
		{`ok == true`, 10},
		{`partial == 1`, 80},
		{`partial == false`, 80},
		{`n == n`, 80},
		{`kind != name`, 20},
		{`weight >= 40`, 120},
		{`thread == 7`, 20},
		{`time >= 2.5`, 120},
		{`exe == "/bin/prog" && pid == 12`, 160},
		{`process == "prog.1"`, 160},
	} {
		if got := selection(t, c.where, dir).weight; got != c.weight {
			t.Errorf("%s selects the weight %d, want %d", c.where, got, c.weight)
		}
	}
}

func TestWhereErrors(t *testing.T) {
	for _, c := range []struct{ where, want string }{
		{``, "column 1: it ends too early"},
		{`n >`, "column 4: it ends too early"},
		{`n = 5`, `column 3: "= 5" has no meaning here; equality is ==`},
		{`n > 5 & x`, `column 7: "& x" has no meaning here; and is &&`},
		{`n > 5 n`, `column 7: "n" cannot stand here`},
		{`(n > 5`, "column 7: it ends too early"},
		{`n > "x"`, "column 1: > compares numbers, not texts"},
		{`n ~ 5`, "column 1: ~ needs a regular expression in quotes"},
		{`a && n ~ "("`, "column 6: error parsing regexp"},
		{`strcmp(n) == 0`, "column 1: strcmp takes 2 arguments"},
		{`n && strlen(strcpy(n)) > 0`, "column 6: there is no function strcpy; there are strcmp, strncmp, strlen"},
		{`strcmp(n, `, `column 9: "," cannot stand here`},
		{`strcmp(n "x") == 0`, `column 10: "\"x\"" cannot stand here`},
		{`"x"`, "column 1: a number or a string alone is not a condition"},
		{`n == "x`, `column 6: "\"x" has no meaning here`},
	} {
		_, err := ParseExpr(c.where)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.where, err, c.want)
		}
	}
	_, err := ParseExpr("ü && n = 5")
	if want := "column 8: \"= 5\" has no meaning here; equality is ==\n  ü && n = 5\n         ^"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestSelectErrors(t *testing.T) {
	dir := writeRun(t, "/bin/prog", data.Meta{Notes: []string{"1 samples have no value of x: optimized out.", "1 samples have no value of y: a void"}}, valued[0])
	runs, err := Open([]string{dir})
	check(t, err)
	for _, c := range []struct{ where, want string }{
		{"m > 1", `no sample has a value "m": the fields are `},
		{"x > 1", `no sample has a value "x": optimized out; the fields are `},
		{"n > 5", "the only sample is not selected by n > 5"},
	} {
		e, err := ParseExpr(c.where)
		check(t, err)
		if _, err := runs.Select(nil, e); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.where, err, c.want)
		}
	}
}

func TestBy(t *testing.T) {
	p, err := selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, valued...)).Paths(translator, Options{Granularity: Symbol, By: "kind"})
	check(t, err)
	want := `80 1 [kind=-] even <- ?
60 2 [kind=-] even
10 1 [kind=GREEN] main
10 1 [kind=RED] main
`
	if got := text(p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestStandardError(t *testing.T) {
	// The author's example: 81 of 810 is 10 % ± 1.05 %.
	p := &Profile{Samples: 810, Weight: 8100}
	if got := p.StandardError(p.Fraction(810)); math.Abs(got-0.01054) > 0.00001 {
		t.Errorf("%v", got)
	}
}

func TestEmptyRuns(t *testing.T) {
	short := data.Meta{State: "complete", CPU: 3 * time.Millisecond, Period: 10 * time.Millisecond}
	for _, c := range []struct {
		name string
		dirs []string
		want string
	}{
		{"short", []string{writeRun(t, "", short)}, "the program used 3ms of CPU time and a sample is taken each 10ms; use a shorter period"},
		{"running", []string{writeRun(t, "", data.Meta{State: "running"})}, "no samples yet"},
		{"unknown", []string{writeRun(t, "", data.Meta{})}, "less CPU time than one period"},
		{"several", []string{writeRun(t, "", short), writeRun(t, "", short)}, "none of the 2 runs has a sample"},
	} {
		runs, err := Open(c.dirs)
		check(t, err)
		_, err = runs.Select(nil, nil)
		var none *NoSamples
		if !errors.As(err, &none) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestAllLost(t *testing.T) {
	d, err := data.Create(t.TempDir(), "prog", 1)
	check(t, err)
	w, err := d.NewWriter(data.Header{})
	check(t, err)
	check(t, w.Lost(3, "no answer"))
	check(t, w.Close())
	runs, err := Open([]string{d.Path()})
	check(t, err)
	if _, err = runs.Select(nil, nil); err == nil || !strings.Contains(err.Error(), "all 3 were lost (no answer)") {
		t.Error(err)
	}
}

func TestSummary(t *testing.T) {
	meta := data.Meta{Argv: []string{"prog", "-x"}, CPU: 2 * time.Second, State: "running", Notes: []string{"slow"}}
	a := writeRun(t, "/bin/a", meta, calls...)
	b := writeRun(t, "/bin/b", meta, calls...)
	runs, err := Open([]string{a, b})
	check(t, err)
	want := Summary{
		Commands: []string{"prog -x"}, Programs: 2, Processes: 2, Cut: 2, CPU: 4 * time.Second, Samples: 14, Resource: "cpu", Clocks: []string{"perf"},
		Asked: 100, Got: 3.5, Partial: 4, Notes: []string{"slow"},
	}
	if got := runs.Summary(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// The first command of a run stays where it is; those that it started come by their samples, as a report names only
// some of many.
func TestSummaryNamesHotCommands(t *testing.T) {
	var dirs []string
	for _, c := range []struct {
		command string
		samples int
	}{{"make", 1}, {"as", 0}, {"cc1 a", 3}, {"cc1 b", 5}, {"cc1 a", 3}} {
		dirs = append(dirs, writeRun(t, "/bin/"+c.command, data.Meta{Argv: strings.Fields(c.command)}, calls[:c.samples]...))
	}
	runs, err := Open(dirs)
	check(t, err)
	if got, want := runs.Summary().Commands, []string{"make", "cc1 a", "cc1 b", "as"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTruncatedRun(t *testing.T) {
	dir := writeRun(t, "/bin/prog", data.Meta{}, calls...)
	file := filepath.Join(dir, "paths.cpu")
	st, err := os.Stat(file)
	check(t, err)
	check(t, os.Truncate(file, st.Size()-1))
	runs, err := Open([]string{dir})
	check(t, err)
	if len(runs.Warnings) != 1 || runs.Summary().Samples != len(calls)-1 {
		t.Errorf("%d samples, warnings %q", runs.Summary().Samples, runs.Warnings)
	}
}

func TestTabulate(t *testing.T) {
	s := selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, valued...))
	columns, err := s.Tabulate(nil, []string{"thread", "kind"}, Options{})
	check(t, err)
	want := []Column{
		{Name: "thread", Values: 5, Weight: 160, Share: 1, Numeric: true, Frequent: []Frequency{{"0", 4, 140}, {"7", 1, 20}},
			Distribution: Distribution{Numbers: 5, Min: 0, Median: 0, Mean: 1.4, High: 7, Max: 7, Quantities: []Quantity{{0, 4}, {7, 1}}}},
		{Name: "kind", Values: 2, Missing: 3, Weight: 20, Share: 0.125, Frequent: []Frequency{{"GREEN", 1, 10}, {"RED", 1, 10}}},
	}
	if !reflect.DeepEqual(columns, want) {
		t.Errorf("got  %+v\nwant %+v", columns, want)
	}
	all, err := s.Tabulate(nil, nil, Options{})
	check(t, err)
	if len(all) != 5 {
		t.Errorf("%d fields", len(all))
	}
	values, missing, err := s.Values([]string{"n", "a->b"})
	check(t, err)
	if want := []ValueRow{{[]string{"-3", "0x401136 <main+4>"}, 1}, {[]string{"18446744073709551614", "2.5e+30"}, 1}}; missing != 3 || !reflect.DeepEqual(values, want) {
		t.Errorf("%v, %d missing", values, missing)
	}
	if _, err := s.Tabulate(nil, []string{"absent"}, Options{}); err == nil {
		t.Error("an absent field was tabulated")
	}
	if _, err := selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, calls...)).Tabulate(nil, nil, Options{}); err == nil {
		t.Error("no fields were tabulated")
	}
}

func TestParseNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"42", 42, true},
		{"-7", -7, true},
		{"-0", 0, true},
		{"007", 7, true},
		{"0x10 <main+4>", 16, true},
		{"(node *) 0x10", 16, true},
		{"65 'A'", 65, true},
		{"1.5e+3", 1500, true},
		{".5", .5, true},
		{`0x10 "text"`, 0, false},
		{"true", 0, false},
		{"<optimized out>", 0, false},
		{"-nan(0x8000000000000)", 0, false},
		{"inf", 0, false},
		{"{1, 2}", 0, false},
		{"--5", 0, false},
		{"0b1", 0, false},
		{"1_000", 0, false},
		{"1_0.5", 0, false},
		{"", 0, false},
	} {
		if n, ok := parseNumber(c.text); ok != c.ok || ok && n.float != c.want {
			t.Errorf("%q: %v, %v", c.text, n, ok)
		}
	}
}

func FuzzExpr(f *testing.F) {
	for _, s := range []string{`n > 1000000 && (name == "x" || name ~ "^a") && !partial`, "`a->b` == 0x10", `n !~ '\\'`, `-.5 <= n`, `strcmp(a[1].b, "x") == 0 && !strlen(n)`} {
		f.Add(s, "5")
	}
	types := []*value.Type{{Kind: value.Enumeration, Enums: []value.Enumerator{{Name: "GREEN", Value: 5}}}}
	f.Fuzz(func(_ *testing.T, source, text string) {
		e, err := ParseExpr(source)
		if err == nil {
			e.holds(func(string) (string, []*value.Type, bool) { return text, types, true })
		}
	})
}

// BenchmarkReport is a report of 100,000 samples on 10,000 call paths.
func BenchmarkReport(b *testing.B) {
	var all []call
	for i := range 100000 {
		path := []uint64{atStart, atMain}
		for depth := range 20 {
			path = append(path, uint64(0x1000+depth*100+i%10000*(depth+1)/7%(10+depth*20)))
		}
		all = append(all, call{weight: 1, frames: path, fields: map[string]string{"n": fmt.Sprint(i)}})
	}
	dir := writeRun(b, "/bin/prog", data.Meta{}, all...)
	for b.Loop() {
		p, err := selection(b, "n > 10", dir).Paths(translator, Options{Granularity: Symbol, By: "thread"})
		check(b, err)
		b.ReportMetric(float64(len(p.Rows)), "rows")
	}
}
