package treetest_test

import (
	"strings"
	"testing"
)

// A parent that waits for its children's stops learns the same of them, from the
// same number of signals, as it does by itself.
func TestStops(t *testing.T) {
	t.Parallel()
	want := execute(t, t.TempDir(), "", "stops")
	if want.status != "exit status 0" || strings.Contains(want.stdout, "too many") || !strings.Contains(want.stdout, "50 right") {
		t.Fatalf("by itself: %+v", want)
	}
	for _, what := range []string{"profile.dbctl", script(t, "eval.dbctl")} {
		got := profiled(t, t.TempDir(), t.TempDir(), "", []string{"-D", "interval=1000", what}, "stops")
		if got != want {
			t.Errorf("with %s it does not do as by itself:\n%+v\nchanged:\n%s", what, got, changes(got.stdout, want.stdout))
		}
	}
}
