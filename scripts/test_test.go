package scripts_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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

// newModule makes packages whose one test has this body; n is how often it ran before.
func newModule(t *testing.T, bodies map[string]string) module {
	t.Helper()
	m := module{t, t.TempDir(), filepath.Join(t.TempDir(), "runs")}
	writeFile(t, filepath.Join(m.dir, "go.mod"), "module fake\n\ngo 1.26\n", 0o644)
	writeFile(t, m.runs, "", 0o644)
	if err := os.Mkdir(filepath.Join(m.dir, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, body := range bodies {
		if err := os.Mkdir(filepath.Join(m.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(m.dir, name, name+"_test.go"), `package `+name+`
import ("os"; "strings"; "testing"; "time")
func Test(t *testing.T) {
	text, _ := os.ReadFile("`+m.runs+`")
	n := strings.Count(string(text), "`+name+`\n")
	f, err := os.OpenFile("`+m.runs+`", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil { t.Fatal(err) }
	f.WriteString("`+name+`\n")
	f.Close()
	`+body+`
	_, _ = n, time.Second
}
`, 0o644)
	}
	return m
}

// command is scripts/test for these packages.
func (m module) command(packages ...string) *exec.Cmd {
	m.t.Helper()
	script, err := filepath.Abs("test")
	if err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.Command(script, packages...)
	cmd.Dir, cmd.Env = m.dir, append(os.Environ(), "TMPDIR="+filepath.Join(m.dir, "tmp"), "GOFLAGS=", "GOWORK=off")
	return cmd
}

// tested counts how often a package was.
func (m module) tested(name string) int {
	text, _ := os.ReadFile(m.runs)
	return strings.Count(string(text), name+"\n")
}

// nothingLeft checks that there are no temporary files.
func (m module) nothingLeft() {
	m.t.Helper()
	left, err := filepath.Glob(filepath.Join(m.dir, "tmp", "*"))
	if err != nil || len(left) > 0 {
		m.t.Errorf("it left %v (%v)", left, err)
	}
}

// TestUnsteady: packages that fail are tested once more, and only they; what fails twice
// has failed, and what did once is told with its words.
func TestUnsteady(t *testing.T) {
	const once = `if n == 0 { t.Error("only once") }`
	const always = `t.Error("each time")`
	for name, tt := range map[string]struct {
		packages map[string]string
		status   int
		said     []string // in this order
		runs     map[string]int
	}{
		"all pass": {map[string]string{"good": "", "fine": ""}, 0, []string{"ok  \tfake/"}, map[string]int{"good": 1, "fine": 1}},
		"once": {map[string]string{"good": "", "shy": once}, 0,
			[]string{"only once", "run once more, alone: fake/shy\n", "ok  \tfake/shy", "UNSTEADY: fake/shy ", "\t--- FAIL: Test", "only once", "\tFAIL\tfake/shy"},
			map[string]int{"good": 1, "shy": 2}},
		"always": {map[string]string{"good": "", "bad": always, "shy": once}, 1,
			[]string{"each time", "run once more, alone: fake/bad fake/shy\n", "each time", "test: failed again\n"},
			map[string]int{"good": 1, "bad": 2, "shy": 2}},
		// Whatever a package prints, it has not passed.
		"disguised": {map[string]string{"bad": `os.Stdout.WriteString("ok  \tfake/bad\t0.1s\n"); os.Exit(3)`}, 1,
			[]string{"but no package did\n"}, map[string]int{"bad": 1}},
		"no end": {map[string]string{"bad": `os.Stdout.WriteString("no end"); os.Exit(3)`}, 1,
			[]string{"failed again\n"}, map[string]int{"bad": 2}},
		"not built": {map[string]string{"good": "", "bad": "nonsense"}, 1, []string{"failed again\n"}, map[string]int{"good": 1}},
		"too many": {map[string]string{"a": once, "b": once, "c": once, "d": once, "e": once}, 1,
			[]string{"5 packages failed: too many"}, map[string]int{"a": 1, "e": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModule(t, tt.packages)
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
			if tt.status == 0 && len(tt.said) == 1 && bytes.Contains(out, []byte("test: ")) {
				t.Errorf("it has something to say of good packages:\n%s", out)
			}
			m.nothingLeft()
		})
	}
}

// TestUnsteadyInterrupted: ^C ends the tests, and nothing is run again.
func TestUnsteadyInterrupted(t *testing.T) {
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
	m.nothingLeft()
}
