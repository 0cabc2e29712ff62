package bench

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args   string
		status int
		stdout string
		stderr string
	}{
		{"-h", 0, "example: bench dbctl -quick", ""},
		{"-nonsense", 2, "", "-nonsense"},
		{"-rounds 0x", 2, "", "rounds"},
		{"-rounds -1", 2, "", "above 0"},
		{"-run (", 2, "", "-run: "},
		{"argument", 2, "", `unexpected argument "argument"`},
		{"-bin /nonexistent", 1, "", "/nonexistent/dbctl"},
	} {
		var stdout, stderr bytes.Buffer
		status := Part().Main(strings.Fields(test.args), &stdout, &stderr)
		if status != test.status || !strings.Contains(stdout.String(), test.stdout) ||
			!strings.Contains(stderr.String(), test.stderr) || (status == 0) != (stderr.Len() == 0) {
			t.Errorf("bench %s: status %d\n%s%s", test.args, status, &stdout, &stderr)
		}
	}
}

// TestRun takes one short round of two rows, with the dbctl of this tree.
func TestRun(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "dbctl"), "../").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"-quick", "-rounds", "1", "-bin", bin, "-run", "^(path at depth 5|sustained path at depth 50|expression at depth 5|parser)$"}
	if status := Part().Main(args, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	for _, row := range []string{
		`(?m)^path at depth 5  +gdb/MI, one command at a time( +[1-9][0-9.]*){4} +[0-9.]+$`,
		`(?m)^path at depth 5  +cyrus-and/gdb( +[1-9][0-9.]*){4} +[0-9.]+$`,
		`(?m)^path at depth 5  +gdb -batch -ex bt( +[1-9][0-9.]*){4} +[0-9.]+$`,
		`(?m)^path at depth 5  +ptrace alone( +[1-9][0-9.]*){4} +[0-9.]+$`,
		`(?m)^path at depth 5  +dbctl( +[1-9][0-9.]*){4} *$`,
		`(?m)^expression at depth 5  +dbctl( +[1-9][0-9.]*){4} *$`,
		`(?m)^sustained path at depth 50  +1000( +[1-9][0-9.]*){6}$`,
		`(?m)^dbctl/internal/mi( +[0-9.]+){2} *$`,
		`(?m)^cyrus-and/gdb( +[0-9.]+){3}$`,
	} {
		if !regexp.MustCompile(row).MatchString(stdout.String()) {
			t.Errorf("no row %s in\n%s", row, &stdout)
		}
	}
	if leftover := regexp.MustCompile(`(?m)^(pc|4 frames) at`).FindString(stdout.String()); leftover != "" {
		t.Errorf("a row that was not asked for: %s", leftover)
	}
}
