package session

import (
	"fmt"
	"maps"
	"os"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// breakpoints are those that a debugger has put into a process, and what was
// there before.
type breakpoints struct {
	original map[uint64]byte // of all that ever were
	inserted map[uint64]bool
	counting map[uint64]bool // those of a clock, which are not the debugger's to take out
	watched  [tracer.DebugAddresses]register
	everSet  bool         // debug registers may be set in threads
	calls    map[int]bool // system calls that are caught; empty: all
	file     *os.File     // the process's memory
}

// trapInstruction is int3.
const trapInstruction = 0xcc

type watchpoint struct {
	kind         remote.WatchKind
	addr, length uint64
}

// insert puts a breakpoint at an address. The mutex is held.
func (p *process) insert(addr uint64) error {
	if p.let.Load() {
		return nil // it runs on without us
	}
	if p.inserted[addr] || p.lender != nil {
		return nil // into its parent's memory, which it will leave, it gets none
	}
	var old [1]byte
	if p.memory.ReadAt(old[:], addr) != 1 {
		return fmt.Errorf("there is no memory at %#x", addr)
	}
	if err := p.poke(addr, trapInstruction); err != nil {
		return err
	}
	if p.inserted == nil {
		p.inserted, p.original = make(map[uint64]bool), make(map[uint64]byte)
	}
	if old[0] != trapInstruction || p.original[addr] == 0 {
		p.original[addr] = old[0]
	}
	p.inserted[addr], p.broken = true, true
	return nil
}

func (p *process) remove(addr uint64) error {
	if !p.inserted[addr] || p.counting[addr] {
		return nil
	}
	delete(p.inserted, addr)
	var now [1]byte
	if p.memory.ReadAt(now[:], addr) == 1 && now[0] != trapInstruction {
		return nil // something else has taken the place of the code
	}
	return p.poke(addr, p.original[addr])
}

func (p *process) poke(addr uint64, b byte) error {
	f, err := p.openMemory()
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{b}, int64(addr))
	return err
}

func (p *process) openMemory() (*os.File, error) {
	if p.file == nil {
		f, err := os.OpenFile("/proc/"+itoa(p.pid)+"/mem", os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		p.file = f
	}
	return p.file, nil
}

// write changes memory, below the breakpoints.
func (p *process) write(b []byte, addr uint64) error {
	for i, c := range b {
		at := addr + uint64(i)
		if p.inserted[at] {
			p.original[at] = c
			continue
		}
		if err := p.poke(at, c); err != nil {
			return err
		}
	}
	return nil
}

// hide puts what was there before into what was read at an address.
func (p *process) hide(b []byte, addr uint64) {
	for at := range p.inserted {
		if at >= addr && at < addr+uint64(len(b)) {
			b[at-addr] = p.original[at]
		}
	}
}

// dropBreakpoints takes all out. Threads that have just met one stand on it
// again, as if it had never been.
func (p *process) dropBreakpoints() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for addr := range p.inserted {
		p.remove(addr)
	}
	p.watched = [tracer.DebugAddresses]register{}
	p.catching = false
	if p.file != nil {
		p.file.Close()
		p.file = nil
	}
}

// hasHad reports whether breakpoints or watchpoints were ever put in.
func (p *process) hasHad() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broken
}

// forgetBreakpoints is for memory that is gone.
func (p *process) forgetBreakpoints() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file != nil {
		p.file.Close()
	}
	p.breakpoints = breakpoints{}
	p.catching = false
}

// breakpointBytes is what the breakpoints stand for, or stood.
func (p *process) breakpointBytes() map[uint64]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.original)
}

