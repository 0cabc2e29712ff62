package unwind

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// tracee is a process that is traced by the calling goroutine, which stays on
// its thread.
type tracee struct {
	t    testing.TB
	pid  int
	regs unix.PtraceRegs

	inVDSO int // how many steps it has been there
}

// trace starts a program, stopped at its first instruction.
func trace(t testing.TB, argv ...string) *tracee {
	t.Helper()
	runtime.LockOSThread()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &tracee{t: t, pid: cmd.Process.Pid}
	t.Cleanup(func() {
		unix.Kill(p.pid, unix.SIGKILL)
		unix.Wait4(p.pid, nil, 0, nil)
		runtime.UnlockOSThread()
	})
	p.wait()
	return p
}

// wait returns the signal that stopped the process.
func (p *tracee) wait() unix.Signal {
	p.t.Helper()
	var ws unix.WaitStatus
	for {
		_, err := unix.Wait4(p.pid, &ws, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || !ws.Stopped() {
			p.t.Fatalf("the program ended: %v, status %#x", err, ws)
		}
		break
	}
	if err := unix.PtraceGetRegs(p.pid, &p.regs); err != nil {
		p.t.Fatal(err)
	}
	return ws.StopSignal()
}

// run continues until the next signal, which is not delivered.
func (p *tracee) run() unix.Signal {
	p.t.Helper()
	if err := unix.PtraceCont(p.pid, 0); err != nil {
		p.t.Fatal(err)
	}
	return p.wait()
}

// step executes one instruction, or delivers a signal.
func (p *tracee) step(sig unix.Signal) unix.Signal {
	p.t.Helper()
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SINGLESTEP, uintptr(p.pid), 0, uintptr(sig), 0, 0); e != 0 {
		p.t.Fatal(e)
	}
	return p.wait()
}

// advance is step, but out of the vdso where that goes round and round: it reads the clock anew if that has
// ticked meanwhile, which it always has if steps are slow.
func (p *tracee) advance(u *Unwinder, sig unix.Signal) unix.Signal {
	p.t.Helper()
	const most = 300 // steps that it takes otherwise, and more
	if o := u.objects.find(p.regs.Rip); o == nil || o.Kind != VDSO {
		p.inVDSO = 0
	} else if p.inVDSO++; p.inVDSO > most {
		p.inVDSO = 0
		fs, _ := u.Unwind(p.all(), ProcessMemory(p.pid), nil)
		i := slices.IndexFunc(fs, func(f Frame) bool { return f.Object == nil || f.Object.Kind != VDSO })
		if i < 0 {
			p.t.Fatalf("the vdso has no caller:\n%s", describe(u, fs))
		}
		p.runToAddress(fs[i].PC)
		return unix.SIGTRAP
	}
	return p.step(sig)
}

// runToAddress continues to an instruction, by a breakpoint. What preempts a Go program on the way is not delivered.
func (p *tracee) runToAddress(at uint64) {
	p.t.Helper()
	code := make([]byte, 1)
	if _, err := unix.PtracePeekText(p.pid, uintptr(at), code); err != nil {
		p.t.Fatal(err)
	}
	if _, err := unix.PtracePokeText(p.pid, uintptr(at), []byte{0xcc}); err != nil {
		p.t.Fatal(err)
	}
	sig := p.run()
	for sig == unix.SIGURG {
		sig = p.run()
	}
	if p.regs.Rip--; sig != unix.SIGTRAP || p.regs.Rip != at {
		p.t.Fatalf("the breakpoint at %#x is not met, but %v at %#x", at, sig, p.regs.Rip)
	}
	if _, err := unix.PtracePokeText(p.pid, uintptr(at), code); err != nil {
		p.t.Fatal(err)
	}
	if err := unix.PtraceSetRegs(p.pid, &p.regs); err != nil {
		p.t.Fatal(err)
	}
}

// runTo continues to the program's next breakpoint instruction.
func (p *tracee) runTo() {
	p.t.Helper()
	for sig := unix.Signal(0); ; {
		if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_CONT, uintptr(p.pid), 0, uintptr(sig), 0, 0); e != 0 {
			p.t.Fatal(e)
		}
		if sig = p.wait(); sig == unix.SIGTRAP {
			return
		}
	}
}

// alone stops all other threads of the process, until what it returns is called.
func (p *tracee) alone() (release func()) {
	p.t.Helper()
	stopped := map[int]unix.Signal{p.pid: 0} // by what signal, which it has still to get
	for more := true; more; {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.pid))
		if err != nil {
			p.t.Fatal(err)
		}
		more = false // until then one that ran may have made another
		for _, task := range tasks {
			tid, _ := strconv.Atoi(task.Name())
			if _, known := stopped[tid]; !known {
				stopped[tid] = p.halt(tid)
				more = true
			}
		}
	}
	delete(stopped, p.pid)
	return func() {
		for tid, sig := range stopped {
			if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(tid), 0, uintptr(sig), 0, 0); e != 0 {
				p.t.Fatal(e)
			}
		}
	}
}

// halt stops another thread, and returns the signal that did so, if any came first.
func (p *tracee) halt(tid int) unix.Signal {
	p.t.Helper()
	var ws unix.WaitStatus
	if err := errors.Join(unix.PtraceSeize(tid), unix.PtraceInterrupt(tid)); err != nil {
		p.t.Fatal(err)
	}
	for {
		_, err := unix.Wait4(tid, &ws, unix.WALL, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || !ws.Stopped() {
			p.t.Fatalf("a thread ended: %v, status %#x", err, ws)
		}
		if ws>>16 == unix.PTRACE_EVENT_STOP {
			return 0
		}
		return ws.StopSignal()
	}
}

// few are the registers that a user of the package has as a rule.
func (p *tracee) few() Regs {
	return Regs{PC: p.regs.Rip, SP: p.regs.Rsp, BP: p.regs.Rbp}
}

// all are all registers.
func (p *tracee) all() Regs {
	r, g := p.few(), &p.regs
	r.Other = [17]uint64{g.Rax, g.Rdx, g.Rcx, g.Rbx, g.Rsi, g.Rdi, g.Rbp, g.Rsp,
		g.R8, g.R9, g.R10, g.R11, g.R12, g.R13, g.R14, g.R15, g.Rip}
	r.Known = 1<<17 - 1
	return r
}
