package collector_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The kept inputs of the fuzzers of the library, those that were once wrong among them, are read to their end.
func TestSeeds(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("make", "-s", "-j2", "-C", "../fuzz", "OUT="+dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names, err := exec.Command("make", "-s", "-C", "../fuzz", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(names)) {
		seeds, err := filepath.Glob(filepath.Join("..", "fuzz", "testdata", name, "*"))
		if err != nil || len(seeds) == 0 {
			t.Errorf("%s has no seeds (%v)", name, err)
			continue
		}
		if out, err := exec.Command(filepath.Join(dir, name), append([]string{"-timeout=10"}, seeds...)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
