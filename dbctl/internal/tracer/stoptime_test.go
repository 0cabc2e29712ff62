package tracer

import (
	"testing"
	"time"
)

// A stop takes some time of the processor, and less than any stopped program would bear.
func TestStopTime(t *testing.T) {
	s, err := StopTime()
	if err != nil || s.Same <= 0 || s.Other < s.Same || max(s.Other, s.Waits, s.Step) > time.Second {
		t.Errorf("%+v, %v", s, err)
	}
	t.Logf("%+v", s)
}
