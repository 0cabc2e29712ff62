package tracer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// Site is what a pause-trap needs to know of a program: addresses in its
// memory.
type Site struct {
	Fork     uint64 // the innermost function of its C library that forks
	Size     uint64 // of that function, in bytes
	Pause    uint64 // pause(2)
	Restorer uint64 // what a signal handler returns to: it calls rt_sigreturn
	Call     uint64 // a system call instruction and a return
}

// Trap is a pause-trap: a breakpoint at the address to which a fork returns, in
// a process whose handler of SIGTRAP is pause. The parent, which is traced,
// meets it first, or at the same time as its child, which is not, and waits
// there for whoever comes.
//
// Parent and child leave it in one way, Spring, in which the kernel itself
// restores what the process was: by the return from that handler.
type Trap struct {
	live     atomic.Uint64
	springs  atomic.Int64 // who is being freed, and may have no breakpoint any more
	Return   uint64       // where the breakpoint is
	original uint64       // the byte that was there
	mask     uint64       // signals that the process blocks
	site     Site
	action   action // the disposition of SIGTRAP
}

const (
	saRestorer  = 0x04000000
	maskSize    = 8
	callSize    = 2          // of the system call instruction
	noCall      = ^uint64(0) // in orig_rax: no system call is to be begun again
	scratch     = 2048       // below the stack pointer, where nothing is kept
	trapByte    = 0xcc       // int3
	everySignal = ^uint64(0)
)

// loud are the signals that stay unblocked inside a trap: that of the trap, and
// those for faults, which would kill if they were not.
var loud = Bit(unix.SIGTRAP) | Bit(unix.SIGSEGV) | Bit(unix.SIGBUS) | Bit(unix.SIGILL) | Bit(unix.SIGFPE) | Bit(unix.SIGSYS)

// Lay lays a trap for a thread that stands at the entry of site.Fork, and is
// the only one of its process. No event tells of its child.
//
// At that place the thread keeps nothing in the registers that a system call
// uses, so that it's made to set the disposition as if it called a function. If
// we are killed then, it goes on as its stack says: it sets it back, and forks.
// From when the breakpoint is there, a Guard knows what to do in our place. In
// between, for some 2 µs, our death would leave the process with the
// disposition, and no more.
func (t *Tracer) Lay(tid int, site Site, trap *Trap, status proc.Status) error {
	saved, err := t.Registers(tid)
	if err != nil {
		return err
	}
	back, err := peek(tid, saved.Rsp)
	if err != nil {
		return err
	}
	code, err := peek(tid, back)
	if err != nil {
		return err
	}
	if err := poke(tid, back, code); err != nil {
		return err // there's no breakpoint to be had
	}
	if trap.mask, err = t.Mask(tid); err != nil {
		return err
	}
	trap.Return, trap.original, trap.site = back, code&0xff, site
	trap.action = action{handler: status.Ignored >> (unix.SIGTRAP - 1) & 1}
	trap.live.Store(laid)
	b := bend{
		Pause: action{handler: site.Pause, flags: saRestorer, restorer: site.Restorer, mask: everySignal},
		Old:   trap.action, Back: site.Restorer, StackFlags: noStack, Mask: trap.mask,
	}
	copy(b.Float[:floatUsed], t.Float(tid))
	at := (saved.Rsp - scratch) &^ 63
	field := func(offset uintptr) uint64 { return at + uint64(offset) }
	regs := saved
	regs.Rip, regs.Rax, regs.Orig_rax, regs.Rsp = site.Call, unix.SYS_RT_SIGACTION, noCall, saved.Rsp-8
	regs.Rdi, regs.Rsi, regs.Rdx, regs.R10 = uint64(unix.SIGTRAP), field(unsafe.Offsetof(b.Old)), 0, maskSize
	b.fill(&regs, field(unsafe.Offsetof(b.Float)))
	regs.Rsp = field(unsafe.Offsetof(b.Back))
	regs.Rsi, regs.Rdx = field(unsafe.Offsetof(b.Pause)), field(unsafe.Offsetof(b.Was))
	if err := write(tid, at, b.bytes()); err != nil {
		return err
	}
	if err := write(tid, saved.Rsp-8, binary.LittleEndian.AppendUint64(nil, site.Fork)); err != nil {
		return err
	}
	if err := t.SetRegisters(tid, &regs); err != nil {
		return err
	}
	// To be killed while it's stepped would be its end: the step stays with it.
	result, inside := uint64(0), 0
	if err := t.await(tid, 0, func(regs *unix.PtraceRegs) bool {
		if regs.Rip == site.Call+callSize {
			inside++
			result = regs.Rax
		}
		return inside == 2 // the entry to the call, and the return from it
	}); err != nil {
		return err
	}
	if read(tid, at, b.bytes()) != len(b.bytes()) {
		return unix.EFAULT
	}
	if result != 0 {
		t.SetRegisters(tid, &saved)
		return fmt.Errorf("its SIGTRAP cannot be handled: %w", unix.Errno(-int64(result)))
	}
	trap.action = b.Was
	if err := t.SetRegisters(tid, &saved); err != nil {
		return err
	}
	if err := poke(tid, back, code&^0xff|trapByte); err != nil {
		return err
	}
	if err := t.SetMask(tid, everySignal&^loud); err != nil {
		return err
	}
	t.traps[tid] = trap
	return unix.PtraceSetOptions(tid, options&^unix.PTRACE_O_TRACEFORK)
}

// Expect is for a child that has met the trap, or will.
func (t *Tracer) Expect(tid int, trap *Trap) { t.traps[tid] = trap }

