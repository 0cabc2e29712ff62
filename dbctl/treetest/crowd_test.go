package treetest_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestFewDebuggers has more processes ask for a debugger, all at the same time,
// than there may be.
func TestFewDebuggers(t *testing.T) {
	t.Parallel()
	const processes, most = 60, 4
	root := t.TempDir()
	p := start(t, "dbctl", "-o", root, "-debuggers", strconv.Itoa(most), "-D", "interval=1000",
		script(t, "eval.dbctl"), "crowd", strconv.Itoa(processes), "20")
	p.until("ready\n")
	output, status := p.end()
	if output != "0 wrong, 0\n" || status != "exit status 11" {
		t.Errorf("it ended with %s and %q: %s", status, output, p.err.String())
	}
	checkCrowd(t, root, processes)
}

// checkCrowd wants that all processes of a crowd are in the tree with their end,
// and that some were sampled.
func checkCrowd(t *testing.T, root string, n int) {
	t.Helper()
	all := processesOf(t, root)
	if len(all) != n+1 {
		t.Errorf("the tree in %s has %d processes, want %d", filepath.Base(root), len(all), n+1)
	}
	samples := uint64(0)
	for i, p := range all {
		if !strings.HasPrefix(p.Status, "exit ") || i > 0 && p.Ppid != all[0].Pid {
			t.Errorf("process %d of %d ended with %q", p.Pid, p.Ppid, p.Status)
		}
		samples += p.Samples
	}
	if samples == 0 {
		t.Error("there are no samples")
	}
}
