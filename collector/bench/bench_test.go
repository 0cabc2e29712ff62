package bench

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestTables takes one round of one program, and of one whose call paths are collected by all
// methods, with a report of them.
func TestTables(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("make", "-s", "-C", "..", "OUT="+filepath.Join(bin, "lib"), filepath.Join(bin, "lib", "libpct.so")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, source := range map[string]string{"pct": "../../pct", "pct-addr2line": "../../tools"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), source).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var stdout, stderr bytes.Buffer
	args := []string{"-bin", bin, "-quick", "-rounds", "1", "-run", "^(4 threads|paths/threads|overhead/threads|paths-report|waits/cpu)$"}
	if status := Part().Main(args, &stdout, &stderr); status != 0 {
		t.Fatalf("exit status %d: %s%s", status, &stdout, &stderr)
	}
	const ratio, quartiles, whole = ` +[0-9.]+`, ` +[0-9.]+\.\.[0-9.]+`, ` +(100\.00|9[0-9]\.[0-9]+)` // of some 70 samples
	for _, row := range []string{
		`(?m)^4 threads +bare( +[0-9.]+){2}\.\.[0-9.]+ +1\.000 +1\.000\.\.1\.000$`,
		`(?m)^4 threads +libpct +100 +[1-9][0-9]*( +[0-9.]+){4}$`,
		`(?m)^4 threads +libpct +1000 +[1-9][0-9]*( +[0-9.]+){4}$`,
		`(?m)^threads +bare +1\.000 `,
		`(?m)^threads +libpct -paths +1000 +[1-9][0-9]*` + ratio + quartiles + ratio + quartiles + ratio + whole + ` +[12][0-9]\.[0-9] +[0-9]+ +[0-9.]+ +[0-9.]+ *$`,
		`(?m)^threads +pct-ring -paths +1000 +n/a .*pct-ring`, // which is not there
		`(?m)^libpct -calls +1000 +[-+][0-9.]+ *$`,
		`(?m)^threads +gprof +[0-9.]+`,
		`(?m)^cpu +work +[23][0-9]\.[0-9] +libpct -paths( +[-+][0-9.]+ ± [0-9.]+){4} +(work|other) `,
		`(?m)^threads +pct paths +[1-9][0-9]*( +[0-9.]+){5} *$`,
	} {
		if !regexp.MustCompile(row).MatchString(stdout.String()) {
			t.Errorf("no row %s in\n%s", row, &stdout)
		}
	}
}

func TestMisuse(t *testing.T) {
	for _, args := range [][]string{{"-bogus"}, {"word"}, {"-run", "("}, {"-rounds", "0"}} {
		var stdout, stderr bytes.Buffer
		if status := Part().Main(args, &stdout, &stderr); status != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%q: exit status %d, %q, %q", args, status, &stdout, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := Part().Main([]string{"-bin", t.TempDir()}, &stdout, &stderr); status != 1 {
		t.Errorf("without a library: exit status %d: %s", status, &stderr)
	}
}
