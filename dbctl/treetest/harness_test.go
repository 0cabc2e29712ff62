// Package treetest_test holds dbctl against whole process trees: nothing of a
// tree is lost, and what is run, attached to, let go of or bereft of its
// profiler does as it would by itself.
package treetest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
)

// tree is an installation under test, with the programs that are profiled: bin
// holds dbctl, scripts is ours, targets are compiled from testdata.
var tree struct{ dir, bin, targets string }

// patience bounds every wait for something that must happen.
const patience = 3 * time.Minute

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

// runTests fails when a process is left over. Orphans become our children.
func runTests(m *testing.M) int {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "prctl:", err)
		return 1
	}
	dir, err := os.MkdirTemp("", "treetest-")
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
	if left := proctest.LeftOver(patience); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "processes are left over:\n%s\n", strings.Join(left, "\n"))
		return max(status, 1)
	}
	return status
}

// makeTree builds what is under test and compiles the targets.
func makeTree(dir string) error {
	tree.dir, tree.bin, tree.targets = dir, filepath.Join(dir, "bin"), filepath.Join(dir, "targets")
	// Other users run it, too.
	err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(tree.bin, 0o755), os.Mkdir(tree.targets, 0o755))
	scripts, missing := filepath.Abs("../../scripts")
	if err := errors.Join(err, missing, os.CopyFS(filepath.Join(dir, "scripts"), os.DirFS(scripts))); err != nil {
		return err
	}
	commands := [][]string{
		{"go", "build", "-race", "-o", filepath.Join(tree.bin, "dbctl"), ".."},
		{"go", "build", "-o", filepath.Join(tree.bin, "dbctl-plain"), ".."},
		{"go", "build", "-o", filepath.Join(tree.targets, "gochild"), "./testdata/gochild"},
	}
	for _, kind := range []struct {
		sources string
		flags   []string
	}{
		{"testdata/targets/*.c", []string{"-pthread"}},
		{"testdata/static/*.c", []string{"-static"}},
	} {
		sources, err := filepath.Glob(kind.sources)
		if err != nil || len(sources) == 0 {
			return fmt.Errorf("no targets to compile in %s (%v)", kind.sources, err)
		}
		for _, c := range sources {
			program := filepath.Join(tree.targets, strings.TrimSuffix(filepath.Base(c), ".c"))
			args := []string{"gcc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O0", "-Wall", "-Wextra", "-Werror", "-o", program, c, "-lm"}
			commands = append(commands, append(args, kind.flags...))
		}
	}
	return proctest.Run(commands)
}

// environment is ours with the tree in PATH and what more the test wants.
func environment(more ...string) []string {
	return append(append(os.Environ(), "LC_ALL=C.UTF-8", "GORACE=atexit_sleep_ms=0",
		fmt.Sprintf("PATH=%s:%s:%s", tree.bin, tree.targets, os.Getenv("PATH"))), more...)
}

// script is the path of a script of ours.
func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "scripts", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// number is a count that a run by hand may choose by an environment variable.
func number(t *testing.T, variable string, normally int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return normally
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number above 0", variable, text)
	}
	return n
}
