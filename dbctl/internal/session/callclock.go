package session

import (
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/gtick"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/resource"
)

// callClock counts what a process asks of functions, by breakpoints on them: their calls,
// or the bytes that it wants of those that allocate memory. Each thread has an interval
// timer of gticks. It needs no permission but that to trace.
//
// A breakpoint is an int3, which is by far the cheapest here: the tracing goroutine alone
// is asked about it, it does the function's first instruction in the thread's stead
// (tracer.Emulate), and other threads meet it all the while. The processor's own
// breakpoints would be without a trace in memory, but virtual machines take some 75 µs
// for each. An instruction that can't be done so is stepped with the breakpoint out.
//
// Breakpoints of the script itself on the same instructions are not told to the debugger.
type callClock struct {
	p        *process
	what     counted
	interval uint64
	sites    map[uint64]*callSite // by run-time address
	timers   map[int]*gtick.Timer // by thread
	last     map[int]allocation   // by thread: what another function may pass on
	met      bool                 // a call has stopped the program
	missing  bool                 // a thread was stepped while others ran
}

// callSite is a function with a breakpoint at its first instruction.
type callSite struct {
	addr   uint64
	asks   *allocator // nil: its calls are counted
	object objectRange
	entry  bool // it's where the program begins: its libraries are there then
}

type objectRange struct{ start, end uint64 }

func (r objectRange) has(addr uint64) bool { return addr >= r.start && addr < r.end }

// counted is a resource that breakpoints measure.
type counted struct {
	resource          string // its name in reports
	unit              string
	library, function string // of calls; "" any library
}

// readCounted reads the name of a clock: of a resource that breakpoints measure.
func readCounted(name string) (counted, bool) {
	kind := resource.Of(name)
	if kind == nil || !kind.Breakpoint {
		return counted{}, false
	}
	c := counted{resource: name, unit: kind.Unit}
	if kind.Name == resource.Calls {
		c.library, c.function = resource.Function(name)
		return c, c.function != ""
	}
	return c, true
}

// A process's calls are counted, for which nothing is due at a time.

func (c *callClock) name() string                     { return "breakpoint" }
func (c *callClock) watches(unix.Signal) bool         { return false }
func (c *callClock) sent(int, *tracer.Siginfo) bool   { return false }
func (c *callClock) attempted(int, bool) uint64       { return 0 }
func (c *callClock) owes(int) bool                    { return false }
func (c *callClock) stray(int) unix.Signal            { return 0 }
func (c *callClock) tookOut(int)                      {}
func (c *callClock) failed() string                   { return "" }
func (c *callClock) add(int) error                    { return nil }
func (c *callClock) tick(int) uint64                  { return 0 }
func (c *callClock) due(time.Time) ([]int, time.Time) { return nil, time.Time{} }
func (c *callClock) remove(tid int)                   { delete(c.timers, tid); delete(c.last, tid) }

// close takes the breakpoints out, and notes that they were there.
func (c *callClock) close() {
	p := c.p
	if points, own := p.breakpoints(); own {
		points.Drop(breakpoint.Clock)
	}
	if c.met {
		p.tally.note("each counted call stopped the program for some microseconds")
	}
	if c.missing {
		p.tally.note("calls that threads made while another one was stepped over a breakpoint are not counted")
	}
}

// countCalls starts the clock. The libraries of a program of which nothing has run are
// looked at when it comes to its first instruction.
func (p *process) countCalls(what counted, interval uint64) error {
	p.stopClock()
	if interval == 0 {
		return fmt.Errorf("clock %s needs an interval", what.resource)
	}
	if p.run.w != nil && (p.run.resource != what.resource || p.run.interval != interval) {
		return fmt.Errorf("clock %s: this run already has samples of another resource", what.resource)
	}
	status, err := proc.ReadStatus(p.pid, p.pid)
	if err != nil {
		return nil // it's ending
	}
	if (status.Caught|status.Ignored)&tracer.Bit(unix.SIGTRAP) != 0 {
		// The kernel would take the one for the program's, and end the other.
		p.refuse(fmt.Errorf("%s: %s handles or ignores SIGTRAP, so breakpoints cannot be used", what.resource, filepath.Base(p.exe)), false)
		return nil
	}
	c := &callClock{
		p: p, what: what, interval: interval,
		sites: make(map[uint64]*callSite), timers: make(map[int]*gtick.Timer), last: make(map[int]allocation),
	}
	sites, why := p.callSites(what)
	fresh := p.now != nil && p.now.fresh
	unbegun := fresh && p == p.tree.root && !p.executed
	if begins, err := entry(p.pid); err == nil && fresh && p.now.pc != begins && (what.library != "" || what.resource == resource.Alloc) {
		sites, why = []*callSite{{addr: begins, entry: true}}, nil
	}
	if why == nil {
		why = c.insert(sites)
	}
	if why != nil {
		c.close()
		p.refuse(fmt.Errorf("%s: %w", what.resource, why), unbegun)
		return nil
	}
	p.clk, p.period, p.asked = c, period{}, what.resource
	p.run.counts(what, interval)
	return nil
}

