package session

import "math/rand/v2"

// gticks is an interval timer of a resource that is counted: in each interval there is
// one hit, at a random instant of it, so that no rhythm of a program is in step with the
// hits, and what spans n whole intervals gets n of them (section 5.1 of the 1993 paper).
type gticks struct {
	interval uint64
	used     uint64 // gticks so far
	current  uint64 // interval that used is in
	at       uint64 // instant of its hit
	hit      bool   // that was
}

func newGticks(interval uint64) *gticks {
	return &gticks{interval: interval, at: rand.Uint64N(interval)}
}

// advance lets some pass, and returns the number of hits among them.
func (g *gticks) advance(n uint64) (hits uint64) {
	g.used += n
	if now := g.used / g.interval; now > g.current {
		hits = now - g.current
		if g.hit {
			hits--
		}
		g.current, g.at, g.hit = now, now*g.interval+rand.Uint64N(g.interval), false
	}
	if !g.hit && g.at < g.used {
		g.hit = true
		hits++
	}
	return hits
}
