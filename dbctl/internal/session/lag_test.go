package session

import (
	"testing"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// A stop takes what those take that were measured: the median of their waits, and CPU time between what a child had
// on one processor and what it had on two, or what the program has used at least.
func TestLag(t *testing.T) {
	const us = time.Microsecond
	l := lag{child: tracer.StopTimes{Same: 2 * us, Other: 10 * us, Step: 7 * us}}
	l.add(span{10 * us, 5 * us})
	if sum, err := l.of(3, 1); sum != 3*(6+5)*us+7*us || err < 6*us || err > 8*us {
		t.Errorf("%v ± %v", sum, err)
	}
	// One of the program's spans is so short that the stop took no other processor's time.
	var at time.Time
	used := use{}
	read := func() (use, bool) { return used, true }
	for i := range 4 * lagEvery * lagKept {
		l.restarts(1, read)
		l.at = at
		used.cpu += 2 * us
		used.turns++
		wait := 5 * us
		if i/lagEvery%2 == 0 {
			wait = 7 * us
		}
		at = at.Add(2*us + wait)
		l.stopped(1, at, read)
	}
	if sum, err := l.of(100, 0); sum < 100*7*us || sum > 100*9*us || err < 10*us || err > 100*us {
		t.Errorf("%v ± %v", sum, err)
	}
	// A thread that has waited tells nothing.
	before := l.known
	for range 2 * lagEvery {
		l.restarts(1, read)
		used.turns += 2
		l.stopped(1, at, read)
	}
	if l.known != before {
		t.Error("a wait of the program was taken for one of ours")
	}
	// Nor is what another thread does of it.
	for range 2 * lagEvery {
		l.restarts(1, read)
		l.stopped(2, at, read)
	}
	if l.known != before {
		t.Error("the stop of another thread was taken for that of this one")
	}
}

// The time of a call lacks that for which its thread stood, and what its stops took.
func TestTook(t *testing.T) {
	const ms = time.Millisecond
	at := time.Now()
	th := &thread{p: &process{tree: &tree{}}}
	th.p.tree.lag = lag{child: tracer.StopTimes{Same: ms, Other: ms, Step: 2 * ms}}
	th.p.tree.lag.add(span{ms, ms})
	began := stopwatch{since: at, stops: 3}
	th.stopwatch = stopwatch{since: at.Add(100 * ms), stood: 20 * ms, stops: 8, steps: 1}
	if got := th.took(began); got.time != 100*ms-20*ms-5*2*ms-2*ms {
		t.Errorf("%+v", got)
	}
	th.stood = time.Second
	if got := th.took(began); got.time != 0 {
		t.Errorf("%+v", got)
	}
}
