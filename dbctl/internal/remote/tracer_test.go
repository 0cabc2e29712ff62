package remote

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tracer is a small owner of a process: all of ptrace is done by one locked
// thread, which gets functions to call and looks for stops at each SIGCHLD.
type tracer struct {
	t      testing.TB
	pid    int
	stdin  io.WriteCloser
	output *strings.Builder
	cmd    *exec.Cmd
	do     chan func()
	ended  chan unix.WaitStatus

	mu      sync.Mutex
	srv     *Server // nil: everything is let go on
	mem     *os.File
	threads map[int]*traced
	broken  map[uint64]byte
	debug   [4]uint64 // addresses; 0 is free
	control uint64    // DR7
	calls   bool
	wanted  []int
	resumed func(tid int) // if set, told of each Resume
	silent  bool          // Resume does nothing more
}

type traced struct {
	stopped bool
	regs    Registers
	dirty   bool
	info    []byte
	inCall  bool
	halt    bool // to stop, not only to get new debug registers
	control uint64
	how     int // it was resumed last
}

// trace launches a program, which should wait for a line on its input, and
// takes it over, standing still.
func trace(t testing.TB, path string, args ...string) *tracer {
	t.Helper()
	tr := &tracer{
		t: t, do: make(chan func()), ended: make(chan unix.WaitStatus, 1), output: &strings.Builder{},
		threads: map[int]*traced{}, broken: map[uint64]byte{},
	}
	tr.cmd = exec.Command(path, args...)
	tr.cmd.Stdout = tr.output
	var err error
	if tr.stdin, err = tr.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := tr.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tr.pid = tr.cmd.Process.Pid
	started := make(chan error)
	go tr.loop(started)
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tr.setServer(nil)
		_ = tr.cmd.Process.Kill()
		<-tr.ended
		close(tr.do)
		_ = tr.cmd.Wait() // for its output; the loop has its status
		tr.mem.Close()
	})
	return tr
}

func (tr *tracer) loop(started chan<- error) {
	runtime.LockOSThread() // and never unlocked: the thread ends with us
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, unix.SIGCHLD)
	defer signal.Stop(stops)
	err := ptrace(unix.PTRACE_SEIZE, tr.pid, 0, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACESYSGOOD|
		unix.PTRACE_O_TRACEEXEC|unix.PTRACE_O_EXITKILL)
	if err == nil {
		tr.openMemory()
		tr.threads[tr.pid] = &traced{halt: true}
		err = ptrace(unix.PTRACE_INTERRUPT, tr.pid, 0, 0)
	}
	for err == nil && !tr.threads[tr.pid].stopped {
		var status unix.WaitStatus
		if _, err = unix.Wait4(tr.pid, &status, unix.WALL, nil); err == nil {
			tr.mu.Lock()
			tr.stop(tr.pid, status)
			tr.mu.Unlock()
		} else if err == unix.EINTR {
			err = nil
		}
	}
	started <- err
	for {
		select {
		case <-stops:
			tr.look()
		case f, ok := <-tr.do:
			if !ok {
				return
			}
			f()
		}
	}
}

func (tr *tracer) openMemory() {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", tr.pid), os.O_RDWR, 0)
	if err != nil {
		tr.t.Error(err)
		return
	}
	if tr.mem != nil {
		tr.mem.Close()
	}
	tr.mem = f
}

func ptrace(request, pid int, addr, data uintptr) error {
	if _, _, e := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(pid), addr, data, 0, 0); e != 0 {
		return e
	}
	return nil
}

// look collects what happened to the threads.
func (tr *tracer) look() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for again := true; again; {
		again = false
		for tid := range tr.threads {
			var status unix.WaitStatus
			n, err := unix.Wait4(tid, &status, unix.WALL|unix.WNOHANG, nil)
			if err != nil || n != tid {
				continue
			}
			again = true
			if status.Stopped() {
				tr.stop(tid, status)
				continue
			}
			delete(tr.threads, tid)
			if tr.srv != nil {
				tr.srv.Ended(tid, int(status))
			}
			if tid == tr.pid {
				tr.ended <- status
			}
		}
	}
}

