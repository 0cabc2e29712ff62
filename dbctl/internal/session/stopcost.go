package session

import (
	"fmt"
	"slices"
	"time"
)

// stopCost is what it costs a thread to be stopped at a breakpoint of a clock, measured now
// and then: the time on the clock on the wall, from one stop to the next, that it did not run; where it
// waited meanwhile, that can't be told.
type stopCost struct {
	stops uint64
	tid   int // whose next stop ends the time; 0: none is being measured
	at    time.Time
	used  use
	spans []time.Duration
}

const (
	costEvery = 16  // stops, of which one is measured
	costFirst = 3   // that is: what is done once is not to count
	costMost  = 512 // that are kept
)

// stopped is a stop of a thread; read tells what that has used.
func (m *stopCost) stopped(tid int, read func() (use, bool)) {
	m.stops++
	if m.tid == tid {
		now := time.Now()
		// It came to a processor after the one stop, not again after a wait.
		if used, ok := read(); ok && used.turns-m.used.turns <= 1 && len(m.spans) < costMost {
			m.spans = append(m.spans, max(0, now.Sub(m.at)-(used.cpu-m.used.cpu)))
		}
		m.tid = 0
	} else if m.stops%costEvery == costFirst {
		if used, ok := read(); ok {
			m.tid, m.at, m.used = tid, time.Now(), used
		}
	}
}

// String says it, "" if nothing has been stopped.
func (m *stopCost) String() string {
	switch {
	case m.stops == 0:
		return ""
	case m.stops == 1:
		return "one call stopped the program"
	case len(m.spans) == 0:
		return fmt.Sprintf("%d calls stopped the program", m.stops)
	}
	slices.Sort(m.spans)
	middle := m.spans[(len(m.spans)-1)/2]
	return fmt.Sprintf("%d calls stopped the program, for some %.1f µs each", m.stops, float64(middle.Nanoseconds())/1000)
}
