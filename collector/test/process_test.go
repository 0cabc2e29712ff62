package collector_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// Samples and the lost ones together make up the time of all threads.
func TestThreads(t *testing.T) {
	s := prepare(t, "q4000", "target", "threads", "0.3").run().ok("done\n")
	stored, lost := samples(s.counts())
	// Each of the threads has 75 periods, and its last tick may not find it; the first period is random.
	if n := stored + lost; n < 8*70 || n > 8*80 {
		t.Errorf("%d samples and %d lost ones, of 600", stored, lost)
	}
	// 4000 short threads take a clock each, and give it back.
	prepare(t, "q4000", "target", "births", "1000").run().ok("done\n")
	prepare(t, "q1000", "target", "births", "100").run().ok("done\n")
}

func TestFamily(t *testing.T) {
	s := prepare(t, "q4000", "target", "family").run().ok("")
	pids := 0
	for _, line := range strings.Split(strings.TrimSpace(s.out), "\n") {
		var who string
		var pid int
		if n, _ := fmt.Sscan(line, &who, &pid); n != 2 {
			continue // what the program that was executed prints
		}
		pids++
		dirs := s.dirs(pid)
		if len(dirs) != 1 {
			t.Errorf("%s %d has run directories %v", who, pid, dirs)
			continue
		}
		r, err := data.Open(dirs[0])
		if err != nil {
			t.Fatal(err)
		}
		if r.Meta.Pid != pid || r.Meta.State != "complete" {
			t.Errorf("%s %d: pid %d, state %s", who, pid, r.Meta.Pid, r.Meta.State)
		}
		counts := countsOf(t, dirs...)
		if stored, lost := samples(counts); stored+lost < 20 || stored+lost > 75 {
			t.Errorf("%s %d has %d samples and %d lost ones, of some 50", who, pid, stored, lost)
		}
		for _, c := range counts {
			if c.Pid != pid {
				t.Errorf("%s: pid %d", c.Path, c.Pid)
			}
		}
	}
	if shells, err := filepath.Glob(filepath.Join(s.root, "*sh.*")); pids != 5 || len(shells) != 1 || err != nil {
		t.Errorf("%d processes and %d shells, %v\n%s", pids, len(shells), err, s.out)
	}
}

// Many processes, each much shorter than a period, count as their CPU time is worth, with what
// it takes to start them.
func TestShortProcesses(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { shortProcesses(t, d) })
}

func shortProcesses(t *testing.T, d *chance.Draw) {
	const period = 10 * time.Millisecond
	script := fmt.Sprintf("i=0; while [ $i -lt 300 ]; do %s/target ratio 0.003 >/dev/null; i=$((i+1)); done", built)
	s := prepare(t, "q10000", "sh", "-c", script).run().ok("")
	stored, lost := uint64(0), uint64(0)
	for _, dir := range s.dirs(0) {
		n, l := samples(countsOf(t, dir))
		stored, lost = stored+n, lost+l
	}
	due := float64(s.state.UserTime()+s.state.SystemTime()) / float64(period)
	d.Check(chance.Quantity{Name: "samples", Got: float64(stored + lost), Want: due, Error: math.Sqrt(due),
		Why: "each process is a draw of its own: their number is Poisson's"})
}

func TestChildrenByRawCalls(t *testing.T) {
	for _, letters := range []string{"q4000", "q1000"} {
		s := prepare(t, letters, "target", "raw").run().ok("")
		if n := len(s.dirs(0)); n != 1 {
			t.Errorf("%d run directories: %v", n, s.dirs(0))
		}
		stored, lost := samples(s.counts())
		if most := uint64(550 * time.Millisecond / s.counts()["target"].Period); stored+lost > most {
			t.Errorf("%d samples in 300 ms", stored+lost)
		}
	}
}