// withoutBreakpoints cleans the memory that a child got from its parent.
func (c *child) withoutBreakpoints(child int) {
	if len(c.original) == 0 {
		return
	}
	f, err := os.OpenFile("/proc/"+itoa(child)+"/mem", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	var b [1]byte
	for addr, old := range c.original {
		if _, err := f.ReadAt(b[:], int64(addr)); err == nil && b[0] == trapInstruction && old != trapInstruction {
			f.WriteAt([]byte{old}, int64(addr))
		}
	}
}

// atOldBreakpoint sets a thread back that has met a breakpoint which is gone,
// or which only its debugger would know what to do about; code is the signal's.
func (p *process) atOldBreakpoint(th *thread, code int32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, was := p.original[th.regs.Rip-1]; !was || code != kernelSent {
		return false
	}
	th.regs.Rip--
	th.changed = true
	return true
}

// trap is a stop for SIGTRAP: false, if it's the program's own.
func (t *tree) trap(th *thread) bool {
	p := th.p
	if p.lender != nil && t.trapLent(th) {
		return true
	}
	p.mu.Lock()
	mine := p.broken || th.how == tracer.Step
	p.mu.Unlock()
	if !mine || !t.stand(th) {
		return false
	}
	stop := remote.Stop{Signal: int(unix.SIGTRAP)}
	p.mu.Lock()
	inserted := p.inserted[th.regs.Rip-1]
	p.mu.Unlock()
	info, _ := t.tracer.Siginfo(th.tid)
	if th.over != 0 {
		if info.Code() == kernelSent && th.regs.Rip-1 == th.over {
			// Another thread was over it first, which put it back.
			th.again = place{th.over, th.regs.Rsp}
		}
		th.stepped()
		if info.Code() > 0 && info.Code() != kernelSent {
			t.goOn(th)
			return true
		}
	}
	switch {
	case inserted && info.Code() == kernelSent:
		p.mu.Lock()
		th.regs.Rip--
		th.changed = true
		p.mu.Unlock()
		if c, ok := p.clk.(*callClock); ok && c.sites[th.regs.Rip] != nil {
			t.met(th, c, c.sites[th.regs.Rip])
			return true
		}
		stop.Breakpoint = true
	case th.how == tracer.Step && info.Code() != trapUser:
		if w, found := t.watchHit(th); found {
			stop.Watched, stop.Watch = w.addr, w.kind
		}
	case p.atOldBreakpoint(th, info.Code()):
		t.goOn(th)
		return true
	default:
		w, hit := t.watchHit(th)
		if !hit {
			return false
		}
		stop.Watched, stop.Watch = w.addr, w.kind
	}
	th.how = tracer.Onward
	th.halt = false
	t.showStop(th, stop)
	return true
}

// trapUser is si_code of a signal that a process sent.
const trapUser = 0

// trapLent is a breakpoint of the parent, in memory that a child of vfork
// shares: the child executes what is below it.
func (t *tree) trapLent(th *thread) bool {
	lender := th.p.lender
	if th.how == tracer.Step {
		// Over it: put it back.
		th.how = tracer.Onward
		lender.mu.Lock()
		for addr := range lender.inserted {
			lender.poke(addr, trapInstruction)
		}
		lender.mu.Unlock()
		t.goOn(th)
		return true
	}
	if !t.stand(th) {
		return false
	}
	lender.mu.Lock()
	addr := th.regs.Rip - 1
	_, was := lender.original[addr]
	is := lender.inserted[addr]
	if is {
		lender.poke(addr, lender.original[addr])
	}
	lender.mu.Unlock()
	if !was {
		return false
	}
	th.p.mu.Lock()
	th.regs.Rip = addr
	th.changed = true
	th.p.mu.Unlock()
	if is {
		th.how = tracer.Step
	}
	t.goOn(th)
	return true
}

// called is a stop at a system call.
func (t *tree) called(th *thread) {
	p := th.p
	way := t.tracer.CallStop(th.tid)
	owing := th.owing
	th.owing = false
	if owing && !p.catching && p.clk != nil {
		t.tick(th, true)
		return
	}
	if way == tracer.NoCall || !p.catching || !t.stand(th) {
		t.goOn(th)
		return
	}
	number := int(int64(th.regs.Orig_rax))
	if len(p.calls) > 0 && !p.calls[number] {
		t.goOn(th)
		return
	}
	t.showStop(th, remote.Stop{
		Signal: int(unix.SIGTRAP), Call: number, Entry: way == tracer.CallEntry, Return: way == tracer.CallExit,
	})
}
