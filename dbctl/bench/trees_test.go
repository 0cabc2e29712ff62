package bench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

// TestTrees takes one round of the rows that are quick.
func TestTrees(t *testing.T) {
	b, stdout, stderr := quick(t, "^script|hand-over")
	if err := b.trees(); err != nil || b.Failures > 0 {
		t.Fatalf("%v, %d failures: %s", err, b.Failures, stderr)
	}
	for _, row := range []string{
		`(?m)^script of 500 processes +bare( +[1-9][0-9.]*){2} *$`,
		`(?m)^script of 500 processes +dbctl( +[1-9][0-9.]*){2} +[0-9.]+$`,
		`(?m)^script of 500 processes +strace -f( +[1-9][0-9.]*){2} +[0-9.]+$`,
		`(?m)^hand-over, bare( +[0-9.]+){2}$`,
		`(?m)^hand-over, dbctl, own debugger( +[0-9.]+){2}$`,
	} {
		if !regexp.MustCompile(row).MatchString(stdout.String()) {
			t.Errorf("no row %s in\n%s", row, stdout)
		}
	}
}

// quick is a round of some rows, and what it prints, with the dbctl and the scripts of this tree.
func quick(t *testing.T, rows string) (b *bench, stdout, stderr *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	dbctl := filepath.Join(dir, "bin", "dbctl")
	if out, err := exec.Command("go", "build", "-o", dbctl, "../").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.CopyFS(filepath.Join(dir, "scripts"), os.DirFS("../../scripts")); err != nil {
		t.Fatal(err)
	}
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &bench{
		Run:   &harness.Run{Match: regexp.MustCompile(rows), Rounds: 1, Dir: t.TempDir(), Out: stdout, Err: stderr},
		dbctl: dbctl, budget: time.Minute,
	}, stdout, stderr
}
