package gtick

import (
	"math"
	"testing"
)

// In each interval there is one hit, whatever the steps in which it's swept out.
func TestGticks(t *testing.T) {
	for _, tt := range []struct{ interval, step, steps uint64 }{
		{1, 1, 1000}, {100, 1, 10000}, {7, 3, 7000}, {1024, 10240, 50}, {10, 25, 1000}, {4096, 1 << 40, 3},
	} {
		g := Timer{Interval: tt.interval}
		var hits uint64
		for range tt.steps {
			hits += g.Advance(tt.step)
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
	g := Timer{Interval: interval}
	var hits [2]float64
	for range turns {
		hits[0] += float64(g.Advance(2))
		hits[1] += float64(g.Advance(8))
	}
	const want = turns * 0.2
	if math.Abs(hits[0]-want) > 5*math.Sqrt(turns*0.2*0.8) || hits[0]+hits[1] != turns {
		t.Errorf("%v hits, want %v of %d", hits, want, turns)
	}
}

// What spans n intervals has n hits; of less, the hits are as many as the intervals, and are
// not in step with what is used.
func TestTimer(t *testing.T) {
	whole := Timer{Interval: 1024}
	for range 1000 {
		if n := whole.Advance(10240); n != 10 {
			t.Fatalf("10 intervals have %d hits", n)
		}
	}
	one := Timer{Interval: 1}
	for n := range uint64(100) {
		if got := one.Advance(n); got != n {
			t.Fatalf("%d gticks at an interval of 1 have %d hits", n, got)
		}
	}
	// A program that uses 99 gticks here and 1 there has 1 % of the hits there.
	step := Timer{Interval: 100}
	here, there := 0, 0
	const rounds = 100000
	for range rounds {
		here += int(step.Advance(99))
		there += int(step.Advance(1))
	}
	if here+there != rounds || there < rounds/100-200 || there > rounds/100+200 {
		t.Errorf("%d and %d hits", here, there)
	}
}