func TestUnloadedCode(t *testing.T) {
	s := prepare(t, "q1000", "target", "reopen", filepath.Join(built, "first.so"), filepath.Join(built, "second.so")).run().ok("")
	// What we map meanwhile may take the first place from the next ones.
	if f := strings.Fields(s.out); f[len(f)-1] != f[len(f)-3] {
		t.Fatalf("the two libraries were at different addresses: %s", s.out)
	}
	counts := s.counts()
	first, second := counts["first.so"], counts["second.so"]
	if first == nil || second == nil {
		t.Fatalf("%v", counts)
	}
	a, b := inFunction(t, first, "work"), inFunction(t, second, "work")
	// Rates of the two differ with what else the machine does: not binomial.
	if a == 0 || b == 0 || a > 2*b || b > 2*a {
		t.Errorf("%d samples in the one library, %d in the other", a, b)
	}
}

func TestCodeWithoutFile(t *testing.T) {
	for _, letters := range []string{"q1000", "lq1000"} {
		anon := prepare(t, letters, "target", "jit").run().ok("done\n").counts()["[anon]"]
		if anon == nil || anon.ObjectKind != 2 {
			t.Fatalf("%+v", anon)
		}
		if n := total(t, anon); n != anon.Samples || n < 10 {
			t.Errorf("%d counts, %d samples", n, anon.Samples)
		}
	}
}

func TestVDSO(t *testing.T) {
	vdso := prepare(t, "q1000", "target", "vdso").run().ok("done\n").counts()["[vdso]"]
	if vdso == nil || vdso.ObjectKind != 1 || vdso.Low != 0 || vdso.Samples < 20 || total(t, vdso) != vdso.Samples {
		t.Fatalf("%+v", vdso)
	}
}

// Names of run directories and files in them have nothing that steers a terminal or turns the writing.
func TestNameOfHostileProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "a\x1b\x7f\u009b\u061c\u202e\u2066\xffü")
	if err := os.Link(filepath.Join(built, "target"), program); err != nil {
		text, err := os.ReadFile(filepath.Join(built, "target"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const tame = "a_______ü"
	s := prepare(t, "q1000", program, "vdso").run().ok("done\n")
	dirs := s.dirs(s.state.Pid())
	if len(dirs) != 1 || filepath.Base(dirs[0]) != fmt.Sprintf("%s.%d", tame, s.state.Pid()) {
		t.Fatalf("run directories: %q", dirs)
	}
	if _, err := os.Stat(filepath.Join(dirs[0], tame)); err != nil {
		t.Error(err)
	}
}

func TestExec(t *testing.T) {
	s := prepare(t, "q4000", "target", "exec", filepath.Join(built, "target"), "a\xff\x01\\ü").run().ok("done\n")
	dirs := s.dirs(s.state.Pid())
	if len(dirs) != 2 {
		t.Fatalf("run directories: %v", dirs)
	}
	var args []string
	for _, dir := range dirs {
		r, err := data.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.Meta.State != "complete" {
			t.Errorf("%s: state %s", dir, r.Meta.State)
		}
		args = append(args, strings.Join(r.Meta.Argv[1:], " "))
	}
	if want := "exec " + filepath.Join(built, "target") + " a\xff\x01\\ü"; args[0] != want || args[1] != "ratio 0.1" {
		t.Errorf("arguments %q", args)
	}
}

// What is there when a process is killed can be read, every file of it.
func TestKilledAtAnyTime(t *testing.T) {
	for i := range 40 {
		s := prepare(t, []string{"q1000", "lq500", "c10q500"}[i%3], "target", "forever")
		s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		s.begin()
		// The moment is any; nothing depends on it.
		time.Sleep(time.Duration(i) * time.Millisecond)
		if err := syscall.Kill(-s.command.Process.Pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := s.command.Wait(); err == nil {
			t.Fatal("it ended by itself")
		}
		for _, dir := range s.dirs(0) {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				// One that is being made has another name still.
				if strings.HasPrefix(e.Name(), ".") {
					continue
				}
				if e.Name() == "meta" {
					if b, err := os.ReadFile(filepath.Join(dir, "meta")); err != nil || !strings.Contains(string(b), "\nstate=") || !strings.Contains(string(b), "\nargv=forever\n") || !strings.HasSuffix(string(b), "\n") {
						t.Errorf("%s: %q, %v", dir, b, err)
					}
					continue
				}
				if _, err := data.OpenCounts(filepath.Join(dir, e.Name())); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