// setBack makes a thread that stands before the SIGTRAP of its trap meet it again, if the signal is
// lost. It is, if we are killed between the wait for the thread, which it precedes, and Spring: the
// thread would go on behind the first byte of an instruction.
func (t *Tracer) setBack(tid int, trap *Trap) {
	info, err := t.Siginfo(tid)
	if err != nil || info.Code() != byKernel {
		return
	}
	if regs, err := t.Registers(tid); err == nil && regs.Rip == trap.Return+1 {
		regs.Rip = trap.Return
		t.SetRegisters(tid, &regs)
	}
}

// byKernel is si_code of the SIGTRAP of an int3.
const byKernel = 0x80 // SI_KERNEL

// Met reports whether a thread, which stands before a SIGTRAP, has just met the
// trap.
func (t *Tracer) Met(tid int, trap *Trap) bool {
	info, err := t.Siginfo(tid)
	if err != nil || info.Code() != byKernel {
		return false
	}
	regs, err := t.Registers(tid)
	return err == nil && regs.Rip == trap.Return
}

// Waits reports whether a thread that stands still has met it, and waits in the
// handler.
func (t *Tracer) Waits(tid int, trap *Trap) bool {
	regs, err := t.Registers(tid)
	if err != nil {
		return false
	}
	// The handler alone blocks SIGTRAP. Elsewhere, the frame of a handler that
	// has returned long ago may lie on the stack.
	mask, err := t.Mask(tid)
	if err != nil || mask&Bit(unix.SIGTRAP) == 0 {
		return false
	}
	_, found := trap.frame(tid, regs.Rsp)
	return found
}

// The frame that the kernel puts on the stack for a signal handler: offsets in
// it, from the address to return to.
const (
	frameRax    = 152
	frameRip    = 176
	frameMask   = 304
	frameSearch = 64 // words of its own that pause may have put above it
)

// frame finds the one of the trap's handler.
func (trap *Trap) frame(tid int, sp uint64) (uint64, bool) {
	var b [8 * frameSearch]byte
	n := read(tid, sp, b[:])
	for i := 0; i+8 <= n; i += 8 {
		if binary.LittleEndian.Uint64(b[i:]) != trap.site.Restorer {
			continue
		}
		at := sp + uint64(i)
		if pc, err := peek(tid, at+frameRip); err == nil && (pc == trap.Return || pc == trap.Return+1) {
			return at, true
		}
	}
	return 0, false
}

// Spring frees a thread that has Met the trap or Waits in it: it stands still as
// it would have on the fork's return, whose result is returned. All events are
// on again.
//
// Its stack is made such that the thread itself does the rest, when it goes on:
// it sets the disposition, and returns from the handler. It's watched doing so.
func (t *Tracer) Spring(tid int, trap *Trap) (result int64, err error) {
	delete(t.traps, tid)
	regs, err := t.Registers(tid)
	if err != nil {
		return 0, err
	}
	if regs.Rip == trap.Return {
		// It's before the signal.
		if err := t.await(tid, unix.SIGTRAP, func(regs *unix.PtraceRegs) bool { return regs.Rip != trap.Return }); err != nil {
			return 0, err
		}
		if regs, err = t.Registers(tid); err != nil {
			return 0, err
		}
	}
	at, found := trap.frame(tid, regs.Rsp)
	if !found {
		return 0, errors.New("there is no frame of its handler")
	}
	rax, err := peek(tid, at+frameRax)
	if err != nil {
		return 0, err
	}
	code, err := peek(tid, trap.Return)
	if err != nil {
		return 0, err
	}
	trap.springs.Store(int64(tid))
	old := (at - scratch) &^ 15
	if err := write(tid, old, trap.action.bytes()); err != nil {
		return 0, err
	}
	for _, w := range [...]struct{ addr, value uint64 }{
		{at + frameMask, trap.mask}, {at + frameRip, trap.Return}, {trap.Return, code&^0xff | trap.original},
	} {
		if err := poke(tid, w.addr, w.value); err != nil {
			return 0, err
		}
	}
	if err := unix.PtraceSetOptions(tid, options); err != nil {
		return 0, err
	}
	regs.Rip, regs.Rsp, regs.Rax, regs.Orig_rax = trap.site.Call, at, unix.SYS_RT_SIGACTION, noCall
	regs.Rdi, regs.Rsi, regs.Rdx, regs.R10 = uint64(unix.SIGTRAP), old, 0, maskSize
	if err := t.SetRegisters(tid, &regs); err != nil {
		return 0, err
	}
	return int64(int32(rax)), t.await(tid, 0, func(regs *unix.PtraceRegs) bool { return regs.Rip == trap.Return })
}

// read returns how many bytes it could read.
func read(pid int, addr uint64, b []byte) int {
	local := []unix.Iovec{{Base: &b[0], Len: uint64(len(b))}}
	n, _ := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}}, 0)
	return max(n, 0)
}

func peek(pid int, addr uint64) (uint64, error) {
	var b [8]byte
	if read(pid, addr, b[:]) != len(b) {
		return 0, unix.EFAULT
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

func write(pid int, addr uint64, b []byte) error {
	local := []unix.Iovec{{Base: &b[0], Len: uint64(len(b))}}
	n, err := unix.ProcessVMWritev(pid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}}, 0)
	if err == nil && n < len(b) {
		return unix.EFAULT // on the next page
	}
	return err
}

// poke writes code, too.
func poke(tid int, addr, word uint64) error {
	_, err := unix.PtracePokeData(tid, uintptr(addr), binary.LittleEndian.AppendUint64(nil, word))
	return err
}
