package session

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// Where a rule says follow="trap", the children of its processes are caught by
// the pause-trap protocol instead of the kernel's events of fork: at the entry
// of fork, a trap is laid where it returns to; parent and child both meet it,
// and the child waits there until it's traced.
//
// The breakpoint at the entry is one of the processor's, held by a descriptor
// of ours, whose signal does nothing to a program: if we are killed it's gone,
// and until a fork begins there is nothing in the process. From the fork to the
// trap, some 150 µs, a guard would do our part (see tracer.Lay for what it can't).
// Killed together with us, it leaves a process that waits for ever.
//
// Events of fork are off for that time alone, so that no child is lost of
// programs which make the system call themselves. A process with threads or one
// that shares its memory is never trapped: the trap is in code that others
// execute, and the handler is theirs too. Nor is one that handles or blocks
// SIGTRAP.

// forkTrap is how the forks of a process are caught. It belongs to the tracing
// goroutine.
type forkTrap struct {
	wanted bool        // by the rule
	never  bool        // it can't be had in this process
	site   tracer.Site // once it's known
	at     uint64      // where the breakpoint is
	fd     int         // it; 0: none
	sig    unix.Signal // that it sends
	laid   *tracer.Trap
}

// forkTraps are those of a run.
type forkTraps struct {
	guard *tracer.Guard
	err   error // why there is none
	sites map[string]tracer.Site
}

// newGuard starts a guard, not as a child of the tracing thread, which would take
// its status.
func newGuard() (g *tracer.Guard, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		g, err = tracer.NewGuard()
	}()
	<-done
	return g, err
}

// guard is started when it's needed first.
func (t *tree) guard() (*tracer.Guard, error) {
	if t.traps.guard == nil && t.traps.err == nil {
		t.traps.sites = make(map[string]tracer.Site)
		if t.traps.err = t.debugRegisters(); t.traps.err != nil {
			return nil, t.traps.err
		}
		if scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil && scope[0] != '0' && os.Geteuid() != 0 {
			t.traps.err = errors.New("kernel.yama.ptrace_scope forbids the guard process")
		} else if t.traps.guard, t.traps.err = newGuard(); t.traps.err == nil {
			t.closers = append(t.closers, t.traps.guard)
		}
	}
	return t.traps.guard, t.traps.err
}

// trapForks is when the process begins a program, of which nothing has run, or
// was attached to.
func (t *tree) trapForks(p *process, rule *machine.Exec, runs bool) {
	p.trap.close()
	p.trap = forkTrap{wanted: rule != nil && rule.Options["follow"] == "trap"}
	if !p.trap.wanted {
		return
	}
	if _, err := t.guard(); err != nil {
		p.noTrap(err.Error())
		return
	}
	if len(p.threads.all()) > 1 {
		p.noTrap(hasThreads)
		return
	}
	if runs {
		t.trapSite(p)
		return
	}
	// Its libraries are mapped when it comes to its entry.
	at, err := entry(p.pid)
	if err == nil {
		err = p.breakAt(at)
	}
	if err != nil {
		p.noTrap(err.Error())
	}
}

// trapForksOf is when a child begins that was made by a process.
func (t *tree) trapForksOf(p, parent *process) {
	if _, own := p.breakpoints(); !own || !parent.trap.wanted || p.rule == nil {
		return
	}
	p.trap = forkTrap{wanted: true, site: parent.trap.site}
	if _, err := t.guard(); err != nil {
		p.noTrap(err.Error())
	} else if p.trap.site.Fork == 0 {
		t.trapSite(p)
	} else if err := p.breakAt(p.trap.site.Fork); err != nil {
		p.noTrap(err.Error())
	}
}

// trapSite puts the breakpoint where the process forks.
func (t *tree) trapSite(p *process) {
	site, err := t.forkSite(p.pid)
	if err == nil {
		err = p.breakAt(site.Fork)
	}
	if err != nil {
		p.noTrap(err.Error())
		return
	}
	p.trap.site = site
}

const hasThreads = "the process has threads"

// noTrap leaves the process's children to the kernel's events.
func (p *process) noTrap(why string) {
	if p.trap.wanted && !p.trap.never {
		p.trap.never = true
		p.trap.close()
		p.tally.note(byEvents + why)
	}
}

const (
	byTrap   = "forks were followed by pause-trap"
	byEvents = "forks were followed by the kernel's events, not by pause-trap: "
)

// breakAt moves the breakpoint to an address.
func (p *process) breakAt(addr uint64) error {
	f := &p.trap
	f.close()
	status, err := proc.ReadStatus(p.pid, p.pid)
	if err != nil {
		return err
	}
	f.sig = 0
	for _, sig := range slices.Backward(clockSignals[:]) { // the clock takes the first
		if f.sig == 0 && (status.Caught|status.Blocked)&tracer.Bit(sig) == 0 {
			f.sig = sig
		}
	}
	if f.sig == 0 {
		return errors.New("the process uses both SIGURG and SIGWINCH")
	}
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_BREAKPOINT, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bp_type: breakExecute,
		Ext1: addr, Ext2: uint64(unsafe.Sizeof(addr)), Sample: 1, Wakeup: 1,
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err := unix.PerfEventOpen(&attr, p.pid, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("no hardware breakpoint: perf_event_open: %w", err)
	}
	if fd >= spareDescriptors() {
		err = errManyOpen
	} else if err = aim(fd, p.pid, f.sig); err == nil {
		err = ioctl(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
	}
	if err != nil {
		unix.Close(fd)
		return err
	}
	f.at, f.fd = addr, fd
	return nil
}

// breakExecute is HW_BREAKPOINT_X.
const breakExecute = 4

func (f *forkTrap) close() {
	if f.fd != 0 {
		unix.Close(f.fd)
		f.fd = 0
	}
}

// sent knows the breakpoint's signal by its descriptor. A virtual machine sometimes does not tell the
// kernel which breakpoint was met: then the kernel sends a SIGTRAP.
func (f *forkTrap) sent(t *tracer.Tracer, tid int, sig unix.Signal) bool {
	if f.fd == 0 || sig != f.sig && sig != unix.SIGTRAP {
		return false
	}
	info, err := t.Siginfo(tid)
	if err != nil {
		return false
	}
	if sig == unix.SIGTRAP {
		regs, err := t.Registers(tid)
		return err == nil && (info.Code() == unnamedRegister || info.Code() == namedRegister) && regs.Rip == f.at
	}
	return info.Code() > 0 && info.Code() < kernelSent && info.Fd() == f.fd
}
