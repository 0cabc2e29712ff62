package session

import (
	"math"
	"testing"
)

// In each interval there is one hit, whatever the steps in which it's swept out.
func TestGticks(t *testing.T) {
	for _, tt := range []struct{ interval, step, steps uint64 }{
		{1, 1, 1000}, {100, 1, 10000}, {7, 3, 7000}, {1024, 10240, 50}, {10, 25, 1000}, {4096, 1 << 40, 3},
	} {
		g := newGticks(tt.interval)
		var hits uint64
		for range tt.steps {
			hits += g.advance(tt.step)
		}
		// Of the last interval the hit may be still to come.
		whole := tt.step * tt.steps / tt.interval
		if hits != whole && hits != whole+1 || tt.step*tt.steps%tt.interval == 0 && hits != whole {
			t.Errorf("%+v: %d hits, want %d", tt, hits, whole)
		}
	}
}

// A hit is at any instant of its interval: of two users that take turns, each has the
// hits that are its due.
func TestGticksInStep(t *testing.T) {
	const interval, turns = 10, 20000
	g := newGticks(interval)
	var hits [2]float64
	for range turns {
		hits[0] += float64(g.advance(2))
		hits[1] += float64(g.advance(8))
	}
	const want = turns * 0.2
	if math.Abs(hits[0]-want) > 5*math.Sqrt(turns*0.2*0.8) || hits[0]+hits[1] != turns {
		t.Errorf("%v hits, want %v of %d", hits, want, turns)
	}
}
