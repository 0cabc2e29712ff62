package tracer

import (
	"errors"

	"golang.org/x/sys/unix"
)

// await lets a thread go on, with a signal or 0, until it stands at a system
// call as is wanted, some instructions later. What else comes meanwhile is made
// to come again. An error may mean that it's gone: its end is an event.
func (t *Tracer) await(tid int, sig unix.Signal, wanted func(*unix.PtraceRegs) bool) error {
	var later []unix.Signal
	again := false
	defer func() {
		for _, sig := range later {
			unix.Tgkill(tid, tid, sig)
		}
		if again {
			t.Interrupt(tid)
		}
	}()
	const most = 64 // stops; 4 are usual
	for range most {
		t.Resume(tid, Calls, sig)
		ws, err := stopped(tid)
		if err != nil {
			return err
		}
		sig = 0
		switch came := unix.Signal(ws >> 8 & 0x7f); {
		case ws>>16 == unix.PTRACE_EVENT_STOP:
			again = true
		case came != unix.SIGTRAP:
			later = append(later, came)
		}
		var regs unix.PtraceRegs
		if err := unix.PtraceGetRegs(tid, &regs); err != nil {
			return err
		}
		if wanted(&regs) {
			return nil
		}
	}
	return errors.New("it does not come back")
}

// stopped waits for a thread's next stop. Its end is left to be waited for.
func stopped(tid int) (ws unix.WaitStatus, err error) {
	for {
		var info unix.Siginfo
		switch err := unix.Waitid(unix.P_PID, tid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|ours, nil); {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case info.Code != cldTrapped && info.Code != cldStopped:
			return 0, unix.ESRCH
		}
		if got, err := unix.Wait4(tid, &ws, ours, nil); err == nil && got == tid {
			return ws, nil
		}
	}
}
