package session

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestLateTicks: however late ticks are, their periods together are the time that
// has passed, of regular and of random intervals.
func TestLateTicks(t *testing.T) {
	for _, p := range []period{{mean: 2 * time.Millisecond}, {2 * time.Millisecond, true}} {
		for _, latest := range []time.Duration{1, time.Millisecond, 7 * time.Millisecond} {
			r := rand.New(rand.NewPCG(1, uint64(latest)))
			mean := uint64(p.mean)
			now := uint64(p.first())
			due, periods, sum := now, uint64(0), uint64(0)
			const ticks = 20000
			for range ticks {
				now += r.Uint64N(uint64(latest))
				var n, wait uint64
				n, due, wait = after(now, due, mean, uint64(p.next()))
				if wait < uint64(shortest) {
					t.Fatalf("it waits %v", time.Duration(wait))
				}
				periods += n
				now = max(now+wait, due)
			}
			sum = periods * mean
			// The sum of random intervals is the mean's, to six of its standard errors.
			if off := float64(sum)/float64(now) - 1; off < -0.015 || off > 0.015 {
				t.Errorf("%+v, up to %v late: %v of %v", p, latest, time.Duration(sum), time.Duration(now))
			}
		}
	}
}

// TestEarlyTicks: ticks that come up to a quarter of a period early do not make the clock fast.
func TestEarlyTicks(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	mean := uint64(2 * time.Millisecond)
	now, due, periods := mean, mean, uint64(0)
	const ticks = 10000
	for range ticks {
		n, next, _ := after(now, due, mean, mean)
		periods, due = periods+n, next
		now = due - r.Uint64N(mean/4)
	}
	if off := int64(periods*mean) - int64(now); off < -int64(mean) || off > int64(mean) {
		t.Errorf("%d periods in the time of %d", periods, now/mean)
	}
}
