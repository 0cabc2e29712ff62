package ring

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// Time off the processor is measured from what the kernel tells of each thread that is
// switched out and in again (a record of 40 bytes), and belongs to the call path of which a
// sample is taken at the instant of being switched out. A timer of ours makes samples of
// the data of it: one for each interval, however many times a thread was switched. While threads are
// switched out more often than mostSwitches, a sample is taken at one time in 16, or in 256, of
// each thread, and counts for as many.
const (
	mostSwitches = 2000 // samples a second that the kernel takes of threads switched out
	thinner      = 16   // one step of taking fewer
	thinSteps    = 3
)

// offCPU are the events for the time off the processor, one for each step. The clock
// that is given tells when threads are switched.
func (cfg Config) offCPU(clock *eventSpec) []eventSpec {
	s := *clock
	clock.switches = true
	s.clock, s.typ, s.config = false, unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CONTEXT_SWITCHES
	s.absence, s.user, s.chain, s.stack, s.timed = true, true, true, cfg.copied(eventStack), clock.period
	s.period, s.each = 1, 1
	var all []eventSpec
	for range thinSteps {
		all = append(all, s)
		s.off, s.period, s.each = true, s.period*thinner, s.each*thinner
	}
	return all
}

// thinning chooses how many of the threads switched out are sampled.
type thinning struct {
	now   int // step
	taken int // samples
	since time.Duration
}

// adapt chooses anew: fewer as soon as there are too many, more some times a second.
func (h *thinning) adapt(e *events) {
	const often = 100 * time.Millisecond
	passed := monotonic() - h.since
	most := int(mostSwitches * passed / time.Second)
	next := h.now
	switch {
	case h.taken > max(most, mostSwitches/10):
		next = min(thinSteps-1, next+1)
	case passed < often:
		return
	case h.taken*thinner*2 < most:
		next = max(0, next-1)
	}
	h.since, h.taken = monotonic(), 0
	if next == h.now {
		return
	}
	var steps []int
	for which, s := range e.specs {
		if s.absence {
			steps = append(steps, which)
		}
	}
	if len(steps) == 0 {
		return
	}
	// Never two at once: the kernel would give their samples the same id.
	e.enable(steps[h.now], false)
	e.enable(steps[next], true)
	h.now = next
}

// absence is a thread's being off the processor.
type absence struct {
	pid       int
	s         *sample // where it was switched out; nil: unknown
	out       bool    // it is
	since     time.Duration
	preempted bool
	always    bool // since before we looked
}

// leaves takes the sample of a thread that is about to be switched out.
func (t *table) leaves(p *process, r record, s sample) {
	if s.stack != nil {
		s.stack.lent = true
	}
	t.absent[r.tid] = &absence{pid: r.pid, s: &s}
	if which := t.cfg.resource("switches"); which >= 0 {
		of := s
		of.spec = &eventSpec{name: "switches", resource: which, timed: t.cfg.measured[which].Interval}
		of.amount = s.spec.each
		t.sampled(p, r, of)
	}
}

// switched takes a switch.
func (t *table) switched(p *process, r record, to switched) {
	a := t.absent[r.tid]
	if to.out {
		if a == nil {
			a = &absence{pid: r.pid}
			t.absent[r.tid] = a
		}
		a.out, a.since, a.preempted = true, r.time, to.preempted
		return
	}
	delete(t.absent, r.tid)
	if a != nil {
		t.returned(p, r.tid, a, r.time)
	}
}

// returned uses the time that a thread was off.
func (t *table) returned(p *process, tid int, a *absence, at time.Duration) {
	if !a.out || a.s == nil || at <= a.since {
		return
	}
	s := *a.s
	s.absent, s.amount = true, uint64(at-a.since)*s.spec.each
	if a.preempted {
		s.why = "[preempted]"
	}
	t.sampled(p, record{kind: unix.PERF_RECORD_SAMPLE, pid: p.pid, tid: tid, time: at}, s)
}

// blocked finds the threads of a process that is attached to which are off the processor
// already: they may stay so.
func (t *table) blocked(p *process) {
	real := t.cfg.resource("real")
	if real < 0 {
		return
	}
	for tid := range p.threads {
		if s := t.outside(p.pid, tid, real); s != nil {
			t.absent[tid] = &absence{pid: p.pid, s: s, out: true, since: monotonic(), always: true}
		}
	}
}

