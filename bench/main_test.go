package main

import (
	"bytes"
	"strings"
	"testing"
)

// Each part has a word and help of its own, and all are run, whatever one has come to.
func TestParts(t *testing.T) {
	for _, test := range []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"-h", 0, "example: bench library", ""},
		{"library -h", 0, "usage: bench library ", ""},
		{"dbctl -h", 0, "usage: bench dbctl ", ""},
		{"reports -h", 0, "usage: bench reports ", ""},
		{"reports -rounds 0", 2, "", "-rounds: want a number above 0"},
		{"nothing", 2, "", `there is no part "nothing"`},
		{"-bogus", 2, "", "-bogus"},
		{"-bin /nonexistent dbctl", 2, "", `there is no part "dbctl"`},
	} {
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(test.args), &stdout, &stderr)
		if status != test.status || !strings.Contains(stdout.String(), test.stdout) ||
			!strings.Contains(stderr.String(), test.stderr) || (status == 0) != (stderr.Len() == 0) {
			t.Errorf("bench %s: status %d\n%s%s", test.args, status, &stdout, &stderr)
		}
	}
}
