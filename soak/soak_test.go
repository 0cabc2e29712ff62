package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Some rounds of each trial, other ones each time: what fails tells its seed.
func TestRounds(t *testing.T) {
	dir := t.TempDir()
	// profile looks for scripts beside its directory.
	bin := filepath.Join(dir, "bin")
	for _, c := range [][]string{{"make", "-s", "-C", "..", "BIN=" + bin}, {"cp", "-r", "../scripts", dir}} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(c, " "), err, out)
		}
	}
	var out strings.Builder
	if status := run([]string{"-bin", bin, "-rounds", "3"}, &out, &out); status != 0 {
		t.Errorf("exit status %d\n%s", status, out.String())
	}
	t.Log(out.String())
}
