package main

import (
	"bytes"
	"strings"
	"testing"
)

// The name says which command it is; one that is none is told those that are.
func TestNames(t *testing.T) {
	for name := range commands() {
		var stdout, stderr bytes.Buffer
		status := run([]string{"/somewhere/" + name, "-h"}, nil, &stdout, &stderr)
		if status != 0 || !strings.HasPrefix(stdout.String(), "usage: "+name+" ") || stderr.Len() > 0 {
			t.Errorf("%s -h: status %d, %q, %q", name, status, &stdout, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	status := run([]string{"/somewhere/pct-tools"}, nil, &stdout, &stderr)
	if status != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "pct-tools: no command has this name") || !strings.Contains(stderr.String(), "pct-addr2line") {
		t.Errorf("pct-tools: status %d, %q, %q", status, &stdout, &stderr)
	}
}
