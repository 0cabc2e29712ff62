package main_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// built is a directory, open to all users, with pct-ring and the programs to sample.
var built string

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pct-ring-test")
	if err == nil {
		defer os.RemoveAll(dir)
		built = dir
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func build() error {
	if err := os.Chmod(built, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"go", "build", "-o", built + "/pct-ring", "."},
		{"gcc", "-O1", "-g", "-Wall", "-pthread", "-o", built + "/spin", "testdata/spin.c"},
		{"gcc", "-O1", "-g", "-Wall", "-pthread", "-o", built + "/spin-long", "testdata/spin.c"},
		{"gcc", "-O1", "-g", "-Wall", "-pthread", "-static", "-o", built + "/spin-static", "testdata/spin.c"},
		{"gcc", "-O2", "-fno-optimize-sibling-calls", "-Wall", "-o", built + "/deep", "testdata/deep.c"},
		{"gcc", "-O2", "-Wall", "-o", built + "/family", "testdata/family.c", "-lpthread"},
		{"g++", "-O2", "-fno-optimize-sibling-calls", "-Wall", "-pthread", "-o", built + "/stacks", "testdata/stacks.cc"},
		{"gcc", "-O2", "-fno-optimize-sibling-calls", "-Wall", "-pthread", "-o", built + "/uses", "testdata/uses.c"},
		{"gcc", "-O2", "-fno-optimize-sibling-calls", "-Wall", "-pthread", "-static", "-o", built + "/uses-static", "testdata/uses.c"},
		{"gcc", "-O2", "-fno-optimize-sibling-calls", "-Wall", "-static", "-o", built + "/deep-static", "testdata/deep.c"},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// nobody is a user without privileges.
const nobody = 65534

// unprivileged are the attributes of a process of a user without privileges: ours, if
// we have none.
func unprivileged() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// ring is a pct-ring with a place of its own for run directories.
type ring struct {
	*exec.Cmd
	t      *testing.T
	root   string
	stderr bytes.Buffer
}

// command prepares pct-ring with these arguments.
func command(t *testing.T, args ...string) *ring {
	t.Helper()
	root, err := os.MkdirTemp("", "pct-ring-runs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if err := os.Chmod(root, os.ModeSticky|0o777); err != nil {
		t.Fatal(err)
	}
	r := &ring{Cmd: exec.Command(built+"/pct-ring", args...), t: t, root: root}
	r.Env = append(os.Environ(), "PCT_DIR="+root, "PATH="+built+":"+os.Getenv("PATH"))
	r.Dir = built
	r.Stderr = &r.stderr
	r.WaitDelay = time.Minute
	return r
}

// status runs it, and returns its exit status.
func (r *ring) status() int {
	r.t.Helper()
	return r.ended(r.Run())
}

// ended is the exit status that Run or Wait tells.
func (r *ring) ended(err error) int {
	r.t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatalf("%s: %v\n%s", r, err, &r.stderr)
	}
	return r.ProcessState.ExitCode()
}

// want runs it and expects an exit status.
func (r *ring) want(status int) {
	r.t.Helper()
	if got := r.status(); got != status {
		r.t.Fatalf("%s: exit status %d, want %d\n%s", r, got, status, &r.stderr)
	}
}

// dirs are the run directories of a program.
func (r *ring) dirs(prog string) []string {
	r.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(r.root, prog+".*"))
	if err != nil {
		r.t.Fatal(err)
	}
	return dirs
}

// runs are the runs of a program, one for each resource, which must be whole.
func (r *ring) runs(prog string) []*data.Run {
	r.t.Helper()
	var runs []*data.Run
	for _, dir := range r.dirs(prog) {
		of, err := data.OpenAll(dir)
		if err != nil {
			r.t.Fatal(err)
		}
		runs = append(runs, of...)
	}
	return runs
}

// only is the one run of a program.
func (r *ring) only(prog string) *data.Run {
	r.t.Helper()
	runs := r.runs(prog)
	if len(runs) != 1 {
		all, _ := os.ReadDir(r.root)
		r.t.Fatalf("%d runs of %s, want one, among %v\n%s", len(runs), prog, all, &r.stderr)
	}
	return runs[0]
}

// await waits for the run of a program to have n samples, and returns its directory.
func (r *ring) await(prog string, n int) string {
	r.t.Helper()
	var dir string
	until(r.t, fmt.Sprintf("%d samples of %s", n, prog), func() bool {
		for _, dir = range r.dirs(prog) {
			// While it's being written it may end within a frame.
			if run, _ := data.Open(dir); run != nil && len(run.Samples()) >= n {
				return true
			}
		}
		return false
	})
	return dir
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}

// symbols are those of a program.
func symbols(t *testing.T, prog string) []elf.Symbol {
	t.Helper()
	f, err := elf.Open(filepath.Join(built, prog))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// in counts the samples of a run that lie in a function of a program.
func in(t *testing.T, run *data.Run, prog, function string) int {
	t.Helper()
	n := 0
	for _, s := range symbols(t, prog) {
		if s.Name != function {
			continue
		}
		for _, sample := range run.Samples() {
			if o, vaddr := at(run, sample); filepath.Base(o.Path) == prog && vaddr >= s.Value && vaddr < s.Value+s.Size {
				n++
			}
		}
	}
	return n
}

// at is where a sample was taken.
func at(run *data.Run, s data.Sample) (data.Object, uint64) {
	if s.Node == 0 {
		return data.Object{}, 0
	}
	node := run.Nodes[s.Node]
	if node.Object == 0 {
		return data.Object{}, node.Vaddr
	}
	return run.Objects[node.Object], node.Vaddr
}

// near expects k of n samples to be a share.
func near(d *chance.Draw, what string, k, n int, share float64) {
	d.Helper()
	const least = 100
	if n < least {
		d.Errorf("%s: %d samples are too few to tell", what, n)
		return
	}
	d.Check(chance.Share(what, float64(k), float64(n), share))
}

// calibrated are units of work of about a millisecond of CPU time.
const calibrated = 750

// cpuTimes is what threads of spin have printed: their shares of the CPU time.
func cpuTimes(t *testing.T, text string) map[uint32]float64 {
	t.Helper()
	shares, sum := map[uint32]float64{}, 0.0
	for line := range strings.Lines(text) {
		var tid uint32
		var ns float64
		if _, err := fmt.Sscan(line, &tid, &ns); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		shares[tid] = ns
		sum += ns
	}
	for tid := range shares {
		shares[tid] /= sum
	}
	return shares
}

func units(milliseconds int) string { return fmt.Sprint(milliseconds * calibrated) }