// refuse says why the calls of a process can't be counted. If it's all that there is to
// be counted in, the run is at its end. A program that was launched and has not begun is not
// to run uncounted.
func (p *process) refuse(why error, unbegun bool) {
	t := p.tree
	if !unbegun && (t.root != nil || len(t.cfg.Pids) > 1 || t.cfg.Tree) {
		t.sayOnce("%v", why)
		return
	}
	t.say("%v", why)
	t.ending, t.quitted, t.code = true, true, 1
	if unbegun {
		unix.Kill(p.pid, unix.SIGKILL)
	}
}

// insert puts breakpoints in.
func (c *callClock) insert(sites []*callSite) error {
	points, own := c.p.breakpoints()
	if !own {
		return nil // the memory is its parent's
	}
	addrs := make([]uint64, len(sites))
	for i, s := range sites {
		addrs[i], c.sites[s.addr] = s.addr, s
	}
	return points.Insert(breakpoint.Clock, addrs...)
}

// begins is when the program comes to its first instruction.
func (c *callClock) begins(s *callSite) {
	p := c.p
	delete(c.sites, s.addr)
	if points, own := p.breakpoints(); own {
		points.Remove(s.addr, breakpoint.Clock)
	}
	sites, why := p.callSites(c.what)
	if why == nil {
		why = c.insert(sites)
	}
	if why != nil {
		p.refuse(fmt.Errorf("%s: %w", c.what.resource, why), p == p.tree.root && !p.executed)
	}
}

// met is a thread at a breakpoint of the clock, whose registers are as if there were none.
func (t *tree) met(th *thread, c *callClock, s *callSite) {
	p := th.p
	if s.entry {
		c.begins(s)
		t.goOn(th)
		return
	}
	th.at = s.addr
	c.met = true
	t.cost.stopped(th.tid, func() (use, bool) { return threadUse(p.pid, th.tid) })
	hits := uint64(0)
	if !th.meetsAgain() {
		hits = c.count(th, s)
	}
	th.hasMet()
	if hits == 0 {
		t.goOn(th)
		return
	}
	p.tell(notice{kind: ticked, thread: th, periods: hits, at: time.Now(), cpu: tracer.ProcessTime(p.pid)})
}

// count lets a thread's timer advance by what a call asks for.
func (c *callClock) count(th *thread, s *callSite) (hits uint64) {
	n := uint64(1)
	if s.asks != nil {
		n = c.asked(th, s)
	}
	timer := c.timers[th.tid]
	if timer == nil {
		timer = &gtick.Timer{Interval: c.interval}
		c.timers[th.tid] = timer
	}
	return timer.Advance(n)
}

// place is an instruction in an activation of a function.
type place struct{ pc, sp uint64 }

// meetsAgain reports whether the thread stands at a breakpoint that it has met, and could not pass.
func (th *thread) meetsAgain() bool { return th.again == place{th.regs.Rip, th.regs.Rsp} }

// hasMet is when a breakpoint was met. A deeper one may be of a signal's handler, from which the thread comes
// back to the one that it could not pass.
func (th *thread) hasMet() {
	if th.regs.Rsp >= th.again.sp {
		th.again = place{}
	}
}

// past takes a thread that goes on over the breakpoint of a clock or a probe that it has met.
func (t *tree) past(th *thread) {
	p, addr := th.p, th.at
	th.at = 0
	if th.regs.Rip != addr {
		// A debugger has moved the thread, from where it has it call a function for good.
		if th.inCall() {
			th.at = addr
		}
		return
	}
	points, _ := p.breakpoints()
	steps := points.Pass(th.tid, addr, func(code []byte) (done bool) {
		th.change(func(r *unix.PtraceRegs) bool {
			done = t.tracer.Emulate(th.tid, code, r)
			return done
		})
		return done
	})
	if !steps || len(p.threads.all()) == 1 {
		return
	}
	if c, _ := p.clk.(*callClock); c != nil {
		c.missing = true
	}
	if points.Owners(addr)&breakpoint.Debugger != 0 {
		p.tally.note("breakpoints are missing that threads met while another one was stepped over one")
	}
	if p.probes.at(addr) != nil {
		p.tally.note("probed calls that threads made while another one was stepped over a breakpoint are missing")
	}
}

// passed ends the step of a thread over a breakpoint, if it makes one. Without having come over it,
// because a signal came first, the thread will meet it again: that is no call.
func (th *thread) passed() (addr uint64, passed bool) {
	points, _ := th.p.breakpoints()
	return points.Passed(th.tid)
}
