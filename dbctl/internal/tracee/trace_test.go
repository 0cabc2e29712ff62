package tracee

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What once went wrong, recorded by dbctl -record: each file tells what. The same events must give
// the same orders, and leave nothing.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.steps")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tree := New()
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			if strings.HasPrefix(line, "# ") {
				continue
			}
			if err := tree.Repeat(line); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
		}
		if len(tree.threads) > 0 || len(tree.children) > 0 || len(tree.strangers) > 0 {
			t.Errorf("%s: %d threads, %d children and %d strangers are left", file, len(tree.threads), len(tree.children), len(tree.strangers))
		}
	}
}

// A line that is damaged, or whose orders are not those of now, is an error.
func TestRepeatFails(t *testing.T) {
	for _, line := range []string{
		"", "{}", `{"event":"launched","tid":1}`, `{"event":"lost"} -> []x`, `{"event":"nonsense"} -> []`,
		`{"event":"launched","tid":1} -> [{"order":"listen","tid":1}]`,
	} {
		if New().Repeat(line) == nil {
			t.Errorf("%q is right", line)
		}
	}
	if err := New().Repeat(`{"event":"launched","tid":1} -> []`); err != nil {
		t.Error(err)
	}
}

// Each kind of event has a name and a step.
func TestNames(t *testing.T) {
	if len(kindNames) != int(kinds) || len(steps) != int(kinds) || len(errandNames) != int(errands) {
		t.Errorf("%d names and %d steps of %d kinds, %d names of %d errands", len(kindNames), len(steps), kinds, len(errandNames), errands)
	}
	for k, step := range steps {
		if step == nil {
			t.Errorf("there is no step for %s", kindNames[k])
		}
	}
}
