package session

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// taken is a sample whose thread may already run again.
type taken struct {
	ok      bool
	node    data.NodeID
	at      time.Time
	cpu     time.Duration
	tid     int
	periods uint64
	partial bool
}

// path takes the call path of the event's thread, which stands still.
func (p *process) path() {
	now := p.now
	p.taken = taken{}
	frames := p.callPath(now)
	if frames == nil || p.free.Load() {
		return
	}
	if now.at.IsZero() {
		now.at, now.cpu = time.Now(), tracer.ProcessTime(p.pid)
	}
	p.taken = taken{
		ok: true, at: now.at, cpu: now.cpu, tid: now.thread.tid,
		periods: now.weight, partial: now.reason != unwind.Complete,
		node: p.run.node(frames),
	}
}

// sampled writes the sample that path took, with its fields.
func (p *process) sampled(fields []field) {
	if !p.taken.ok {
		p.run.lost(1, "no registers")
		return
	}
	p.run.sample(p.taken, fields)
	p.soon(func() { p.tree.samples++ })
}

// callPath is the call path of an event; nil if its thread does not stand still.
func (p *process) callPath(now *moment) []unwind.Frame {
	switch {
	case now == nil:
		return nil
	case now.frames != nil && !now.few:
		return now.frames
	case now.thread == nil || !now.held:
		return nil
	}
	if !p.needObjects() {
		return nil
	}
	r, stands := now.thread.registers()
	if !stands {
		return nil
	}
	regs := unwindRegs(&r.General)
	now.few = false
	now.frames, now.reason = p.unwinder.Unwind(regs, p.memory, p.buffer[:0])
	if now.reason == unwind.BadMemory && len(now.frames) <= 1 && now.thread.tid != p.pid {
		// The process's first thread may have ended: its number leads nowhere then.
		if u, err := unwind.New(now.thread.tid, p.tree.cache); err == nil {
			p.unwinder.Close()
			u.Keep = p.unwinder.Keep
			clear(p.files)
			p.local = nil
			p.unwinder, p.memory = u, unwind.ProcessMemory(now.thread.tid)
			now.frames, now.reason = p.unwinder.Unwind(regs, p.memory, p.buffer[:0])
		}
	}
	p.buffer = now.frames
	return now.frames
}

// unwindRegs are registers by their DWARF numbers.
func unwindRegs(r *unix.PtraceRegs) unwind.Regs {
	return unwind.Regs{
		PC: r.Rip, SP: r.Rsp, BP: r.Rbp, Known: 1<<17 - 1,
		Other: [17]uint64{
			r.Rax, r.Rdx, r.Rcx, r.Rbx, r.Rsi, r.Rdi, r.Rbp, r.Rsp,
			r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.Rip,
		},
	}
}
