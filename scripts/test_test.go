package scripts_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A module to test: runs is a file to which each package adds its name when it is tested.
type module struct {
	t         *testing.T
	dir, runs string
}

// newModule makes packages whose one test has this body.
func newModule(t *testing.T, bodies map[string]string) module {
	t.Helper()
	m := module{t, t.TempDir(), filepath.Join(t.TempDir(), "runs")}
	writeFile(t, filepath.Join(m.dir, "go.mod"), "module fake\n\ngo 1.26\n", 0o644)
	writeFile(t, m.runs, "", 0o644)
	for name, body := range bodies {
		if err := os.Mkdir(filepath.Join(m.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(m.dir, name, name+"_test.go"), `package `+name+`
import ("os"; "testing"; "time")
func Test(t *testing.T) {
	f, err := os.OpenFile("`+m.runs+`", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil { t.Fatal(err) }
	f.WriteString("`+name+`\n")
	f.Close()
	`+body+`
	_ = time.Second
}
`, 0o644)
	}
	return m
}

// unsteady gives the module a list of unsteady tests.
func (m module) unsteady(list string) {
	m.t.Helper()
	writeFile(m.t, filepath.Join(m.dir, "unsteady"), list, 0o644)
}

// command is scripts/test for these packages, with the module's list.
func (m module) command(packages ...string) *exec.Cmd {
	m.t.Helper()
	text, err := os.ReadFile("test")
	if err != nil {
		m.t.Fatal(err)
	}
	script := filepath.Join(m.dir, "test")
	writeFile(m.t, script, string(text), 0o755)
	cmd := exec.Command(script, packages...)
	cmd.Dir, cmd.Env = m.dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	return cmd
}

// tested counts how often a package was.
func (m module) tested(name string) int {
	text, _ := os.ReadFile(m.runs)
	return strings.Count(string(text), name+"\n")
}

// TestFailures: a test that fails fails at once. Only one that the list names may; it runs last and
// is reported.
func TestFailures(t *testing.T) {
	const bad = `t.Error("wrong")`
	const scripts = `t.Run("fine", func(t *testing.T) {}); t.Run("shy", func(t *testing.T) { t.Error("wrong") })`
	for name, tt := range map[string]struct {
		packages map[string]string
		list     string
		status   int
		said     []string // in this order
		runs     map[string]int
	}{
		"all pass": {map[string]string{"good": "", "fine": ""}, "# none\n\n", 0,
			[]string{"ok  \tfake/"}, map[string]int{"good": 1, "fine": 1}},
		"one fails": {map[string]string{"good": "", "bad": bad}, "", 1,
			[]string{"wrong", "FAIL\tfake/bad"}, map[string]int{"good": 1, "bad": 1}},
		"unsteady": {map[string]string{"good": "", "shy": bad}, "fake/shy Test fails now and then\n", 0,
			[]string{"ok  \tfake/good", "wrong", "FAIL\tfake/shy", "test: UNSTEADY: fake/shy Test failed. Known: fails now and then\n"},
			// Skipped tests of the name are run with the package that the list names.
			map[string]int{"good": 0, "shy": 1}},
		"unsteady subtest": {map[string]string{"good": scripts}, "fake/good Test/shy hangs\n", 0,
			[]string{"ok  \tfake/good", "--- FAIL: Test/shy", "test: UNSTEADY: fake/good Test/shy failed. Known: hangs\n"},
			map[string]int{"good": 2}},
		"unsteady and passes": {map[string]string{"good": ""}, "fake/good Test hangs\n", 0,
			[]string{"ok  \tfake/good", "test: UNSTEADY: fake/good Test passed. Known: hangs\n"}, map[string]int{"good": 1}},
		"another fails": {map[string]string{"good": scripts, "bad": bad}, "fake/good Test/shy hangs\n", 1,
			[]string{"FAIL\tfake/bad", "test: UNSTEADY: fake/good Test/shy failed"}, map[string]int{"good": 2, "bad": 1}},
		"not built": {map[string]string{"good": "", "bad": "nonsense"}, "", 1,
			[]string{"build failed"}, map[string]int{"good": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModule(t, tt.packages)
			m.unsteady(tt.list)
			cmd := m.command()
			out, _ := cmd.CombinedOutput()
			if status := cmd.ProcessState.ExitCode(); status != tt.status {
				t.Errorf("exit status %d, want %d:\n%s", status, tt.status, out)
			}
			rest := string(out)
			for _, want := range tt.said {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("it does not say %q after that:\n%s", want, out)
				}
				rest = after
			}
			for name, want := range tt.runs {
				if got := m.tested(name); got != want {
					t.Errorf("%s was tested %d times, want %d:\n%s", name, got, want, out)
				}
			}
			if tt.list == "" && bytes.Contains(out, []byte("test: ")) {
				t.Errorf("it reports unsteady tests where there are none:\n%s", out)
			}
		})
	}
}

// TestUnsteadyList: the list has at most five tests, each with what is known. `go test -skip` skips
// tests by name, so that no other package may have a test of the same name.
func TestUnsteadyList(t *testing.T) {
	text, err := os.ReadFile("unsteady")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if n++; len(fields) < 4 {
			t.Fatalf("%q: want PACKAGE TEST WHAT IS KNOWN", line)
		}
		want := []string{strings.TrimPrefix(fields[0], "github.com/profilecollection/pct/")}
		if got := packagesWith(t, fields[1]); !slices.Equal(got, want) {
			t.Errorf("%s of %v is skipped, want of %v alone", fields[1], got, want)
		}
	}
	if n > 5 {
		t.Errorf("%d tests are unsteady, more than five", n)
	}
}

// packagesWith are the directories of the packages that have a test. A subtest of a function that
// runs scripts is a script.
func packagesWith(t *testing.T, test string) []string {
	t.Helper()
	function, script, _ := strings.Cut(test, "/")
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(function) + `\(`)
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !declared.Match(text) {
			return err
		}
		dir := filepath.Dir(path)
		if script != "" && bytes.Contains(text, []byte("testscript.")) {
			here, _ := filepath.Glob(filepath.Join(dir, script+".txtar"))
			below, _ := filepath.Glob(filepath.Join(dir, "testdata", script+".txtar"))
			if len(here)+len(below) == 0 {
				return nil
			}
		}
		found[strings.TrimPrefix(dir, "../")] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

// TestInterrupted: ^C ends the tests.
func TestInterrupted(t *testing.T) {
	m := newModule(t, map[string]string{"slow": "time.Sleep(5 * time.Minute)"})
	cmd := m.command("./slow")
	// We may have been started where it is ignored.
	cmd.Args = append([]string{"env", "--default-signal=INT", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/usr/bin/env"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	group := -cmd.Process.Pid
	kill := time.AfterFunc(2*time.Minute, func() { syscall.Kill(group, syscall.SIGKILL) })
	defer kill.Stop()
	for end := time.Now().Add(time.Minute); m.tested("slow") == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	syscall.Kill(group, syscall.SIGINT)
	cmd.Wait()
	if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v, want SIGINT:\n%s", cmd.ProcessState, out.String())
	}
	if n := m.tested("slow"); n != 1 {
		t.Errorf("its package was tested %d times, want once:\n%s", n, out.String())
	}
}
