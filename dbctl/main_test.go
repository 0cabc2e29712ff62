package main_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// tree is an installation under test, with the programs that are profiled:
// bin holds dbctl, pct and its translator, scripts is ours, and targets are
// compiled from testdata/targets.
var tree struct{ dir, bin, targets string }

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

// runTests fails when a process is left over. Orphans become our children.
func runTests(m *testing.M) int {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "prctl:", err)
		return 1
	}
	dir, err := os.MkdirTemp("", "dbctl-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := makeTree(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	status := m.Run()
	if left := leftOver(10 * time.Second); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "processes are left over:\n%s\n", strings.Join(left, "\n"))
		return max(status, 1)
	}
	return status
}

// makeTree builds what is under test and compiles the targets.
func makeTree(dir string) error {
	tree.dir, tree.bin, tree.targets = dir, filepath.Join(dir, "bin"), filepath.Join(dir, "targets")
	if err := errors.Join(os.Mkdir(tree.bin, 0o755), os.Mkdir(tree.targets, 0o755)); err != nil {
		return err
	}
	scripts, err := filepath.Abs("../scripts")
	if err != nil {
		return err
	}
	if err := os.Symlink(scripts, filepath.Join(dir, "scripts")); err != nil {
		return err
	}
	sources, err := filepath.Glob("testdata/targets/*.c")
	if err != nil || len(sources) == 0 {
		return fmt.Errorf("no targets to compile (%v)", err)
	}
	commands := [][]string{
		{"go", "build", "-race", "-o", filepath.Join(tree.bin, "dbctl"), "."},
		{"go", "build", "-o", filepath.Join(tree.bin, "pct"), "../pct"},
		{"go", "build", "-o", filepath.Join(tree.bin, "pct-addr2line"), "../translators/addr2line"},
	}
	for _, c := range sources {
		program := filepath.Join(tree.targets, strings.TrimSuffix(filepath.Base(c), ".c"))
		commands = append(commands, []string{
			"gcc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O0", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, c,
		})
	}
	return inParallel(commands)
}

// inParallel runs commands, as many at a time as there are processors.
func inParallel(commands [][]string) error {
	errs := make([]error, len(commands))
	room := make(chan bool, runtime.NumCPU())
	var all sync.WaitGroup
	for i, args := range commands {
		room <- true
		all.Go(func() {
			defer func() { <-room }()
			cmd := exec.Command(args[0], args[1:]...)
			if out, err := cmd.CombinedOutput(); err != nil {
				errs[i] = fmt.Errorf("%s: %v\n%s", cmd, err, out)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// leftOver lists the processes that are still our children after some time;
// those that have ended are reaped.
func leftOver(after time.Duration) []string {
	deadline := time.Now().Add(after)
	for {
		for {
			if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != nil || pid == 0 {
				break
			}
		}
		left := children(os.Getpid())
		if len(left) == 0 || time.Now().After(deadline) {
			var lines []string
			for _, pid := range left {
				lines = append(lines, describe(pid))
				unix.Kill(pid, unix.SIGKILL)
			}
			return lines
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// children are the processes whose parent is pid.
func children(pid int) []int {
	var found []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err == nil && parentOf(child) == pid {
			found = append(found, child)
		}
	}
	return found
}

func parentOf(pid int) int {
	n, _ := strconv.Atoi(statusField(pid, "PPid"))
	return n
}

// statusField is a field of /proc/PID/status, "" if there is none.
func statusField(pid int, name string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// describe tells of a process, and of one that traces it.
func describe(pid int) string {
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	text := fmt.Sprintf("%d %s: %s", pid, statusField(pid, "State"), strings.ReplaceAll(string(args), "\x00", " "))
	if tracer, err := strconv.Atoi(statusField(pid, "TracerPid")); err == nil && tracer != 0 {
		text += "\n  traced by " + describe(tracer)
	}
	return text
}

// environment is ours with the tree in PATH and a place of its own for run
// directories.
func environment(t *testing.T) []string {
	return append(os.Environ(), "PCT_DIR="+t.TempDir(), "LC_ALL=C.UTF-8", "GORACE=atexit_sleep_ms=0",
		fmt.Sprintf("PATH=%s:%s:%s", tree.bin, tree.targets, os.Getenv("PATH")))
}
