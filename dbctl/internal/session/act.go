package session

import (
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// act does what a notice asks for: it offers a line to the script's machine,
// carries out what that answers, and lets the thread go on.
func (p *process) act(n notice) {
	now := n.moment()
	switch n.kind {
	case begun:
		p.offer(now, machine.FormatEvent(n.word, "pid", itoa(p.pid), "exe", p.exe))
	case ticked:
		p.offer(now, p.place("stopped", now, "signal", "SIGVTALRM", "thread", itoa(n.thread.number), "tid", itoa(n.thread.tid)))
	case signalCame:
		p.offer(now, p.place("stopped", now, "signal", signalName(n.signal), "thread", itoa(n.thread.number)))
	case madeChild:
		p.offer(now, machine.FormatEvent(n.how, "child", itoa(n.child)))
		p.tracing(func() { p.tree.decide(n.child, tracee.Drop) }) // unless the script has spawned it
	case executes:
		p.executes(now, n)
	case threadBegan:
		p.offer(now, machine.FormatEvent("thread", "event", "created", "id", itoa(n.thread.number)))
	case probed, callEnded:
		p.offer(now, p.probeLine(now, n.probe))
	case visits:
		p.offer(now, p.visitLine(now, n.left))
	case met:
		p.met(now)
	case threadEnded:
		p.offer(now, machine.FormatEvent("thread", "event", "exited", "id", itoa(n.thread.number)))
	case timedOut:
		p.waits = false
		p.offer(now, "timeout")
		if !p.waits {
			p.resumeAll()
		}
	case processEnded:
		p.status, p.cpu = n.status, n.cpu
		p.ends(n.counted)
		return
	case letGo:
		p.finish("detached", "", tracer.ProcessTime(p.pid), n.counted)
		return
	}
	p.resume(now)
}

// moment is the event that a notice tells of.
func (n *notice) moment() *moment {
	if n.now != nil {
		return n.now
	}
	now := &moment{thread: n.thread, held: n.holds(), fresh: n.fresh, weight: n.periods, at: n.at, cpu: n.cpu}
	if now.held {
		r, _ := n.thread.registers()
		now.pc = r.General.Rip
	}
	return now
}

func signalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", sig)
}

// offer gives a line to the machine. It returns whether a pattern matched.
func (p *process) offer(now *moment, line string) bool {
	if rec := p.recorder(); rec != nil {
		rec.event(line)
	}
	if p.block == nil {
		return false
	}
	before := p.now
	p.now = now
	p.refresh()
	p.matched = p.block.step(line)
	p.now = before
	return p.matched
}

// recorder keeps what happens to the first process.
func (p *process) recorder() *transcript {
	if p != p.tree.base {
		return nil
	}
	return p.tree.rec
}

// refresh sets the variables that change, if the script uses them.
func (p *process) refresh() {
	m := p.block.m
	if m.Uses("time") {
		m.Set("time", strconv.FormatFloat(time.Since(p.run.start).Seconds(), 'f', 6, 64))
	}
	if m.Uses("cpu") {
		cpu := p.cpu // when it ended
		if cpu == 0 {
			cpu = tracer.ProcessTime(p.pid)
		}
		m.Set("cpu", strconv.FormatFloat(cpu.Seconds(), 'f', 6, 64))
	}
}

// place formats an event at a place in the program.
func (p *process) place(kind string, now *moment, pairs ...string) string {
	pairs = append(pairs, "pc", "0x"+strconv.FormatUint(now.pc, 16))
	if p.block != nil && now.fn == "" && p.block.functions {
		now.fn = p.functionAt(now)
	}
	for _, pair := range [...][2]string{{"func", now.fn}, {"file", now.file}, {"line", now.line}} {
		if pair[1] != "" {
			pairs = append(pairs, pair[0], pair[1])
		}
	}
	return machine.FormatEvent(kind, pairs...)
}

// resume lets the thread of an event go on, unless the script has. One whose
// event a block was for waits while there is a TIMEOUT.
func (p *process) resume(now *moment) {
	if !p.matched || !p.waits {
		p.continues(now)
	}
}

// continues is resume, also while there is a TIMEOUT: the script wants it.
func (p *process) continues(now *moment) {
	th := now.thread
	if !now.held || now.stays || th == nil || p.free.Load() {
		return
	}
	now.held = false
	p.onward(th)
}

