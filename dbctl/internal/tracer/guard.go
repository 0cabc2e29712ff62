package tracer

import (
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// Guard is a process of ours that outlives us. It springs the traps that were
// laid when we were killed, of the parents and of the children.
//
// It shares the memory of the traps with us, and sleeps until we end: then its
// pipe does.
type Guard struct {
	traps *[guarded]Trap
	in    *os.File
	child *os.Process
}

const (
	guardWord   = "-guard-" // as the first argument, it makes our own executable a guard
	guarded     = 64        // traps that may be laid at a time
	guardedSize = guarded * int(unsafe.Sizeof(Trap{}))
)

// NewGuard starts one. Its executable is our own, whose main function must
// begin with Guardian.
func NewGuard() (*Guard, error) {
	fd, err := unix.MemfdCreate("traps", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	memory := os.NewFile(uintptr(fd), "traps")
	defer memory.Close()
	if err := memory.Truncate(int64(guardedSize)); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	g := &Guard{in: w}
	if g.traps, err = share(fd); err != nil {
		w.Close()
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		w.Close()
		return nil, err
	}
	defer null.Close()
	g.child, err = os.StartProcess("/proc/self/exe", []string{os.Args[0], guardWord}, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: []*os.File{r, null, null, memory}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		w.Close()
		return nil, err
	}
	return g, nil
}

func share(fd int) (*[guarded]Trap, error) {
	b, err := unix.Mmap(fd, 0, guardedSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*[guarded]Trap)(unsafe.Pointer(&b[0])), nil
}

// Take is a trap that may be laid, nil if all are.
func (g *Guard) Take() *Trap {
	for i := range g.traps {
		if trap := &g.traps[i]; trap.live.CompareAndSwap(free, taken) {
			trap.springs.Store(0)
			return trap
		}
	}
	return nil
}

// Give gives one back: no process can meet it any more.
func (g *Guard) Give(trap *Trap) { trap.live.Store(free) }

// States of a trap.
const (
	free uint64 = iota
	taken
	laid
)

// Close ends the guard, once it has sprung what is laid.
func (g *Guard) Close() error {
	g.in.Close()
	_, err := g.child.Wait()
	return err
}

// Victims are the processes that have a trap in their memory and that nobody
// traces: found among all that there are, since their parent, which knew its
// child, may be gone.
func (trap *Trap) Victims() []int {
	pids, _ := trap.victims()
	return pids
}

// victims tells of those that are traced, too, whether there are any.
func (trap *Trap) victims() (pids []int, traced bool) {
	for _, pid := range proc.All() {
		if !trap.within(pid) && trap.springs.Load() != int64(pid) {
			continue
		}
		status, err := proc.ReadStatus(pid, pid)
		switch {
		case err != nil || status.Caught&Bit(unix.SIGTRAP) == 0:
		case status.Tracer != 0:
			traced = true
		default:
			pids = append(pids, pid)
		}
	}
	return pids, traced
}

// within reports whether the breakpoint is in a process's memory.
func (trap *Trap) within(pid int) bool {
	var code [1]byte
	return read(pid, trap.Return, code[:]) == 1 && code[0] == trapByte
}

// Guardian does nothing, unless we were started by NewGuard: then it guards,
// and ends.
func Guardian() {
	if len(os.Args) != 2 || os.Args[1] != guardWord {
		return
	}
	runtime.LockOSThread()
	traps, err := share(3)
	if err != nil {
		os.Exit(1)
	}
	var b [1]byte
	for {
		if _, err := unix.Read(0, b[:]); err != unix.EINTR {
			break
		}
	}
	t := new(Tracer)
	for i := range traps {
		if traps[i].live.Load() == laid {
			t.free(&traps[i])
		}
	}
	os.Exit(0)
}

// rescueTime is how long one may take to meet its trap.
const rescueTime = 2 * time.Second

// free springs a trap under all who meet it. Who has not yet may make another
// before, so that they are looked for again. Who is still traced is about to be
// let go by the kernel.
func (t *Tracer) free(trap *Trap) {
	deadline := time.Now().Add(rescueTime)
	for time.Now().Before(deadline) {
		pids, traced := trap.victims()
		switch {
		case traced:
			time.Sleep(time.Millisecond)
		case len(pids) == 0:
			return
		}
		for _, pid := range pids {
			t.rescue(pid, trap, deadline)
		}
	}
}

// rescue springs it under one process, and lets that go.
func (t *Tracer) rescue(pid int, trap *Trap, deadline time.Time) {
	if ptrace(unix.PTRACE_SEIZE, pid, 0, 0) != nil || t.Interrupt(pid) != nil {
		return
	}
	for time.Now().Before(deadline) {
		var ws unix.WaitStatus
		got, err := unix.Wait4(pid, &ws, ours|unix.WNOHANG, nil)
		if err != nil && err != unix.EINTR {
			return
		}
		if got != pid {
			time.Sleep(100 * time.Microsecond)
			continue
		}
		if !ws.Stopped() {
			return
		}
		sig := unix.Signal(ws >> 8 & 0xff)
		if ws>>16 == unix.PTRACE_EVENT_STOP {
			sig = 0
		}
		t.setBack(pid, trap)
		if sig == unix.SIGTRAP && t.Met(pid, trap) || sig == 0 && t.Waits(pid, trap) {
			if _, err := t.Spring(pid, trap); err == nil {
				t.Detach(pid, 0)
			}
			return
		}
		if !trap.within(pid) {
			t.Detach(pid, sig) // it frees itself
			return
		}
		t.Resume(pid, Onward, sig)
	}
}
