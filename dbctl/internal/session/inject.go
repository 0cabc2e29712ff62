package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tracee is a thread that we trace and that stands still, between system
// calls. Its methods are for the OS thread that traces it.
type tracee struct {
	tid   int
	entry uint64 // where a system call instruction lies, once found
}

// injected is a system call to be made by a tracee. Data, if any, is written
// below its stack pointer, and its address replaces the argument number at.
type injected struct {
	number uint64
	args   [6]uint64
	data   []byte
	at     int
}

// call makes the tracee execute a system call, and restores all that it
// changed: the registers, and the words below the stack's red zone.
//
// Were we killed in between, the tracee would run on with the wrong registers;
// that is why it's one step long, some 20 µs, and no byte of code is changed.
func (t *tracee) call(c injected) (uint64, error) {
	if t.entry == 0 {
		entry, err := findSyscall(t.tid)
		if err != nil {
			return 0, err
		}
		t.entry = entry
	}
	var saved unix.PtraceRegs
	if err := unix.PtraceGetRegs(t.tid, &saved); err != nil {
		return 0, fmt.Errorf("cannot read its registers: %w", err)
	}
	regs := saved
	if c.data != nil {
		where := (saved.Rsp - 1024 - uint64(len(c.data))) &^ 15
		old := make([]byte, len(c.data))
		if _, err := unix.PtracePeekData(t.tid, uintptr(where), old); err != nil {
			return 0, fmt.Errorf("cannot read its stack: %w", err)
		}
		if _, err := unix.PtracePokeData(t.tid, uintptr(where), c.data); err != nil {
			return 0, fmt.Errorf("cannot write its stack: %w", err)
		}
		defer unix.PtracePokeData(t.tid, uintptr(where), old)
		c.args[c.at] = where
	}
	regs.Rip, regs.Rax, regs.Orig_rax = t.entry, c.number, ^uint64(0)
	regs.Rdi, regs.Rsi, regs.Rdx, regs.R10, regs.R8, regs.R9 = c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5]
	if err := unix.PtraceSetRegs(t.tid, &regs); err != nil {
		return 0, fmt.Errorf("cannot set its registers: %w", err)
	}
	err := t.stepOver()
	after := regs
	if err == nil {
		err = unix.PtraceGetRegs(t.tid, &after)
	}
	if e := unix.PtraceSetRegs(t.tid, &saved); err == nil {
		err = e
	}
	if err != nil {
		return 0, fmt.Errorf("cannot make it execute a system call: %w", err)
	}
	if e := int64(after.Rax); e < 0 && e > -4096 {
		return 0, unix.Errno(-e)
	}
	return after.Rax, nil
}

func (t *tracee) stepOver() error {
	if err := unix.PtraceSingleStep(t.tid); err != nil {
		return err
	}
	return t.await()
}

// swapStop makes the tracee stop for SIGSTOP, without a step.
func (t *tracee) swapStop() error {
	if err := unix.Kill(t.tid, unix.SIGSTOP); err != nil {
		return err
	}
	if err := unix.PtraceCont(t.tid, 0); err != nil {
		return err
	}
	return t.await()
}

// await waits for the tracee to stop.
func (t *tracee) await() error {
	var ws unix.WaitStatus
	for {
		_, err := unix.Wait4(t.tid, &ws, unix.WALL, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if !ws.Stopped() {
			return errors.New("it ended")
		}
		return nil
	}
}

// findSyscall returns the address of a system call instruction that every
// process has: one of the vdso.
func findSyscall(pid int) (uint64, error) {
	start, end, err := vdso(pid)
	if err != nil {
		return 0, err
	}
	code := make([]byte, end-start)
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.ReadAt(code, int64(start)); err != nil {
		return 0, err
	}
	i := bytes.Index(code, []byte{0x0f, 0x05})
	if i < 0 {
		return 0, errors.New("its vdso holds no system call instruction")
	}
	return start + uint64(i), nil
}

func vdso(pid int) (start, end uint64, err error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(line, "[vdso]\n") {
			continue
		}
		span, _, _ := strings.Cut(line, " ")
		low, high, _ := strings.Cut(span, "-")
		start, _ = strconv.ParseUint(low, 16, 64)
		end, _ = strconv.ParseUint(high, 16, 64)
		return start, end, nil
	}
	return 0, 0, errors.New("it has no vdso")
}

// ignore makes the tracee ignore a signal.
func (t *tracee) ignore(sig unix.Signal) error {
	// struct kernel_sigaction: handler, flags, restorer, mask.
	var action [4]uint64
	action[0] = 1 // SIG_IGN
	_, err := t.call(injected{
		number: unix.SYS_RT_SIGACTION,
		args:   [6]uint64{uint64(sig), 0, 0, 8},
		data:   unsafe.Slice((*byte)(unsafe.Pointer(&action)), unsafe.Sizeof(action)),
		at:     1,
	})
	return err
}

// setTimer arms the tracee's ITIMER_VIRTUAL, or disarms it with 0.
func (t *tracee) setTimer(us int64) error {
	value := unix.Itimerval{
		Interval: unix.NsecToTimeval(us * 1000),
		Value:    unix.NsecToTimeval(us * 1000),
	}
	_, err := t.call(injected{
		number: unix.SYS_SETITIMER,
		args:   [6]uint64{uint64(unix.ITIMER_VIRTUAL), 0, 0},
		data:   unsafe.Slice((*byte)(unsafe.Pointer(&value)), unsafe.Sizeof(value)),
		at:     1,
	})
	return err
}

// allowTracer lets a process that is no ancestor trace the tracee, where Yama
// would refuse it.
func (t *tracee) allowTracer() error {
	const anyone = ^uint64(0)
	_, err := t.call(injected{number: unix.SYS_PRCTL, args: [6]uint64{unix.PR_SET_PTRACER, anyone}})
	return err
}
