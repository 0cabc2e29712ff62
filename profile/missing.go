package main

import "math"

// missing tells of CPU time that is in no sample, as that of processes that the library can't be loaded into, as far
// as nothing else explains it: a note, chance, and what starting a program takes before the library is there. That is
// less than 2 ms for 50 page faults; but other programs too have faults, so of all CPU time it excuses a tenth where
// the library counts it (by the kernel's tick, all CPU time), a quarter where it does not.
func (r *report) missing() {
	o := r.options
	if r.collector != library || len(o.resources) > 0 || o.clock == "real" || o.last != "" || r.told.troubled() {
		return
	}
	samples := r.samples
	if len(r.dirs) == 0 {
		samples = 0
	}
	if samples < 0 {
		return // pct has said what is wrong
	}
	const (
		tick       = 4000 // µs, the longest that is usual
		oneFault   = 0.002 / 50
		leastShare = 0.1
		leastTime  = 0.05 // s
		deviations = 4    // standard errors of the number of samples
	)
	user := o.clock == "virtual" || r.told.of(userMode) != nil
	cpu, most := r.used.user, 0.25
	if !user {
		cpu += r.used.system
		if o.period >= tick {
			most = 0.1
		}
	}
	period := float64(o.period) / 1e6
	missing := cpu - float64(samples)*period
	start := min(oneFault*float64(r.used.faults), most*cpu)
	if missing > leastShare*cpu && missing > leastTime+deviations*period*math.Sqrt(float64(samples+1))+start {
		r.say([]note{{notSampled, []any{missing, cpu}}})
	}
}
