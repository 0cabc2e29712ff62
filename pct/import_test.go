package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// foldedAgain: folded stacks that pct wrote give the same profiles.
func foldedAgain(w *workshop) {
	w.sampledValues()
	w.run("pct", "folded", "-O", "hier.folded", "data/hier-test.*")
	if got := w.run("pct", "import", "-o", "again", "hier.folded"); got != "again/hier\n" {
		w.t.Errorf("import printed %q", got)
	}
	for _, report := range []string{"fn", "body"} {
		same(w.t, report, rows(w.run("pct", report, "-threshold", "0", "again/hier")), rows(w.run("pct", report, "-threshold", "0", "data/hier-test.*")))
	}
}

// pprofAgain: so do profiles of pprof, with their labels as fields.
func pprofAgain(w *workshop) {
	w.sampledValues()
	w.run("pct", "pprof", "-O", "hier.pb.gz", "data/hier-test.*")
	w.run("pct", "import", "-o", "again", "hier.pb.gz")
	for _, args := range []string{"fn", "body", "fn -where a>0", "fn -g line", "fn -by process", "fn -by thread", "fn -through dispatch_2"} {
		report := append(strings.Fields(args), "-threshold", "0")
		same(w.t, args, rows(w.run("pct", append(report, "again/hier-test")...)), rows(w.run("pct", append(report, "data/hier-test.*")...)))
	}
	if before, after := w.open("data/hier-test.*"), w.open("again/hier-test"); having(before, "n") != having(after, "n") || before.Header.Resource != after.Header.Resource {
		w.t.Errorf("%d values of %s, want %d of %s", having(after, "n"), after.Header.Resource, having(before, "n"), before.Header.Resource)
	}
}

const goSource = `package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"strings"
)

func sorted(n int) int {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprint(i*7919%n))
	}
	sort.Slice(s, func(i, j int) bool { return strings.Compare(s[i], s[j]) < 0 })
	return len(s)
}

func main() {
	f, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(f)
	for range 8 {
		sorted(100000)
	}
	pprof.StopCPUProfile()
	f.Close()
	h, _ := os.Create(os.Args[2])
	pprof.Lookup("allocs").WriteTo(h, 0)
	h.Close()
}
`

// goProgram: the CPU profile of a Go program gives what go tool pprof makes of it.
func goProgram(w *workshop) {
	w.write("prog.go", goSource)
	w.run("go", "build", "-o", "prog", "prog.go")
	w.run("./prog", "cpu.pprof", "allocs.pprof")
	for _, c := range []struct{ file, dir, name string }{{"cpu.pprof", "cpu", "prog"}, {"allocs.pprof", "allocs", "prog"}} {
		w.run("pct", "import", "-o", c.dir, c.file)
		found, err := filepath.Glob(filepath.Join(w.dir, c.dir, "*"))
		check(w.t, err)
		if len(found) != 1 {
			w.t.Fatalf("%q", found)
		}
		if c.file == "allocs.pprof" {
			r := w.open(c.dir + "/*")
			if r.Header.Resource != "alloc_space" || r.Header.Unit != "bytes" {
				w.t.Errorf("%s (%s)", r.Header.Resource, r.Header.Unit)
			}
			continue
		}
		flat, cum := w.top(c.file)
		same(w.t, "body", rows(w.run("pct", "body", "-past-main", "-threshold", "0", found[0])), flat)
		same(w.t, "fn", rows(w.run("pct", "fn", "-past-main", "-threshold", "0", found[0])), cum)
	}
}

// perfScript: what perf script prints gives the shares of perf report.
func perfScript(w *workshop) {
	w.write("hier test.c", hierTest)
	w.run("gcc", "-fno-omit-frame-pointer", "-o", "hier test", "hier test.c")
	w.run("perf", "record", "-q", "-N", "-g", "-F", "500", "-e", "cpu-clock", "-o", "perf.data", "./hier test")
	text := w.run("perf", "script", "-F", "+pid", "-i", "perf.data")
	check(w.t, os.WriteFile(filepath.Join(w.dir, "perf.txt"), []byte(text), 0o600))
	want := map[string]string{}
	total := 0
	for line := range strings.Lines(w.run("perf", "report", "--no-children", "-g", "none", "--stdio", "-n", "-t", ";", "-F", "sample,sym", "-i", "perf.data")) {
		samples, symbol, ok := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.Atoi(strings.TrimSpace(samples))
		if !ok || err != nil {
			continue
		}
		total += n
		_, name, _ := strings.Cut(symbol, "] ")
		if !strings.HasPrefix(name, "0x") {
			old, _ := strconv.Atoi(want[name])
			want[name] = strconv.Itoa(old + n)
		}
	}
	w.run("pct", "import", "-o", "again", "perf.txt")
	r := w.open("again/*")
	if len(r.Samples()) != total || filepath.Base(r.Meta.Exe) != "hier test" || r.Header.Resource != "cpu" || r.Samples()[total-1].Time == 0 {
		w.t.Errorf("%d samples of %s, want %d: %+v", len(r.Samples()), r.Meta.Exe, total, r.Header)
	}
	got := rows(w.run("pct", "body", "-past-main", "-threshold", "0", r.Dir))
	for name := range got {
		if strings.Contains(name, ":0x") || name == "?" {
			delete(got, name)
		}
	}
	same(w.t, "body", got, want)
}