func (tr *tracer) stop(tid int, status unix.WaitStatus) {
	th := tr.threads[tid]
	event := int(status) >> 16
	why := Stop{Signal: int(status.StopSignal())}
	switch {
	case event == unix.PTRACE_EVENT_CLONE:
		var child uint
		_ = ptrace(unix.PTRACE_GETEVENTMSG, tid, 0, uintptr(unsafe.Pointer(&child)))
		if tr.threads[int(child)] == nil {
			tr.threads[int(child)] = &traced{how: unix.PTRACE_CONT}
		}
		tr.cont(tid, th, 0)
		return
	case event == unix.PTRACE_EVENT_STOP: // new, interrupted, or both
		if !th.halt {
			// A halt that another stop forestalled: a step is still to be done.
			tr.goOn(tid, th, th.how, 0)
			return
		}
		th.halt, why = false, Stop{}
	case event == unix.PTRACE_EVENT_EXEC:
		for other := range tr.threads {
			if other != tid {
				delete(tr.threads, other)
			}
		}
		clear(tr.broken)
		tr.openMemory()
		exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", tr.pid))
		why = Stop{Signal: int(unix.SIGTRAP), Exec: exe}
	}
	_ = ptrace(unix.PTRACE_GETREGS, tid, 0, uintptr(unsafe.Pointer(&th.regs.General)))
	th.regs.Float = make([]byte, 512)
	_ = ptrace(unix.PTRACE_GETFPREGS, tid, 0, uintptr(unsafe.Pointer(&th.regs.Float[0])))
	th.info = make([]byte, 128)
	if ptrace(unix.PTRACE_GETSIGINFO, tid, 0, uintptr(unsafe.Pointer(&th.info[0]))) != nil {
		th.info = nil
	}
	if status.StopSignal() == unix.SIGTRAP|0x80 {
		th.inCall = !th.inCall
		why = Stop{Signal: int(unix.SIGTRAP), Call: int(th.regs.General.Orig_rax), Entry: th.inCall, Return: !th.inCall}
		if !tr.calls || len(tr.wanted) > 0 && !slices.Contains(tr.wanted, why.Call) {
			tr.cont(tid, th, 0)
			return
		}
	} else if event == 0 && why.Signal == int(unix.SIGTRAP) && th.info != nil {
		tr.trap(tid, th, &why)
	}
	th.stopped = true
	switch {
	case tr.srv != nil:
		th.halt = false
		tr.srv.Stopped(tid, why)
	case why.Signal != 0: // it stopped by itself, and nobody wants to know
		if why.Signal == int(unix.SIGTRAP) {
			why.Signal = 0
		}
		tr.cont(tid, th, why.Signal)
	}
}

// The codes of SIGTRAP, and where the debug registers are in struct user.
const (
	byKernel   = 0x80
	byHardware = 4
	debugRegs  = 848
)

func (tr *tracer) trap(tid int, th *traced, why *Stop) {
	switch int32(binary.LittleEndian.Uint32(th.info[8:])) {
	case byKernel:
		th.regs.General.Rip--
		th.dirty = true
		why.Breakpoint = true
	case byHardware:
		var status uint64
		_ = ptrace(unix.PTRACE_PEEKUSR, tid, debugRegs+6*8, uintptr(unsafe.Pointer(&status)))
		_ = ptrace(unix.PTRACE_POKEUSR, tid, debugRegs+6*8, 0)
		for i, addr := range tr.debug {
			if status>>i&1 != 0 && addr != 0 {
				why.Watched = addr
				why.Watch = [4]WatchKind{WatchExecute, WatchWrite, 0, WatchAccess}[tr.control>>(16+4*i)&3]
			}
		}
	}
}

// cont lets a thread go on; called by the loop's thread with mu held.
func (tr *tracer) cont(tid int, th *traced, signal int) { tr.goOn(tid, th, unix.PTRACE_CONT, signal) }

func (tr *tracer) goOn(tid int, th *traced, how, signal int) {
	if th.dirty {
		_ = ptrace(unix.PTRACE_SETREGS, tid, 0, uintptr(unsafe.Pointer(&th.regs.General)))
		_ = ptrace(unix.PTRACE_SETFPREGS, tid, 0, uintptr(unsafe.Pointer(&th.regs.Float[0])))
		th.dirty = false
	}
	if th.control != tr.control {
		_ = ptrace(unix.PTRACE_POKEUSR, tid, debugRegs+7*8, 0)
		for i, addr := range tr.debug {
			_ = ptrace(unix.PTRACE_POKEUSR, tid, debugRegs+uintptr(i)*8, uintptr(addr))
		}
		if err := ptrace(unix.PTRACE_POKEUSR, tid, debugRegs+7*8, uintptr(tr.control)); err != nil {
			tr.t.Errorf("DR7 = %#x: %v", tr.control, err)
		}
		th.control = tr.control
	}
	if how == unix.PTRACE_CONT && tr.calls {
		how = unix.PTRACE_SYSCALL
	}
	th.stopped, th.how = false, how
	_ = ptrace(how, tid, 0, uintptr(signal)) // it may be killed meanwhile
}

// setServer says who is to be told of stops; nil lets all go on.
func (tr *tracer) setServer(s *Server) {
	done := make(chan struct{})
	tr.do <- func() {
		defer close(done)
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.srv = s
		for tid, th := range tr.threads {
			if s == nil && th.stopped {
				tr.cont(tid, th, 0)
			} else if th.stopped {
				s.Stopped(tid, Stop{})
			}
		}
	}
	<-done
}

// bias is where the program was loaded.
func (tr *tracer) bias() uint64 {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", tr.pid))
	if err != nil {
		tr.t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(maps), "-")
	n, err := strconv.ParseUint(first, 16, 64)
	if err != nil {
		tr.t.Fatal(err)
	}
	return n
}

// finish waits until the process has ended; its output is complete then.
func (tr *tracer) finish() unix.WaitStatus {
	tr.t.Helper()
	select {
	case status := <-tr.ended:
		tr.ended <- status // for the cleanup
		_ = tr.cmd.Wait()  // for its output; its status is ours
		return status
	case <-time.After(time.Minute):
		tr.t.Fatal("the program does not end")
		return 0
	}
}
