package remote

import (
	"fmt"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// What follows makes a tracer a Process.

func (tr *tracer) Pid() int { return tr.pid }

func (tr *tracer) Threads() []int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	var tids []int
	for tid := range tr.threads {
		tids = append(tids, tid)
	}
	slices.Sort(tids)
	return tids
}

func (tr *tracer) Registers(tid int) (Registers, bool) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	th := tr.threads[tid]
	if th == nil || !th.stopped {
		return Registers{}, false
	}
	r := th.regs
	r.Float = slices.Clone(r.Float)
	return r, true
}

func (tr *tracer) SetRegisters(tid int, r Registers) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	th := tr.threads[tid]
	if th == nil || !th.stopped {
		return syscall.ESRCH
	}
	if old := th.regs.General; r.General.Rip != old.Rip && r.General.Orig_rax == old.Orig_rax {
		r.General.Orig_rax = ^uint64(0) // it's in no system call there that could be begun again
	}
	th.regs, th.dirty = r, true
	return nil
}

func (tr *tracer) ReadMemory(b []byte, addr uint64) int {
	n, _ := unix.Pread(int(tr.mem.Fd()), b, int64(addr))
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for at, original := range tr.broken {
		if at >= addr && at-addr < uint64(max(n, 0)) {
			b[at-addr] = original
		}
	}
	return n
}

func (tr *tracer) WriteMemory(b []byte, addr uint64) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	b = slices.Clone(b)
	for at := range tr.broken {
		if at >= addr && at-addr < uint64(len(b)) {
			tr.broken[at], b[at-addr] = b[at-addr], 0xcc
		}
	}
	_, err := unix.Pwrite(int(tr.mem.Fd()), b, int64(addr))
	return err
}

func (tr *tracer) Insert(addr uint64) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if _, ok := tr.broken[addr]; ok {
		return nil
	}
	var b [1]byte
	if _, err := unix.Pread(int(tr.mem.Fd()), b[:], int64(addr)); err != nil {
		return err
	}
	tr.broken[addr] = b[0]
	_, err := unix.Pwrite(int(tr.mem.Fd()), []byte{0xcc}, int64(addr))
	return err
}

func (tr *tracer) Remove(addr uint64) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	b, ok := tr.broken[addr]
	if !ok {
		return nil
	}
	delete(tr.broken, addr)
	_, err := unix.Pwrite(int(tr.mem.Fd()), []byte{b}, int64(addr))
	return err
}

func (tr *tracer) Watch(kind WatchKind, addr, length uint64) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	how := map[WatchKind]uint64{WatchExecute: 0, WatchWrite: 1, WatchAccess: 3}
	bits, ok := how[kind]
	free := slices.Index(tr.debug[:], 0)
	if !ok || free < 0 || length > 8 || addr%length != 0 {
		return syscall.EINVAL
	}
	size := map[uint64]uint64{1: 0, 2: 1, 4: 3, 8: 2}[length]
	tr.debug[free] = addr
	tr.control |= 1<<(2*free) | (bits|size<<2)<<(16+4*free)
	tr.spread()
	return nil
}

func (tr *tracer) Unwatch(_ WatchKind, addr, _ uint64) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if i := slices.Index(tr.debug[:], addr); i >= 0 {
		tr.debug[i] = 0
		tr.control &^= 3<<(2*i) | 15<<(16+4*i)
		tr.spread()
	}
	return nil
}

// spread brings new debug registers to the threads that run; those that stand
// get them when they go on.
func (tr *tracer) spread() {
	go func() {
		tr.do <- func() {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			for tid, th := range tr.threads {
				if !th.stopped {
					_ = ptrace(unix.PTRACE_INTERRUPT, tid, 0, 0)
				}
			}
		}
	}()
}

func (tr *tracer) Resume(tid int, step bool, signal int) {
	tr.mu.Lock()
	resumed, silent := tr.resumed, tr.silent
	tr.mu.Unlock()
	if resumed != nil {
		resumed(tid)
	}
	if silent {
		return
	}
	tr.do <- func() {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		how := unix.PTRACE_CONT
		if step {
			how = unix.PTRACE_SINGLESTEP
		}
		if th := tr.threads[tid]; th != nil && th.stopped {
			tr.goOn(tid, th, how, signal)
		}
	}
}

func (tr *tracer) Halt(tid int) {
	tr.do <- func() {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		if th := tr.threads[tid]; th != nil && !th.stopped {
			th.halt = true
			_ = ptrace(unix.PTRACE_INTERRUPT, tid, 0, 0)
		}
	}
}

func (tr *tracer) CatchCalls(numbers []int, on bool) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.calls, tr.wanted = on, numbers
}

func (tr *tracer) Auxv() []byte {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", tr.pid))
	if err != nil {
		tr.t.Error(err)
	}
	return b
}

func (tr *tracer) Siginfo(tid int) []byte {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if th := tr.threads[tid]; th != nil {
		return th.info
	}
	return nil
}
