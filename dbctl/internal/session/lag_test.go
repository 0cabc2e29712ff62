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
	if sum, err := l.ran(3, 1); sum != 3*6*us+7*us || err < 6*us || err > 8*us {
		t.Errorf("%v ± %v", sum, err)
	}
	// One of the program's spans is so short that the stop took no other processor's time.
	for i := range 4 * lagKept {
		s := span{40 * us, 5 * us}
		if i%2 == 0 {
			s = span{2 * us, 7 * us}
		}
		l.add(s)
	}
	if sum, err := l.of(100, 0); sum != 100*(2+7)*us || err < 10*us || err > 100*us {
		t.Errorf("%v ± %v", sum, err)
	}
	if sum, err := l.ran(100, 0); sum != 100*2*us || err != 0 {
		t.Errorf("%v ± %v", sum, err)
	}
	l.child.Spread, l.worked = us, 0 // by which such stops differ
	if sum, err := l.ran(100, 0); sum != 100*2*us || err != 100*us {
		t.Errorf("%v ± %v", sum, err)
	}
}

// The time of a call is that for which the thread ran, if it did not wait; else it is that on the clock on the wall,
// without that for which it stood. What its stops took is no part of it.
func TestTook(t *testing.T) {
	const ms = time.Millisecond
	at := time.Now()
	th := &thread{p: &process{tree: &tree{}}}
	th.p.tree.lag = lag{child: tracer.StopTimes{Same: ms, Other: ms, Step: 2 * ms}}
	th.p.tree.lag.add(span{ms, 3 * ms})
	began := stopwatch{since: at, stops: 3, used: use{cpu: 7 * ms, turns: 20}}
	end := stopwatch{since: at.Add(100 * ms), stood: 20 * ms, stops: 8, steps: 1, used: use{cpu: 57 * ms, turns: 25}}
	th.stopwatch = end
	if got := th.took(began); got.time != 50*ms-5*ms-2*ms {
		t.Errorf("one that ran took %+v", got)
	}
	th.used.turns++
	if got := th.took(began); got.time != 100*ms-20*ms-5*(1+3)*ms-2*ms {
		t.Errorf("one that waited took %+v", got)
	}
	th.used = use{}
	if got := th.took(began); got.time != 100*ms-20*ms-5*(1+3)*ms-2*ms {
		t.Errorf("one of which nothing is known took %+v", got)
	}
	th.stood = time.Second
	if got := th.took(began); got.time != 0 || got.err < time.Second-100*ms {
		t.Errorf("one of less than its stops are said to take took %+v", got)
	}
}
