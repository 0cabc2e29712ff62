package remote

import (
	"testing"
)

func TestSingle(t *testing.T) {
	s := debug(t, build(t, "single"))
	s.all("-break-insert middle", "-exec-continue --all")
	s.begin()
	thread, function := s.stop("breakpoint-hit")
	if function != "middle" {
		t.Fatalf("stopped in %s", function)
	}
	if got := s.value(thread, 0, "n"); got != "10" {
		t.Errorf("n = %s", got)
	}
	s.all("-exec-continue --all")
	s.next("*stopped")
}