// outside is the sample of a blocked thread, from what the kernel tells of it in /proc; nil
// if it runs. Of the registers only two are known, so that the path may be partial.
func (t *table) outside(pid, tid, resource int) *sample {
	dir := fmt.Sprintf("/proc/%d/task/%d", pid, tid)
	text, _ := os.ReadFile(dir + "/syscall")
	words := strings.Fields(string(text)) // number, arguments, stack pointer, program counter; or "running"
	if len(words) < 3 {
		return nil
	}
	sp, err1 := strconv.ParseUint(words[len(words)-2], 0, 64)
	pc, err2 := strconv.ParseUint(words[len(words)-1], 0, 64)
	if err1 != nil || err2 != nil {
		return nil
	}
	var names []string
	text, _ = os.ReadFile(dir + "/stack")
	for line := range strings.Lines(string(text)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			name, _, _ = strings.Cut(name, "+")
			names = append(names, name)
		}
	}
	s := &sample{ip: pc, why: reason(names), spec: &eventSpec{
		name: "real", resource: resource, each: 1, absence: true, timed: uint64(t.cfg.measured[resource].period()),
	}}
	if t.cfg.Paths {
		s.stack = &stack{regs: unwind.Regs{PC: pc, SP: sp}}
		s.stack.data = bytes.Clone(t.deep.of(pid, sp).data)
	}
	return s
}

// stillAway uses the time of those that are off the processor at the end.
func (t *table) stillAway(now time.Duration) {
	real := t.cfg.resource("real")
	var always []string
	for tid, a := range t.absent {
		p := t.of[a.pid]
		if p == nil || !a.out {
			continue
		}
		if a.s == nil {
			a.s = t.outside(a.pid, tid, real)
		} else {
			one := *a.s.spec // it's there for sure, not one of many
			one.each = 1
			a.s.spec = &one
		}
		if a.s != nil && a.always {
			always = append(always, fmt.Sprintf("%d %s", tid, t.reason(*a.s)))
		}
		t.returned(p, tid, a, now)
	}
	clear(t.absent)
	if n := len(always); n > 0 {
		const most = 10
		were, more := fmt.Sprintf("%d threads were", n), ""
		if n == 1 {
			were = "a thread was"
		}
		if n > most {
			always, more = always[:most], ", …"
		}
		t.out.noteOf(real, fmt.Sprintf("%s off the processor during the whole run: %s%s", were, strings.Join(always, ", "), more))
	}
}

// reason says why a thread was off the processor.
func (t *table) reason(s sample) string {
	if s.why != "" {
		return s.why
	}
	names := make([]string, 0, len(s.chain))
	for _, addr := range s.chain {
		if y, ok := t.kernelSymbols().find(addr); ok {
			names = append(names, y.name)
		}
	}
	return reason(names)
}

// reason says what the kernel was doing for a thread by its functions, innermost first: a
// system call is named by itself, anything else by the kernel's function.
func reason(names []string) string {
	outermost := ""
	for _, name := range names {
		switch name {
		case "do_signal_stop", "ptrace_stop", "do_jobctl_trap", "do_freezer_trap":
			return "[stopped]"
		case "asm_exc_page_fault", "exc_page_fault":
			return "[blocked in a page fault]"
		case "do_syscall_64", "x64_sys_call", "entry_SYSCALL_64_after_hwframe", "do_int80_emulation", "entry_SYSCALL_compat_after_hwframe":
			continue
		}
		// A function that ends with a call of another leaves no trace but that one's.
		for _, prefix := range []string{"__x64_sys_", "__ia32_compat_sys_", "__ia32_sys_", "__do_sys_", "__se_sys_", "__sys_", "ksys_", "do_sys_"} {
			if call, is := strings.CutPrefix(name, prefix); is {
				call, _, _ = strings.Cut(call, ".")
				return "[blocked in " + call + "]"
			}
		}
		outermost = name
	}
	if outermost == "" {
		return "[blocked]"
	}
	return "[blocked in " + strings.TrimPrefix(strings.TrimPrefix(outermost, "kernel_"), "do_") + "]"
}

// offObject is the object of the reasons.
const offObject = "[off-cpu]"

// away is the node of a reason, below the one where the thread was switched out.
func (r *samples) away(parent data.NodeID, why string) data.NodeID {
	o := r.w.Object(offObject, "", kindAnon, 0, 0, 0)
	addr, known := r.reasons[why]
	if !known {
		if r.reasons == nil {
			r.reasons = map[string]uint64{}
		}
		addr = uint64(len(r.reasons) + 1)
		r.reasons[why] = addr
		r.w.Names(o, addr, []data.Name{{Function: why}})
	}
	return r.w.Node(parent, o, addr)
}
