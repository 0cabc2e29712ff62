package session

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Threads of the tree go on, stop and are let go by orders of package tracee alone. Children in a
// pause-trap are not of the tree yet.
func TestOrdersAlone(t *testing.T) {
	restarts := regexp.MustCompile(`\btracer\.(Resume|Listen|Interrupt|Detach)\(`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if restarts.MatchString(line) && file != "orders.go" && file != "trapped.go" && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s:%d: %s", file, i+1, strings.TrimSpace(line))
			}
		}
	}
}
