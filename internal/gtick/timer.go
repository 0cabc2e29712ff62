// Package gtick is interval timers of resources: in each interval of the gticks that are
// consumed there is one hit, at a random instant of it, so that no rhythm of a program is in step with
// the hits, and what spans n whole intervals gets n of them (section 5.1 of the 1993 paper).
package gtick

import "math/rand/v2"

// Timer is an interval timer. It begins with the first gticks.
type Timer struct {
	Interval uint64 // gticks, from 1

	used    uint64 // gticks so far
	current uint64 // interval that used is in
	at      uint64 // instant of its hit
	hit     bool   // that was
	begun   bool
}

// Advance lets gticks pass, and returns the number of hits among them.
func (t *Timer) Advance(gticks uint64) (hits uint64) {
	if !t.begun {
		t.begun, t.at = true, rand.Uint64N(t.Interval)
	}
	t.used += gticks
	if now := t.used / t.Interval; now > t.current {
		hits = now - t.current
		if t.hit {
			hits--
		}
		t.current, t.at, t.hit = now, now*t.Interval+rand.Uint64N(t.Interval), false
	}
	if !t.hit && t.at < t.used {
		t.hit = true
		hits++
	}
	return hits
}
