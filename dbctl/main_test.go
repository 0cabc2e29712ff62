package main_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
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
	if left := proctest.LeftOver(time.Minute); len(left) > 0 {
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
		{"go", "build", "-o", filepath.Join(tree.bin, "pct-addr2line"), "../tools"},
	}
	for _, c := range sources {
		program := filepath.Join(tree.targets, strings.TrimSuffix(filepath.Base(c), ".c"))
		commands = append(commands, []string{
			"gcc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O0", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, c,
		})
	}
	return proctest.Run(commands)
}

// environment is ours with the tree in PATH and a place of its own for run
// directories.
func environment(t testing.TB) []string {
	return append(os.Environ(), "PCT_DIR="+t.TempDir(), "LC_ALL=C.UTF-8", "GORACE=atexit_sleep_ms=0",
		fmt.Sprintf("PATH=%s:%s:%s", tree.bin, tree.targets, os.Getenv("PATH")))
}
