package ring

import (
	"math/big"
	"math/rand/v2"
)

// timer is an interval timer in gticks, for all but the kernel's clocks: in each interval
// there is one hit, at a random instant of it, so that no rhythm of a program is in step with
// the hits, and what spans n whole intervals gets n of them (section 5.1 of the 1993 paper).
type timer struct {
	interval uint64
	used     uint64 // gticks so far
	current  uint64 // interval that used is in
	at       uint64 // instant of its hit
	hit      bool   // that was
	begun    bool
}

// advance lets gticks pass, and returns the number of hits among them.
func (t *timer) advance(gticks uint64) (hits uint64) {
	if !t.begun {
		t.begun, t.at = true, rand.Uint64N(t.interval)
	}
	t.used += gticks
	if now := t.used / t.interval; now > t.current {
		hits = now - t.current
		if t.hit {
			hits--
		}
		t.current, t.at, t.hit = now, now*t.interval+rand.Uint64N(t.interval), false
	}
	if !t.hit && t.at < t.used {
		t.hit = true
		hits++
	}
	return hits
}

// stride is how many events the kernel is to count between two samples, of which the timer makes
// hits in intervals. It's the largest prime up to an interval, from 7 on: the kernel has no random
// periods, so that with an even one it would see the same one of two functions forever that a
// program calls in turn, with 3 or 5 of three or five. Where 7 is too many it's each event.
func stride(interval uint64) uint64 {
	const least = 7
	if interval < least {
		return 1
	}
	p := interval
	for !new(big.Int).SetUint64(p).ProbablyPrime(0) { // exact below 2⁶⁴
		p--
	}
	return p
}
