package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestCosts takes one round of one program.
func TestCosts(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("make", "-s", "-C", "..", "OUT="+filepath.Join(bin, "lib")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var stdout, stderr bytes.Buffer
	if status := run([]string{"-bin", bin, "-rounds", "1", "-run", "^4 threads$"}, nil, &stdout, &stderr); status != 0 {
		t.Fatalf("exit status %d: %s%s", status, &stdout, &stderr)
	}
	for _, row := range []string{
		`(?m)^4 threads +bare( +[0-9.]+){2}\.\.[0-9.]+ +1\.000 +1\.000\.\.1\.000$`,
		`(?m)^4 threads +libpct +100 +[1-9][0-9]*( +[0-9.]+){4}$`,
		`(?m)^4 threads +libpct +1000 +[1-9][0-9]*( +[0-9.]+){4}$`,
	} {
		if !regexp.MustCompile(row).MatchString(stdout.String()) {
			t.Errorf("no row %s in\n%s", row, &stdout)
		}
	}
}

func TestMisuse(t *testing.T) {
	for _, args := range [][]string{{"-bogus"}, {"word"}, {"-run", "("}, {"-rounds", "0"}} {
		var stdout, stderr bytes.Buffer
		if status := run(args, nil, &stdout, &stderr); status != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%q: exit status %d, %q, %q", args, status, &stdout, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := run([]string{"-bin", t.TempDir()}, nil, &stdout, &stderr); status != 1 {
		t.Errorf("without a library: exit status %d: %s", status, &stderr)
	}
}
