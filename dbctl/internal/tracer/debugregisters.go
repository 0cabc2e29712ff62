package tracer

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// The debug registers: four are for addresses, the seventh says what each is
// for, and the sixth which has been met.
const (
	DebugAddresses = 4
	DebugStatus    = 6
	DebugControl   = 7
)

// ErrNoTraps is why nothing is to be asked of the processor's debug registers
// here.
var ErrNoTraps = errors.New("debug registers do not trap on this machine")

// DebugRegisters finds out whether a thread stops where the debug registers say.
// On some virtual machines none ever does, though all can be set: ErrNoTraps.
// Another error says why it can't be known.
//
// A child of ours executes three instructions: the first writes where writing is
// watched, the second is watched itself, and the third is a breakpoint, at which
// it stops in any case.
func DebugRegisters() error {
	met := false
	err := inChild(func(t *Tracer, pid int) (err error) {
		met, err = t.meets(pid)
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("cannot test the debug registers: %w", err)
	case !met:
		return ErrNoTraps
	}
	return nil
}

// inChild has a child of ours to test with, which stands at its first instruction.
func inChild(test func(t *Tracer, pid int) error) error {
	runtime.LockOSThread() // who has made the child traces it
	defer runtime.UnlockOSThread()
	child, err := os.StartProcess("/proc/self/exe", os.Args[:1], &os.ProcAttr{
		Env: []string{}, Sys: &syscall.SysProcAttr{Ptrace: true, Setsid: true},
	})
	if err != nil {
		return err
	}
	pid := child.Pid
	child.Release()
	if err = trapped(pid); err == nil {
		err = unix.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL)
	}
	if err == nil {
		err = test(new(Tracer), pid)
	}
	unix.Kill(pid, unix.SIGKILL)
	for e := error(unix.EINTR); e == unix.EINTR; {
		_, e = unix.Wait4(pid, nil, unix.WALL, nil)
	}
	return err
}

// meets reports whether a child that is about to stop at its first instruction
// meets what is watched for.
func (t *Tracer) meets(pid int) (bool, error) {
	start, err := t.Registers(pid)
	if err != nil {
		return false, err
	}
	const (
		push, nop = 0x50, 0x90
		all       = 1<<0 | 1<<1                                           // of the status
		control   = 1<<0 | 1<<2 | (1 /* write */ |2<<2 /* 8 bytes */)<<16 // the second executes
	)
	if err := poke(pid, start.Rip, push|nop<<8|trapByte<<16); err != nil {
		return false, err
	}
	for n, value := range map[int]uint64{0: start.Rsp - 8, 1: start.Rip + 1} {
		if err := t.SetDebug(pid, n, value); err != nil {
			return false, err
		}
	}
	if err := t.SetDebug(pid, DebugControl, control); err != nil {
		return false, err
	}
	met := uint64(0)
	for range DebugAddresses {
		t.Resume(pid, Onward, 0)
		if err := trapped(pid); err != nil {
			return false, err
		}
		status, err := t.Debug(pid, DebugStatus)
		if err != nil {
			return false, err
		}
		met |= status & all
		if regs, err := t.Registers(pid); err != nil || regs.Rip == start.Rip+3 {
			return met == all, err
		}
	}
	return false, errors.New("a child stops too often")
}

// trapped waits until a child has stopped for SIGTRAP.
func trapped(pid int) error {
	for {
		var ws unix.WaitStatus
		switch _, err := unix.Wait4(pid, &ws, unix.WALL, nil); {
		case err == unix.EINTR:
		case err != nil:
			return err
		case !ws.Stopped() || ws.StopSignal() != unix.SIGTRAP:
			return fmt.Errorf("the child's status is %#x", uint32(ws))
		default:
			return nil
		}
	}
}
