package session

import (
	"math"
	"slices"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// The time of a traced call is that from the stop at its begin to the stop at its end, less what the tracing took:
// the time for which the thread was seen to stand still, and for each stop its lag. That is the time that the
// kernel takes to stop the thread and to tell us, and to have it run again.

// stopwatch is how long a thread has stood still and run, at its latest stop. It belongs to the tracing goroutine.
type stopwatch struct {
	since time.Time     // when it stopped; zero: it runs
	went  time.Time     // when it went on last
	stood time.Duration // in all stops before
	stops int
	steps int // that were for one instruction
	used  use // of processors; zero: not known
}

// took is the time of a call, and its standard error.
type took struct{ time, err time.Duration }

// stopped is when a thread has stopped, if its calls are timed.
func (th *thread) stopped(at time.Time) {
	l := &th.p.tree.lag
	if l.known == 0 || th.p.probes == nil && !th.p.tracesCalls() || !th.since.IsZero() {
		return
	}
	th.since = at
	th.stops++
	before := th.used
	th.used = th.uses()
	// It came to a processor after the stop before, and did not wait again.
	if before != (use{}) && th.used.turns-before.turns == 1 {
		ran := th.used.cpu - before.cpu
		l.add(span{ran, max(0, at.Sub(th.went)-ran)})
	}
}

// uses is what a thread has had of processors.
func (th *thread) uses() (used use) {
	if th.clock == nil && descriptorsLeft() {
		th.clock, _ = proc.OpenThreadClock(th.p.pid, th.tid) // it may have ended
	}
	if th.clock != nil {
		used.cpu, used.turns, _ = th.clock.Read()
	}
	return used
}

// dropClock is when a thread has ended, or got another number.
func (th *thread) dropClock() {
	if th.clock != nil {
		th.clock.Close()
		th.clock = nil
	}
}

// restarted is when it goes on, perhaps for one instruction.
func (th *thread) restarted(how tracer.How) {
	if th.since.IsZero() {
		return
	}
	if how == tracer.Step {
		th.steps++
	}
	th.went = time.Now()
	th.stood += th.went.Sub(th.since)
	th.since = time.Time{}
}

// took is the time from a stop of a thread to the present one, or to its end. Where it has not waited, it is the time
// for which it ran: then the load of the machine has no part in it.
func (th *thread) took(began stopwatch) took {
	stops, steps := th.stops-began.stops, th.steps-began.steps
	if began.used != (use{}) && th.used != (use{}) && !th.since.IsZero() && th.used.turns-began.used.turns <= stops {
		ran, err := th.p.tree.lag.ran(stops, steps)
		return less(th.used.cpu-began.used.cpu, ran, err)
	}
	now := th.since
	if now.IsZero() {
		now = time.Now()
	}
	sum, err := th.p.tree.lag.of(stops, steps)
	return less(now.Sub(began.since)-(th.stood-began.stood), sum, err)
}

// less is a time without a sum that is known with an error. A sum that is greater than all is wrong by the rest at least.
func less(all, sum, err time.Duration) took { return took{max(0, all-sum), max(err, sum-all)} }

// lag is what stops take threads beside the time for which they are seen to stand: some CPU time, which is more
// where the thread runs on another processor than we, and some for which they wait.
type lag struct {
	child  tracer.StopTimes // measured in a child
	latest [lagKept]span    // between stops, in no order
	known  int              // as many as were; 0: nothing is timed

	// Of a stop, worked out now and then:
	worked  int           // when: as many spans were known
	cpu     time.Duration // CPU time
	waits   time.Duration
	cpuErr  float64 // the standard error of the CPU time, in nanoseconds, which all stops share
	waitErr float64 // that of the waits, which they share too
	apart   float64 // and that by which their waits differ
}

// span is the time from one stop to the next: for how long the thread ran, and for how long it waited to.
type span struct{ ran, waited time.Duration }

const (
	lagEvery = 16 // spans, after which it is worked out again
	lagKept  = 64
)

// timeCalls measures what stops take before the first call of a run is timed, in some milliseconds.
func (t *tree) timeCalls() {
	l := &t.lag
	if l.known > 0 {
		return
	}
	// By a thread of its own: this one waits for all that it traces.
	done := make(chan error)
	go func() {
		var err error
		l.child, err = tracer.StopTime()
		done <- err
	}()
	if err := <-done; err != nil {
		t.sayOnce("the times of calls include a part of what their stops take: %v", err)
	}
	l.add(span{l.child.Other, l.child.Waits})
}

func (l *lag) add(s span) {
	l.latest[l.known%lagKept] = s
	l.known++
}

// ran is the CPU time of some stops, of which some are for one instruction, and the standard error of that.
func (l *lag) ran(stops, steps int) (sum, err time.Duration) {
	l.work()
	sum = time.Duration(stops)*l.cpu + time.Duration(steps)*l.child.Step
	return sum, time.Duration(float64(stops) * l.cpuErr)
}

// of is ran with what they wait.
func (l *lag) of(stops, steps int) (sum, err time.Duration) {
	sum, own := l.ran(stops, steps)
	n := float64(stops)
	sum += time.Duration(stops) * l.waits
	return sum, time.Duration(math.Hypot(float64(own), math.Hypot(n*l.waitErr, math.Sqrt(n)*l.apart)))
}

// work works out what a stop takes.
func (l *lag) work() {
	if l.known == 0 || l.worked > 0 && l.known-l.worked < lagEvery {
		return
	}
	l.worked = l.known
	spans := l.latest[:min(l.known, lagKept)]
	waits := make([]time.Duration, len(spans))
	most := l.child.Other
	for i, s := range spans {
		waits[i] = s.waited
		most = min(most, max(s.ran, l.child.Same)) // a stop is a part of what the thread ran
	}
	slices.Sort(waits)
	n := len(waits)
	l.waits = waits[n/2]
	var squares float64
	for _, w := range waits {
		squares += math.Pow(float64(w-l.waits), 2)
	}
	l.apart = math.Sqrt(squares / float64(n))
	// Of what is the same processor's the error is what it differs by, to be careful. Of a median the error is about
	// 1.25 times that of a mean; of a value between two bounds it is their distance by the root of 12.
	l.waitErr = 1.25 * l.apart / math.Sqrt(float64(n))
	l.cpu, l.cpuErr = (l.child.Same+most)/2, math.Hypot(float64(most-l.child.Same)/math.Sqrt(12), float64(l.child.Spread))
}
