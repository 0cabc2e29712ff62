package treetest_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
	"github.com/profilecollection/pct/internal/proc"
)

// descendants are those of a process, itself not included.
func descendants(pid int) []int {
	var all []int
	for next := proctest.Children(pid); len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, proctest.Children(next[0])...)
	}
	return all
}

// marked are the living processes whose environment holds an entry.
func marked(entry string) []int {
	var found []int
	for _, pid := range proc.All() {
		if slices.Contains(proc.Environ(pid), entry) {
			found = append(found, pid)
		}
	}
	return found
}

// programOf is the name of the file that a process executes.
func programOf(pid int) string {
	exe, _ := proc.Exe(pid)
	return filepath.Base(exe)
}

// await waits until a condition holds, and fails the test if it never does.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
