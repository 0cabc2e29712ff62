// Package difftest_test compares the in-process unwinder with gdb: real programs are stopped
// at random instants under dbctl, gdb lists the thread's stack, the signal that stopped it is
// delivered, and its handler unwinds the very same registers.
//
// Where the two differ a third voice decides: libgcc's unwinder in the same handler, else
// dbctl's own at the same stop.
//
//	go test ./collector/unwind/difftest -stops 10000 -v
package difftest_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var wanted = flag.Int("stops", 800, "stops, of all programs")

// built is where TestMain puts what it compiles.
var built string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	dir, err := os.MkdirTemp("", "difftest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	parts, _ := filepath.Glob("../*.c")
	warn := []string{"-Wall", "-Wextra", "-Werror", "-O2", "-o"}
	for _, step := range [][]string{
		append(append([]string{"gcc"}, warn...), append([]string{at("recorder.so"), "-std=gnu11", "-g", "-D_GNU_SOURCE", "-fPIC", "-shared",
			"-fvisibility=hidden", "testdata/recorder.c", "-ldl"}, parts...)...),
		append(append([]string{"gcc"}, warn...), at("libmany.so"), "-fPIC", "-shared", "-Wl,-z,lazy", "testdata/many.c"),
		append(append([]string{"g++"}, warn...), at("shapes"), "-Wl,-z,lazy", "testdata/shapes.cc", at("libmany.so"), "-lpthread"),
		{"gcc", "-E", "-D_GNU_SOURCE", "-o", at("calls.i"), "../../calls.c"},
		{"go", "build", "-buildvcs=false", "-o", at("dbctl"), "../../../dbctl"},
	} {
		if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n%s", strings.Join(step, " "), err, out)
			return 1
		}
	}
	return m.Run()
}

func at(name string) string { return filepath.Join(built, name) }

// program is one to be stopped about every mean µs. It may end by itself before all its stops, and
// is run again then.
type program struct {
	name  string
	mean  int
	share int // of the stops
	env   string
	argv  []string
}

func programs(t *testing.T) []program {
	cc1, err := exec.Command("gcc", "-print-prog-name=cc1").Output()
	if err != nil {
		t.Fatal(err)
	}
	shape := func(name string, share int, env string) program {
		return program{name, 1000, share, env, []string{at("shapes"), name}}
	}
	return []program{
		{"bzip2", 2000, 2, "", []string{"bzip2", "-9c", "/usr/bin/gdb"}},
		{"sqlite3", 2000, 2, "", []string{"sqlite3", ":memory:", "create table t as with recursive c(x) as (select 1 union all select x+1 from c where x < 100000) " +
			"select x, x % 97 || 'a' as y from c; create index i on t(y); select y, count(*), max(x * 1.5) from t group by y order by random(); select count(*) from t a join t b on a.x = b.x + 1"}},
		{"openssl", 2000, 1, "", []string{"openssl", "prime", "-generate", "-bits", "1024", "-safe"}},
		{"cc1", 1000, 3, "", []string{strings.TrimSpace(string(cc1)), "-quiet", "-O2", "-fpreprocessed", "-o", "/dev/null", at("calls.i")}},
		{"python3", 2000, 2, "", []string{"/usr/bin/python3", "-c", "import json, re\nfor i in range(60): json.loads(json.dumps([{'a': i}] * 2000)); re.findall('(a|b)+c', 'ababc' * 2000)"}},
		{"perl", 2000, 1, "", []string{"perl", "-e", `sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) } f(20); my @a = sort { $a <=> $b } map { rand } 1..100000; my $s = join ',', @a; $s =~ s/1+/b/g`}},
		{"lua", 2000, 1, "", []string{"lua5.4", "-e", "local function f(n) if n < 2 then return n end return f(n-1) + f(n-2) end f(24) " +
			"local t = {} for i = 1, 100000 do t[i] = tostring(math.random()) end table.sort(t) print(#table.concat(t):gsub('1+', 'b'))"}},
		shape("recursion", 1, ""),
		shape("exceptions", 2, ""),
		shape("threads", 2, ""),
		shape("jumps", 1, ""),
		shape("library", 1, ""),
		shape("stubs", 1, ""),
		{"resolver", 1000, 1, "LD_BIND_NOT=1", []string{at("shapes"), "stubs"}},
		shape("vdso", 1, ""),
		shape("signals", 2, ""),
		shape("contexts", 1, ""),
	}
}

// observe runs a program until it has been stopped so many times, or ends.
func observe(t *testing.T, p program, stops int) []stop {
	t.Helper()
	dir := t.TempDir()
	records, runs, environ := filepath.Join(dir, "records"), filepath.Join(dir, "runs"), filepath.Join(dir, "environ")
	env := fmt.Sprintf("LD_PRELOAD=%s\x00RECORDER_FILE=%s\x00RECORDER_MEAN=%d\x00RECORDER_STOPS=%d\x00PATH=/usr/bin:/bin\x00LC_ALL=C\x00",
		at("recorder.so"), records, p.mean, stops)
	if p.env != "" {
		env += p.env + "\x00"
	}
	if err := os.WriteFile(environ, []byte(env), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/stack.py")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-o", runs, "-D", "stack=" + script, "-environ", environ, "testdata/stops.dbctl"}, p.argv...)
	cmd := exec.Command(at("dbctl"), args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(p.argv, " "), err, errs.String())
	}
	if errs.Len() > 0 {
		t.Errorf("%s: %s", p.name, errs.String())
	}
	list, err := readRecords(records)
	if err != nil {
		t.Fatal(err)
	}
	if err := readRun(runs, list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBesideGDB(t *testing.T) {
	list := programs(t)
	shares := 0
	for _, p := range list {
		shares += p.share
	}
	var all result
	for _, p := range list {
		t.Run(p.name, func(t *testing.T) {
			var r result
			for n := (*wanted*p.share + shares - 1) / shares; r.stops < n; {
				some := observe(t, p, n-r.stops)
				if len(some) == 0 {
					t.Fatal("it ended before its first stop")
				}
				for i := range some {
					r.judge(t, &some[i])
				}
			}
			t.Log(r)
			all.add(r)
			// Few stops may be unlucky.
			if most := 2 + r.stops/200; r.failed() > most {
				t.Errorf("%d of %d paths are partial or end where nothing began: expected %d at most", r.failed(), r.stops, most)
			}
			if throws := p.name == "exceptions" || p.name == "threads"; r.verdicts[landing] > 0 && !throws {
				t.Errorf("%d paths are said to lead to a handler of an exception", r.verdicts[landing])
			}
			if others, most := r.verdicts[libgcc]+r.verdicts[outside], 1+r.stops/100; others > most {
				t.Errorf("gdb has another path than all others at %d of %d stops: expected %d at most", others, r.stops, most)
			}
		})
	}
	t.Logf("all: %v", all)
	if all.failed() > 2+all.stops/200 {
		t.Errorf("%d of %d paths are partial or end where nothing began", all.failed(), all.stops)
	}
}

// result is what came of a program's stops.
type result struct {
	stops, frames, deepest, guessed int
	verdicts                        [verdicts]int
}

func (r *result) judge(t *testing.T, s *stop) {
	v := s.judge()
	r.verdicts[v]++
	r.stops++
	r.frames += len(s.ours)
	r.deepest = max(r.deepest, len(s.ours))
	if s.guess {
		r.guessed++
	}
	switch {
	case v == alone:
		t.Errorf("nobody else has our path: %v", s)
	case v < landing && !s.outsideAgrees():
		t.Errorf("dbctl's path is another: %v", s)
	case v != equal:
		t.Log(v, s)
	}
}

// failed counts paths that don't lead to the thread's root.
func (r *result) failed() int { return r.verdicts[partial] + r.verdicts[rootless] }

func (r *result) add(o result) {
	r.stops += o.stops
	r.frames += o.frames
	r.deepest = max(r.deepest, o.deepest)
	r.guessed += o.guessed
	for i, n := range o.verdicts {
		r.verdicts[i] += n
	}
}

func (r result) String() string {
	s := fmt.Sprintf("%d stops, %d frames, %d the deepest, %d guessed:", r.stops, r.frames, r.deepest, r.guessed)
	for v, n := range r.verdicts {
		s += fmt.Sprintf(" %v %d", verdict(v), n)
	}
	return s
}
