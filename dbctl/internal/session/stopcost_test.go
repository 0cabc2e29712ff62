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
	const one, another = 1, 2
	var used use
	stop := func(tid, turns int) {
		used.turns += turns
		m.stopped(tid, func() (use, bool) { return used, true })
	}
	for range costFirst {
		stop(one, 1)
	}
	if got := m.String(); got != "3 calls stopped the program" {
		t.Errorf("before one is measured: %q", got)
	}
	for i := range 10 * costEvery {
		stop(one, 1)
		if i%costEvery == 7 {
			stop(another, 0)
		}
	}
	if len(m.spans) < 10 || len(m.spans) > 12 {
		t.Errorf("%d of %d were measured", len(m.spans), m.stops)
	}
	if got := m.String(); !regexp.MustCompile(`^173 calls stopped the program, for some \d+\.\d µs each$`).MatchString(got) {
		t.Error(got)
	}
}

// Of a program that waits between all its calls it's not told: the waits are its own.
func TestStopCostOfWaits(t *testing.T) {
	var m stopCost
	var used use
	for range 10 * costEvery {
		used.turns += 2
		m.stopped(1, func() (use, bool) { return used, true })
	}
	if got := m.String(); got != "160 calls stopped the program" {
		t.Error(got)
	}
	if used, ok := threadUse(os.Getpid(), os.Getpid()); !ok || used.cpu == 0 || used.turns == 0 {
		t.Errorf("ours is %+v, %t", used, ok)
	}
}
