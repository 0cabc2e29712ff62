package matrix_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/matrix"
)

var whole = flag.Bool("whole", false, "try every mode, and the test suites of others")

// differs are the ways that a mode is known to change, by nature: each with the place of the manual that says so.
var differs = []struct{ modes, ways, why string }{
	{"default fast paths* calls* real-clock alloc io faults* read-write many*", "processes/traces", "who traces a process sees all its signals, our ticks among them"},
	{"gdb* expr", "processes/traces", "a process has one tracer"},
	{"real-clock", "timers/waiting timers/alarms signals/waits-undisturbed threads/cancels", "elapsed time's ticks interrupt calls that wait, as profile says"},
}

// tree is what is tested: bin, the same with the checked library, and the programs of testdata.
var tree struct{ bin, checked, programs string }

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run fails when a process is left over. Orphans become our children.
func run(m *testing.M) int {
	flag.Parse()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "prctl:", err)
		return 1
	}
	dir, err := os.MkdirTemp("", "matrix-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := makeTree(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Each run has a report of the same objects. What reports say is not what is tested.
	if err := os.Setenv("PCT_CACHE", filepath.Join(dir, "cache")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	status := m.Run()
	if err := reap(time.Minute); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(status, 1)
	}
	return status
}

// reap waits until we have no children any more.
func reap(patience time.Duration) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return nil
		case pid == 0 && time.Now().After(deadline):
			out, _ := exec.Command("ps", "-o", "pid,ppid,stat,wchan:20,args", "--ppid", fmt.Sprint(os.Getpid())).Output()
			return fmt.Errorf("processes are left over:\n%s", out)
		}
	}
}

func makeTree(dir string) error {
	tree.bin, tree.checked, tree.programs = filepath.Join(dir, "bin"), filepath.Join(dir, "checked"), filepath.Join(dir, "programs")
	// Programs that become other users read and write here.
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(tree.programs, 0o755)); err != nil {
		return err
	}
	commands := [][]string{
		{"make", "-s", "-C", "..", "BIN=" + tree.bin},
		{"cp", "-a", tree.bin, tree.checked},
		{"rm", "-r", filepath.Join(tree.checked, "lib")},
		{"make", "-s", "-C", "../collector", "OUT=" + filepath.Join(tree.checked, "lib"), "CHECK=undefined"},
	}
	scripts, err := filepath.Abs("../scripts")
	if err != nil {
		return err
	}
	if err := os.Symlink(scripts, filepath.Join(dir, "scripts")); err != nil {
		return err
	}
	sources, err := filepath.Glob("testdata/*.c")
	if err != nil || len(sources) == 0 {
		return fmt.Errorf("no programs to compile (%v)", err)
	}
	for _, c := range sources {
		program := filepath.Join(tree.programs, strings.TrimSuffix(filepath.Base(c), ".c"))
		commands = append(commands, []string{"gcc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, c})
	}
	for _, c := range commands {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(c, " "), err, out)
		}
	}
	return nil
}

// patience is what a run may take.
const patience = time.Minute

// observe runs a command in a directory of its own.
func observe(t *testing.T, args ...string) (e matrix.End, said string) {
	t.Helper()
	return observeIn(t, patience, t.TempDir(), args...)
}

// observeIn runs a command in a directory.
func observeIn(t *testing.T, patience time.Duration, dir string, args ...string) (e matrix.End, said string) {
	t.Helper()
	// Other users, too, which programs become.
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	r, err := matrix.Start(t.Context(), patience, dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	e, said, err = r.Wait()
	if err != nil {
		t.Errorf("%s: %v", strings.Join(args, " "), err)
	}
	return e, said
}

// profiled is the command that profiles another.
func profiled(m matrix.Mode, args ...string) []string {
	if m.Checked {
		return m.Command(tree.checked, args...)
	}
	return m.Command(tree.bin, args...)
}

// why is the reason why a mode changes a way by nature, "" if it must not.
func why(mode, way string) string {
	for _, d := range differs {
		if matches(d.modes, mode) && matches(d.ways, way) {
			return d.why
		}
	}
	return ""
}

// matches says whether one of some words, separated by blanks, is the name.
func matches(words, name string) bool {
	for _, w := range strings.Fields(words) {
		if ok, err := filepath.Match(w, name); err != nil || ok {
			return true
		}
	}
	return false
}

// TestWays runs each program of testdata in all its ways.
func TestWays(t *testing.T) {
	programs, err := filepath.Glob(filepath.Join(tree.programs, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		ways, err := exec.Command(program).Output()
		if err != nil || len(ways) == 0 {
			t.Fatalf("%s has no ways: %v", program, err)
		}
		for _, way := range strings.Fields(string(ways)) {
			t.Run(filepath.Base(program)+"/"+way, func(t *testing.T) {
				t.Parallel()
				bare, _ := observe(t, program, way)
				if bare.Status == 98 || bare.Status == 99 {
					t.Fatalf("bare: %v", bare)
				}
				for _, m := range matrix.Modes() {
					if !m.Few && !*whole || why(m.Name, filepath.Base(program)+"/"+way) != "" {
						continue
					}
					t.Run(m.Name, func(t *testing.T) {
						if got, said := observe(t, profiled(m, program, way)...); got != bare {
							t.Errorf("profiled: %v(profile said: %s)\nbare: %v", got, said, bare)
						}
					})
				}
			})
		}
	}
}

// Each known difference is of a mode and a way that there are, and has its reason.
func TestKnownDifferences(t *testing.T) {
	for _, d := range differs {
		known := slices.ContainsFunc(matrix.Modes(), func(m matrix.Mode) bool { return matches(d.modes, m.Name) })
		if d.why == "" || !known || d.ways == "" {
			t.Errorf("%+v", d)
		}
	}
}
