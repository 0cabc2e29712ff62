package treetest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestForkTree runs a random tree of processes, made in all ways there are: it
// does as it does by itself, and each of its processes is known. TREETEST_PROCESSES
// says how many, TREETEST_SEED which.
func TestForkTree(t *testing.T) {
	t.Parallel()
	n, seed := number(t, "TREETEST_PROCESSES", 500), number(t, "TREETEST_SEED", 5)
	run := func(prefix ...string) (result, string) {
		dir := t.TempDir()
		pids := filepath.Join(dir, "pids")
		if err := os.WriteFile(pids, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		argv := append(prefix, "forktree", strconv.Itoa(seed), strconv.Itoa(n), "3", pids)
		return execute(t, dir, "", argv...), pids
	}
	want, pids := run()
	if said := printed(t, pids); len(said) < n*9/10 || !strings.Contains(want.stdout, fmt.Sprintf("\n%d processes, ", n)) {
		t.Fatalf("by itself it tells of %d processes:\n%+v", len(said), want)
	}
	root := t.TempDir()
	got, pids := run(append([]string{"dbctl", "-o", root}, sampling...)...)
	if got != want {
		t.Errorf("it did not do as by itself:\n%+v\nwant\n%+v", got, want)
	}
	said, known := printed(t, pids), make(map[int][]string)
	for _, p := range processesOf(t, root) {
		known[p.Pid] = append(known[p.Pid], p.How)
		if p.Status == "" {
			t.Errorf("process %d, made by %s, has no end", p.Pid, p.How)
		}
	}
	for _, pid := range slices.Sorted(maps.Keys(said)) {
		if ways := said[pid]; len(ways) != len(known[pid]) {
			t.Errorf("process %d, made by %v, is known %d times", pid, ways, len(known[pid]))
		}
	}
	for pid, how := range known {
		if said[pid] == nil {
			t.Errorf("process %d, by %v, is known and has not told of itself", pid, how)
		}
	}
}

// printed reads how each process was made, as they tell: more than one if a
// number was used again.
func printed(t *testing.T, file string) map[int][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ways := make(map[int][]string)
	for line := range strings.Lines(string(text)) {
		word, way, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("a process tells of itself %q", line)
		}
		ways[pid] = append(ways[pid], way)
	}
	return ways
}
