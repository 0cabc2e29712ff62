package treetest_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
)

// TestCrowd follows a thousand processes that live at the same time, with fewer
// file descriptors than that.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const (
		processes   = 1000
		descriptors = 500
		mostMemory  = 200 << 10 // KB
	)
	root := t.TempDir()
	p := start(t, "prlimit", fmt.Sprintf("--nofile=%d:%[1]d", descriptors), "dbctl-plain", "-o", root, "-D", "interval=1000",
		"profile.dbctl", "crowd", strconv.Itoa(processes), "2")
	p.until("ready\n")
	memory, _, _ := strings.Cut(proctest.Status(p.pid(), "VmHWM"), " ")
	if kb, err := strconv.Atoi(memory); err != nil || kb > mostMemory {
		t.Errorf("dbctl used %s KB, want at most %d", memory, mostMemory)
	}
	if open := entries(t, fmt.Sprintf("/proc/%d/fd", p.pid())); len(open) > descriptors-20 {
		t.Errorf("dbctl has %d file descriptors", len(open))
	}
	output, status := p.end()
	if output != "0 wrong, 0\n" || status != "exit status 11" {
		t.Errorf("it ended with %s and %q: %s", status, output, p.err.String())
	}
	checkCrowd(t, root, processes)
}
