package matrix_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profilecollection/pct/matrix"
)

// suites are modules of the tests of Debian's python3 (package libpython3.11-testsuite); few: the shortest.
var suites = []struct {
	name string
	few  bool
}{
	{"test_mmap", true}, {"test_resource", true}, {"test_eintr", true}, {"test_pty", true},
	{"test_signal", false}, {"test_subprocess", false}, {"test_threading", false}, {"test_faulthandler", false},
	{"test_ctypes", false}, {"test_asyncio.test_subprocess", false}, {"test_asyncio.test_unix_events", false}, {"test_posix", false},
	{"test_os", false}, {"test_fork1", false}, {"test_wait4", false}, {"test_threadsignals", false},
	{"test_select", false}, {"test_selectors", false}, {"test_fcntl", false}, {"test_exceptions", false},
}

var testCase = regexp.MustCompile(`<testcase name="([^"]*)"[^>]*result="([^"]*)"[^>]*>(<(failure|error|skipped))?`)

// results are what became of each test of a module.
func results(t *testing.T, dir string, command func(args ...string) []string, module string) string {
	t.Helper()
	file := filepath.Join(dir, "results.xml")
	r, err := matrix.Start(t.Context(), 5*patience, dir, command("/usr/bin/python3", "-m", "test", "--junit-xml", file, module)...)
	if err != nil {
		t.Fatal(err)
	}
	end, said, err := r.Wait()
	if err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%v\n%v(profile said: %s)", err, end, said)
	}
	var b strings.Builder
	for _, m := range testCase.FindAllStringSubmatch(string(text), -1) {
		fmt.Fprintf(&b, "%s: %s %s\n", m[1], m[2], m[4])
	}
	fmt.Fprintf(&b, "exit status %d\n", end.Status)
	return b.String()
}

// TestSuites runs test suites of others.
func TestSuites(t *testing.T) {
	for _, s := range suites {
		if !s.few && !*whole {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			bare := results(t, t.TempDir(), func(args ...string) []string { return args }, s.name)
			if strings.Count(bare, "\n") < 2 {
				t.Fatalf("bare: no tests: %s", bare)
			}
			for _, m := range matrix.Modes() {
				if !*whole && m.Name != "calls" || strings.HasPrefix(m.Name, "expr") {
					continue
				}
				t.Run(m.Name, func(t *testing.T) {
					got := results(t, t.TempDir(), func(args ...string) []string { return profiled(m, args...) }, s.name)
					if got != bare {
						t.Errorf("profiled:\n%sbare:\n%s", difference(got, bare), difference(bare, got))
					}
				})
			}
		})
	}
}

// difference is what lines of a text another lacks.
func difference(a, b string) string {
	var lines strings.Builder
	for line := range strings.Lines(a) {
		if !strings.Contains(b, line) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}
