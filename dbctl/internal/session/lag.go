package session

import (
	"math"
	"slices"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// The time of a traced call is that from the stop at its begin to the stop at its end, less what the tracing took:
// the time for which the thread was seen to stand still, and for each stop its lag. That is the time that the
// kernel takes to stop the thread and to tell us, and to have it run again.

// stopwatch is how long a thread has stood still. It belongs to the tracing goroutine.
type stopwatch struct {
	since time.Time     // when it stopped; zero: it runs
	stood time.Duration // in all stops before
	stops int
	steps int // that were for one instruction
}

// took is the time of a call, and its standard error.
type took struct{ time, err time.Duration }

// stopped is when a thread has stopped, if its calls are timed.
func (th *thread) stopped(at time.Time) {
	if th.p.probes == nil && !th.p.tracesCalls() || !th.since.IsZero() {
		return
	}
	th.since = at
	th.stops++
	th.p.tree.lag.stopped(th.tid, at, func() (use, bool) { return threadUse(th.p.pid, th.tid) })
}

// restarted is when it goes on, perhaps for one instruction.
func (th *thread) restarted(how tracer.How) {
	if th.since.IsZero() {
		return
	}
	if how == tracer.Step {
		th.steps++
	}
	th.p.tree.lag.restarts(th.tid, func() (use, bool) { return threadUse(th.p.pid, th.tid) })
	th.stood += time.Since(th.since)
	th.since = time.Time{}
}

// took is the time from a stop of a thread to the present one, or to its end.
func (th *thread) took(began stopwatch) took {
	now := th.since
	if now.IsZero() {
		now = time.Now()
	}
	lag, err := th.p.tree.lag.of(th.stops-began.stops, th.steps-began.steps)
	return took{max(0, now.Sub(began.since)-(th.stood-began.stood)-lag), err}
}

// lag is what stops take threads beside the time for which they are seen to stand: some CPU time, which is more
// where the thread runs on another processor than we, and some for which they wait.
type lag struct {
	child  tracer.StopTimes // measured in a child
	latest [lagKept]span    // that were measured, in no order
	known  int              // as many as were
	stops  int              // so far

	// The stop that is being measured:
	tid  int // 0: none
	at   time.Time
	used use

	each  time.Duration // of a stop; stale when another has been measured
	alike float64       // the standard error of that, in nanoseconds, which all stops share
	apart float64       // and that by which they differ
	stale bool
}

// span is the time from one stop to the next: for how long the thread ran, and for how long it waited to.
type span struct{ ran, waited time.Duration }

const (
	lagEvery = 16 // stops, of which one is measured
	lagKept  = 64
)

// begin measures what it is before any stop of the program, in some milliseconds.
func (l *lag) begin() {
	if l.known > 0 {
		return
	}
	// By a thread of its own: this one waits for all that it traces.
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.child, _ = tracer.StopTime() // without it, no more is taken off than what is seen
		l.add(span{l.child.Other, l.child.Waits})
	}()
	<-done
}

// restarts is when a thread is about to go on; read tells what it has used.
func (l *lag) restarts(tid int, read func() (use, bool)) {
	if l.known == 0 || l.stops%lagEvery != 0 { // the first: nothing is timed
		return
	}
	if used, ok := read(); ok {
		l.tid, l.used, l.at = tid, used, time.Now()
	}
}

// stopped is when it has stopped next.
func (l *lag) stopped(tid int, at time.Time, read func() (use, bool)) {
	l.stops++
	if l.tid != tid {
		return
	}
	l.tid = 0
	// It came to a processor after the one stop, and did not wait again.
	if used, ok := read(); ok && used.turns-l.used.turns <= 1 {
		ran := used.cpu - l.used.cpu
		l.add(span{ran, max(0, at.Sub(l.at)-ran)})
	}
}

func (l *lag) add(s span) {
	l.latest[l.known%lagKept] = s
	l.known++
	l.stale = true
}

// of is what some stops take, of which some are for one instruction, and the standard error of that.
func (l *lag) of(stops, steps int) (sum, err time.Duration) {
	if l.stale {
		l.stale = false
		l.work()
	}
	n := float64(stops)
	sum = time.Duration(stops)*l.each + time.Duration(steps)*l.child.Step
	return sum, time.Duration(math.Hypot(n*l.alike, math.Sqrt(n)*l.apart))
}

// work works out what a stop takes.
func (l *lag) work() {
	spans := l.latest[:min(l.known, lagKept)]
	waits := make([]time.Duration, len(spans))
	most := l.child.Other
	for i, s := range spans {
		waits[i] = s.waited
		most = min(most, max(s.ran, l.child.Same)) // a stop is a part of what the thread ran
	}
	slices.Sort(waits)
	n := len(waits)
	middle := waits[n/2]
	l.each = (l.child.Same+most)/2 + middle
	var squares float64
	for _, w := range waits {
		squares += math.Pow(float64(w-middle), 2)
	}
	// Of a median the error is about 1.25 times that of a mean; of a value between two bounds it is their distance
	// by the root of 12.
	l.apart = math.Sqrt(squares / float64(n))
	l.alike = math.Hypot(1.25*l.apart/math.Sqrt(float64(n)), float64(most-l.child.Same)/math.Sqrt(12))
}