// onward lets a thread go on: by the debugger, if that knows that it stands. One
// that the debugger has stopped for its own purposes it resumes by itself.
func (p *process) onward(th *thread) {
	shown, halted := th.giveUp()
	if shown && p.link != nil {
		if !halted || p.link.views() {
			p.link.resume(th)
		}
		return
	}
	p.soon(func() {
		if p.tree.threads[th.tid] == th {
			p.tree.goOnIf(th)
		}
	})
}

// resumeAll lets all threads go on that stand still.
func (p *process) resumeAll() {
	for _, th := range p.threads.all() {
		if th.stands() {
			p.onward(th)
		}
	}
}

// happened acts on what the debugger tells.
func (p *process) happened(ev debugger.Event) {
	th := p.link.threadOf(ev.Thread)
	if th != nil && ev.Stands() {
		th.halts()
	}
	now := &moment{thread: th, held: th != nil && ev.Stands(), pc: ev.PC, fn: ev.Func, file: ev.File, line: ev.Line}
	number := ""
	if th != nil {
		number = itoa(th.number)
	}
	switch ev.Kind {
	case debugger.Stopped:
		pairs := []string{"thread", number}
		if ev.Signal != "" && ev.Signal != "0" {
			pairs = append([]string{"signal", ev.Signal}, pairs...)
		} else if ev.Reason != "" {
			pairs = append([]string{"reason", ev.Reason}, pairs...)
		}
		p.offer(now, p.place("stopped", now, pairs...))
	case debugger.Breakpoint:
		pairs := []string{"number", ev.Number, "thread", number}
		if ev.Change != nil {
			pairs = append(pairs, "old", ev.Change[0], "new", ev.Change[1])
		}
		p.offer(now, p.place("breakpoint", now, pairs...))
	case debugger.Syscall:
		way := "return"
		if ev.Enter {
			way = "enter"
		}
		p.offer(now, p.place("syscall", now, "event", way, "name", ev.Name, "thread", number))
	default:
		return // we know the others ourselves, and earlier
	}
	p.resume(now)
}

// executes is the process executing another program: the old one's machine and
// run end, and a new one's begin.
func (p *process) executes(now *moment, n notice) {
	next := n.runs
	if p.block != nil {
		now.stays = true // also if the script continues it now
		p.offer(now, machine.FormatEvent("exec", "exe", next.exe))
		now.stays = false
		if p.free.Load() {
			return
		}
		p.block.sinks.close()
	}
	p.unlink()
	if p.run != nil {
		if err := p.run.finish("complete", "exec "+next.exe, p.began, n.counted); err != nil {
			p.say("%v", err)
		}
	}
	p.sum()
	p.forgetObjects()
	p.image = next
	p.block, p.run = nil, nil
	if next.rule == nil {
		p.tracing(func() {
			p.stopClock()
			p.tree.mode(p)
		})
		return
	}
	p.newBlock()
	p.tracing(func() {
		p.tree.mode(p)
		p.clockGoesOn()
	})
	now.fresh = true
	p.offer(now, machine.FormatEvent("started", "pid", itoa(p.pid), "exe", p.exe))
}

// ends is the process's end.
func (p *process) ends(counted tally) {
	const patience = 10 * time.Second // a debugger that hangs is not waited for
	p.hear(patience)                  // an error among the answers came before the end
	now := &moment{}
	if p.status.Signaled() {
		p.offer(now, machine.FormatEvent("killed", "signal", signalName(p.status.Signal())))
	} else {
		p.offer(now, machine.FormatEvent("exited", "code", itoa(p.status.ExitStatus())))
	}
	p.finish("complete", statusText(p.status), p.cpu, counted)
}

// finish offers the last event and completes the run directory.
func (p *process) finish(state, status string, cpu time.Duration, counted tally) {
	p.offer(&moment{}, "eof")
	p.finished = true
	p.unlink()
	if p.block != nil {
		p.block.sinks.close()
		p.notFound()
	}
	p.forgetObjects()
	p.sum()
	samples, lost := p.samples, p.lost
	if p.run != nil {
		if err := p.run.finish(state, status, cpu, counted); err != nil {
			p.say("%v", err)
		}
	}
	word := status
	if state == "detached" {
		word = state
	}
	if p.unnoted {
		return
	}
	p.soon(func() { p.tree.note(p.tree.log.End(time.Now(), p.pid, max(0, cpu-p.joined), samples, lost, word)) })
}

// sum keeps the counts of a run that ends.
func (p *process) sum() {
	if p.run != nil {
		p.samples += p.run.samples
		p.lost += p.run.lostN
	}
}
