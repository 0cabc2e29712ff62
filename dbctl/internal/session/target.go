package session

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/internal/proc"
)

// A process is what its debugger's requests are answered from. They come in a
// goroutine of their own.

func (p *process) Pid() int { return p.pid }

func (p *process) Threads() []int { return p.threads.ids() }

func (p *process) Registers(tid int) (remote.Registers, bool) {
	if th := p.threads.get(tid); th != nil {
		return th.registers()
	}
	return remote.Registers{}, false
}

func (p *process) SetRegisters(tid int, r remote.Registers) error {
	if th := p.threads.get(tid); th == nil || !th.set(r) {
		return fmt.Errorf("thread %d does not stand still", tid)
	}
	return nil
}

func (p *process) ReadMemory(b []byte, addr uint64) int {
	n := p.memory.ReadAt(b, addr)
	points, _ := p.breakpoints()
	points.Hide(b[:n], addr)
	return n
}

func (p *process) WriteMemory(b []byte, addr uint64) error {
	points, _ := p.breakpoints()
	return points.Write(b, addr)
}

func (p *process) Insert(addr uint64) error {
	points, own := p.breakpoints()
	if !own {
		return nil // it will leave the memory, which is its parent's
	}
	return points.Insert(breakpoint.Debugger, addr)
}

func (p *process) Remove(addr uint64) error {
	points, own := p.breakpoints()
	if !own {
		return nil
	}
	return points.Remove(addr, breakpoint.Debugger)
}

func (p *process) Watch(kind remote.WatchKind, addr, length uint64) error {
	var err error
	p.tree.call(func() { err = p.tree.watch(p, watchpoint{kind, addr, length}) })
	return err
}

func (p *process) Unwatch(kind remote.WatchKind, addr, length uint64) error {
	p.tree.call(func() { p.tree.unwatch(p, watchpoint{kind, addr, length}) })
	return nil
}

func (p *process) Resume(tid int, step bool, signal int) {
	th := p.threads.get(tid)
	if th == nil {
		return
	}
	th.resumed()
	p.tree.do(func() {
		if p.tree.threads[th.tid] != th {
			return // it has ended
		}
		p.tree.forgo(th, tracee.Halt) // it was answered by the stop that gdb has seen
		if th.pace == tracee.Step {
			th.late = th.trapPends() // another stop came before that of the step
		}
		th.pace = tracee.Onward
		if step {
			th.pace = tracee.Step
		}
		if signal != 0 && signal != int(unix.SignalNum(debugger.ShowSignal)) {
			p.tree.owe(th, unix.Signal(signal))
		}
		p.tree.goOnIf(th)
	})
}

func (p *process) Halt(tid int) {
	p.tree.do(func() {
		th := p.threads.get(tid)
		if th == nil {
			return
		}
		switch stands, shown := th.halt(); {
		case shown:
		case stands:
			p.tree.showStop(th, remote.Stop{})
		default:
			p.tree.want(th, tracee.Halt)
		}
	})
}

func (p *process) CatchCalls(numbers []int, on bool) {
	p.tree.do(func() {
		p.catching = on
		p.calls = make(map[int]bool)
		for _, n := range numbers {
			p.calls[n] = true
		}
	})
}

func (p *process) Auxv() []byte {
	b, _ := proc.Auxv(p.pid)
	return b
}

func (p *process) Siginfo(tid int) []byte {
	if th := p.threads.get(tid); th != nil {
		if info, stands := th.info(); stands {
			return info[:]
		}
	}
	return nil
}
