package bench

import (
	"regexp"
	"testing"
)

// TestTracing takes one round of the rows that are quick.
func TestTracing(t *testing.T) {
	b, stdout, stderr := quick(t, "^(expression printed|call and return|one line.*)$")
	if err := b.tracing(); err != nil || b.Failures > 0 {
		t.Fatalf("%v, %d failures: %s", err, b.Failures, stderr)
	}
	for _, row := range []string{
		`(?m)^expression printed +bare +[0-9]+ +[0-9.]+ *$`,
		`(?m)^expression printed +dbctl +[1-9][0-9]* +[0-9.]+ +[1-9][0-9.]* *$`,
		`(?m)^expression printed +gdb Python +[1-9][0-9]* +[0-9.]+ +[1-9][0-9.]* *$`,
		`(?m)^call and return +dbctl +[1-9][0-9]* +[0-9.]+ +[1-9][0-9.]* *$`,
		`(?m)^one line until the end +dbctl +[1-9][0-9]* +[0-9.]+ +[0-9.]+$`,
	} {
		if !regexp.MustCompile(row).MatchString(stdout.String()) {
			t.Errorf("no row %s in\n%s", row, stdout)
		}
	}
}
