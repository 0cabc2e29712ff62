package session

import (
	"os"
	"regexp"
	"testing"
)

// Of many stops some are measured, of which the middle one is told.
func TestStopCost(t *testing.T) {
	var m stopCost
	if m.String() != "" {
		t.Errorf("of no stop: %q", m.String())
	}
	pid := os.Getpid()
	for range costFirst {
		m.stopped(pid, pid)
	}
	if got := m.String(); got != "3 calls stopped the program" {
		t.Errorf("before one is measured: %q", got)
	}
	for i := range 10 * costEvery {
		m.stopped(pid, pid)
		if i%costEvery == 7 {
			m.stopped(pid, 1) // of another thread
		}
	}
	if len(m.spans) < 10 || len(m.spans) > 12 {
		t.Errorf("%d of %d were measured", len(m.spans), m.stops)
	}
	if got := m.String(); !regexp.MustCompile(`^173 calls stopped the program, for some \d+\.\d µs each$`).MatchString(got) {
		t.Error(got)
	}
}
