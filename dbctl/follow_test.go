package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
)

// TestKilledWhileForking kills dbctl at some instant of many forks, each of
// which it follows by pause-trap. The program and its children go on: our guard
// frees those that are in a trap.
func TestKilledWhileForking(t *testing.T) {
	for n := range 20 {
		killWhileForking(t, 5+n*10)
	}
}

func killWhileForking(t *testing.T, forks int) {
	t.Helper()
	dir := t.TempDir()
	script, pids := filepath.Join(dir, "script"), filepath.Join(dir, "pids")
	text := `EXEC(follow="trap") ".*" { PAT_GROUP(default) { PAT() "^fork child=\"(?<child>.*)\"" { SPAWN($child); } } }`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(filepath.Join(tree.bin, "dbctl"), "-o", filepath.Join(dir, "data"), script, filepath.Join(tree.targets, "forkways"), "many", pids)
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(60 * time.Second)
	var lines []string
	for len(lines) <= forks {
		if time.Now().After(deadline) {
			var where strings.Builder
			for _, pid := range lines {
				if n, err := strconv.Atoi(pid); err == nil && exists(n) {
					where.WriteString("\n" + proctest.Describe(n))
				}
			}
			cmd.Process.Kill()
			cmd.Wait()
			t.Fatalf("%d forks in a minute, not %d%s", len(lines)-1, forks, where.String())
		}
		time.Sleep(100 * time.Microsecond)
		text, _ := os.ReadFile(pids)
		lines = strings.Fields(string(text))
	}
	cmd.Process.Kill()
	cmd.Wait()
	const right = 7
	if status := cmd.ProcessState.ExitCode(); status >= 0 {
		// On a busy machine all forks may be made before we see so many: then nothing was killed.
		if status != right {
			t.Errorf("dbctl ended with status %d at %d forks, want %d", status, forks, right)
		}
		return
	}
	pid, err := strconv.Atoi(lines[0])
	if err != nil {
		t.Fatal(err)
	}
	var ws unix.WaitStatus
	deadline = time.Now().Add(60 * time.Second)
	for {
		// It's an orphan now, and our child.
		got, err := unix.Wait4(pid, &ws, unix.WNOHANG, nil)
		if got == pid {
			break
		}
		if err != nil && err != unix.EINTR && err != unix.ECHILD || time.Now().After(deadline) {
			status := proctest.Describe(pid)
			unix.Kill(pid, unix.SIGKILL)
			t.Fatalf("killed at %d forks: it does not end (%v): %s", forks, err, status)
		}
		time.Sleep(time.Millisecond)
	}
	if !ws.Exited() || ws.ExitStatus() != right {
		t.Errorf("killed at %d forks: its status is %#x, want exit %d", forks, uint32(ws), right)
	}
	if got, err := os.ReadFile(out.Name()); err != nil || !bytes.Equal(got, []byte("7350\n")) {
		t.Errorf("killed at %d forks: its output is %q (%v)", forks, got, err)
	}
}

func exists(pid int) bool { return unix.Kill(pid, 0) == nil }
