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

// TestTracing takes one round of the rows that are quick.
func TestTracing(t *testing.T) {
	dir := t.TempDir()
	dbctl := filepath.Join(dir, "bin", "dbctl")
	if out, err := exec.Command("go", "build", "-o", dbctl, "../").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.CopyFS(filepath.Join(dir, "scripts"), os.DirFS("../../scripts")); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	b := &bench{
		Run:   &harness.Run{Match: regexp.MustCompile("^(expression printed|call and return|one line.*)$"), Rounds: 1, Dir: t.TempDir(), Out: &stdout, Err: &stderr},
		dbctl: dbctl, budget: time.Minute,
	}
	if err := b.tracing(); err != nil || b.Failures > 0 {
		t.Fatalf("%v, %d failures: %s", err, b.Failures, &stderr)
	}
	for _, row := range []string{
		`(?m)^expression printed +bare +[0-9]+ +[0-9.]+ *$`,
		`(?m)^expression printed +dbctl +[1-9][0-9]* +[0-9.]+ +[1-9][0-9.]* *$`,
		`(?m)^expression printed +gdb Python +[1-9][0-9]* +[0-9.]+ +[1-9][0-9.]* *$`,
		`(?m)^call and return +dbctl +[1-9][0-9]* +[0-9.]+ +[1-9][0-9.]* *$`,
		`(?m)^one line until the end +dbctl +[1-9][0-9]* +[0-9.]+ +[0-9.]+$`,
	} {
		if !regexp.MustCompile(row).MatchString(stdout.String()) {
			t.Errorf("no row %s in\n%s", row, &stdout)
		}
	}
}
