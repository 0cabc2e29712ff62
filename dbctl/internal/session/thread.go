package session

import (
	"maps"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// thread is one that is traced: what is known of it. What it does is a state of package tracee. All
// but its stop and its name belongs to the tracing goroutine.
type thread struct {
	p      *process
	tid    int
	number int // which of its process, from 1; the script's name for it

	stop
	pace    tracee.Pace       // at which the debugger wants it to go on
	late    bool              // the SIGTRAP of a step which the debugger has given up is pending
	turns   int               // how often it had come to a processor when it was interrupted to be sampled
	owing   bool              // its next system call is to be sampled
	inside  bool              // a system call, whose entry it was stopped at
	at      uint64            // it stands at this breakpoint, which it has met; 0: at none
	again   place             // where it will meet the breakpoint that it was stepped over
	unmask  uint64            // the mask that it has in truth, while the clock's signal is taken out of it
	later   tracee.Errand     // that it is to be stopped for when that is done
	visited bool              // it is to stop for a visit
	name    int               // of the process's goroutine: the debugger's number for it
	call    *tracedCall       // its system call that is to be told, or was; nil: none was
	clock   *proc.ThreadClock // of its calls; nil: none was timed
	probing
}

// threads are those of a process. The tracing goroutine puts them in and takes them out.
type threads struct {
	mu   sync.Mutex
	list map[int]*thread
}

func (ts *threads) put(th *thread) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.list[th.tid] = th
}

func (ts *threads) drop(tid int) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.list, tid)
}

// rename gives a thread another number: it's there at any instant.
func (ts *threads) rename(th *thread, tid int) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.list, th.tid)
	th.tid = tid
	ts.list[tid] = th
}

func (ts *threads) get(tid int) *thread {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.list[tid]
}

func (ts *threads) all() []*thread {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return slices.Collect(maps.Values(ts.list))
}

// ids are the kernel's.
func (ts *threads) ids() []int {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return slices.Collect(maps.Keys(ts.list))
}

func (t *tree) newThread(p *process, tid int) *thread {
	p.threadsMade++
	th := &thread{p: p, tid: tid, number: p.threadsMade}
	p.threads.put(th)
	t.threads[tid] = th
	return th
}

func (t *tree) dropThread(th *thread) {
	if th.p.clk != nil {
		th.p.clk.remove(th.tid)
	}
	th.passed()
	th.dropClock()
	th.p.probes.forget(th)
	th.p.threads.drop(th.tid)
	th.end()
	delete(t.threads, th.tid)
	t.unvisited(th)
}

// renamed is a thread that has taken its leader's number, by executing another program.
func (t *tree) renamed(th *thread, tid int) {
	p := th.p
	th.passed()
	th.dropClock()
	if p.clk != nil {
		p.clk.remove(th.tid)
	}
	delete(t.threads, th.tid)
	p.threads.rename(th, tid)
	t.threads[tid] = th
	if p.clk != nil {
		p.clockThread(tid)
	}
}

// goOn lets a thread go on that stands still.
func (t *tree) goOn(th *thread) {
	p := th.p
	if th.telling != notTelling {
		th.telling = toldAlready
		return
	}
	for e := th.nextDue(); e != nil; e = th.nextDue() {
		th.telling = tellsNow
		p.tell(notice{kind: probed, thread: th, probe: e})
		acted := th.telling == toldAlready
		th.telling = notTelling
		if !acted {
			return
		}
	}
	if th.at != 0 {
		t.past(th)
	}
	pace := th.pace
	points, _ := p.breakpoints()
	switch {
	case points.Passing(th.tid):
		pace = tracee.Step
	case p.catching && (pace == tracee.Onward || t.atCall(th)), pace == tracee.Onward && (th.owing || p.tracesCalls()):
		pace = tracee.Calls
	}
	th.inside = th.inside && pace == tracee.Calls
	t.endStop(th)
	t.step(tracee.Event{Kind: tracee.Resume, Tid: th.tid, Pace: pace})
}

// goOnIf is goOn for a thread of which nothing is still to be acted on.
func (t *tree) goOnIf(th *thread) {
	if th.goes() {
		t.goOn(th)
	}
}

// trapPends reports whether a thread that stands still has a SIGTRAP to meet.
func (th *thread) trapPends() bool {
	status, err := proc.ReadStatus(th.p.pid, th.tid)
	return err == nil && status.Pending&tracer.Bit(unix.SIGTRAP) != 0
}

// owe changes the signal that a thread gets when it goes on; 0: none.
func (t *tree) owe(th *thread, sig unix.Signal) {
	t.step(tracee.Event{Kind: tracee.Owe, Tid: th.tid, Signal: int(sig)})
}

// want has a thread stop for an errand. An error means that it is gone.
func (t *tree) want(th *thread, e tracee.Errand) error {
	return t.step(tracee.Event{Kind: tracee.Want, Tid: th.tid, Errand: e})
}

// forgo is when an errand was done by the way.
func (t *tree) forgo(th *thread, e tracee.Errand) {
	t.step(tracee.Event{Kind: tracee.Forgo, Tid: th.tid, Errand: e})
}

// does is what a thread does.
func (t *tree) does(th *thread) tracee.State {
	s, _ := t.traced.State(th.tid)
	return s
}

// stand reads what there is to know of a thread that has stopped; false: it's
// dying.
func (t *tree) stand(th *thread) bool {
	regs, err := t.tracer.Registers(th.tid)
	if err != nil {
		return false
	}
	var float []byte
	var info tracer.Siginfo
	if th.p.served {
		float = t.tracer.Float(th.tid)
		info, _ = t.tracer.Siginfo(th.tid)
	}
	th.begin(regs, float, info)
	return true
}

// endStop ends a thread's stop, and writes the registers back that were changed.
func (t *tree) endStop(th *thread) {
	if r, changed := th.end(); changed {
		t.write(th.tid, r)
	}
}

// write writes changed registers back.
func (t *tree) write(tid int, r remote.Registers) {
	t.tracer.SetRegisters(tid, &r.General)
	if r.Float != nil {
		t.tracer.SetFloat(tid, r.Float)
	}
}
