// Package tracer follows trees of processes with ptrace(2): it launches a
// program or takes running ones, sees every process and thread that they make
// from its first instruction on, and lets its owner stop, read and resume each.
//
// It is as light as can be. Threads are taken by PTRACE_SEIZE: they are not
// stopped for it, and can stop for their shell as if nobody watched. No system
// call is traced; a process that neither forks nor executes costs nothing.
//
// The kernel knows a tracer by its thread. All methods are for the goroutine
// that runs in Run, which is locked to a thread of its own, Ring excepted. When
// that function returns the thread ends, and the kernel lets go of whatever is
// still traced, without stopping it.
package tracer

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// Kind tells what an Event is.
type Kind int

const (
	// Rang: somebody called Ring.
	Rang Kind = iota
	// Born: a thread, perhaps of a new process, stands still before its first
	// instruction.
	Born
	// Signaled: a thread stands still before the signal is delivered. Resume it
	// with that signal, or with another, or none.
	Signaled
	// Grouped: a thread has stopped for job control; Listen lets its parent
	// and its shell see that.
	Grouped
	// Trapped: a thread stands still because Interrupt asked for it, or because
	// a process that had stopped for job control was continued.
	Trapped
	// Forked: a thread stands still after it made Child, which will be Born, or
	// has been already.
	Forked
	// Executed: a process stands still before the first instruction of another
	// program. Of its threads Tid, which is Pid now, alone is left.
	Executed
	// Called: a thread stands still at the entry or at the return of a system
	// call, after Resume with Calls.
	Called
	// Ended: a thread is gone; if Tid is Pid, the process with it.
	Ended
	// Alone: nothing is traced any more.
	Alone
)

// Event is something that happened to a thread.
type Event struct {
	Kind   Kind
	Tid    int
	Signal unix.Signal     // Signaled, Grouped
	Child  int             // Forked
	How    string          // Forked: fork, vfork or clone
	Former int             // Executed: the id that the executing thread had before
	Status unix.WaitStatus // Ended
	CPU    time.Duration   // Ended: CPU time of the process until now
	At     time.Time       // when it was heard of
}

// Tracer is the tracing thread.
type Tracer struct {
	bell    bell
	yielded time.Time
	traps   map[int]*Trap // that threads will meet, by their numbers
}

// Run calls work on a thread of its own, which may trace, and returns when
// work has and the thread is gone.
func Run(work func(*Tracer) error) error {
	quiet()
	result := make(chan error, 1)
	thread := make(chan int, 1)
	go offMain(func() {
		thread <- unix.Gettid()
		t := &Tracer{traps: make(map[int]*Trap)}
		err := t.bell.hang()
		if err == nil {
			err = work(t)
			t.bell.take()
		}
		result <- err
	})
	tid := <-thread
	err := <-result
	task := fmt.Sprintf("/proc/self/task/%d", tid)
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Microsecond) {
		if _, e := os.Stat(task); e != nil {
			break
		}
	}
	return err
}

// offMain calls work on a thread that ends with it. The first thread of a
// program never does.
func offMain(work func()) {
	runtime.LockOSThread() // and never unlocked
	if unix.Gettid() != os.Getpid() {
		work()
		return
	}
	defer runtime.UnlockOSThread()
	done := make(chan struct{})
	go func() {
		defer close(done)
		offMain(work)
	}()
	<-done
}

// Ring makes Next return an event Rang, soon; any goroutine may call it.
func (t *Tracer) Ring() { t.bell.ring() }

// options are those of every tracee.
const options = unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACECLONE |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESYSGOOD

// ours makes wait see the children and tracees of this thread alone, not what
// other parts of the program have started.
const ours = unix.WALL | 0x20000000 // __WNOTHREAD

// yieldEvery is how often the tracing goroutine yields. Go's runtime takes the processor, as it calls
// it, from a goroutine that has not yielded for 10 ms whenever that waits: to get another one back then
// lengthens stops, and the runtime's monitor, which it wakes, looks around every 20 µs for a while.
const yieldEvery = 5 * time.Millisecond

// Next waits for the next event.
func (t *Tracer) Next() (Event, error) {
	if now := time.Now(); now.Sub(t.yielded) >= yieldEvery {
		t.yielded = now
		runtime.Gosched()
	}
	for {
		var info [128]byte
		_, _, e := unix.Syscall6(unix.SYS_WAITID, unix.P_ALL, 0, uintptr(unsafe.Pointer(&info)),
			unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|ours, 0, 0)
		switch e {
		case 0:
		case unix.EINTR:
			continue
		case unix.ECHILD:
			return Event{Kind: Alone}, nil
		default:
			return Event{}, fmt.Errorf("cannot wait for the traced processes: %w", e)
		}
		ev := Event{At: time.Now()}
		tid := int(*(*int32)(unsafe.Pointer(&info[16])))
		if code := *(*int32)(unsafe.Pointer(&info[8])); code != cldTrapped && code != cldStopped {
			// Once it's reaped, its time is known only together with its children's.
			ev.CPU = ProcessTime(tid)
			delete(t.traps, tid)
		} else if trap := t.traps[tid]; trap != nil && unix.Signal(*(*int32)(unsafe.Pointer(&info[24]))) == unix.SIGTRAP {
			t.setBack(tid, trap)
		}
		var ws unix.WaitStatus
		if got, err := unix.Wait4(tid, &ws, ours|unix.WUNTRACED|unix.WNOHANG, nil); err != nil || got != tid {
			continue
		}
		if t.bell.is(tid) {
			t.bell.heard(ws)
			return Event{Kind: Rang}, nil
		}
		ev.Tid = tid
		if t.read(&ev, ws) {
			return ev, nil
		}
	}
}

const (
	cldTrapped = 4
	cldStopped = 5
)

// read tells what a status means; false: nothing that anyone wants to know.
func (t *Tracer) read(ev *Event, ws unix.WaitStatus) bool {
	if ws.Exited() || ws.Signaled() {
		ev.Kind, ev.Status = Ended, ws
		return true
	}
	sig := unix.Signal(ws >> 8 & 0xff)
	switch trap := int(ws >> 16); trap {
	case 0:
		if sig == unix.SIGTRAP|0x80 {
			ev.Kind = Called
			return true
		}
		ev.Kind, ev.Signal = Signaled, sig
	case unix.PTRACE_EVENT_STOP:
		switch sig {
		case unix.SIGSTOP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU:
			ev.Kind, ev.Signal = Grouped, sig
		default:
			ev.Kind = Trapped
		}
	case unix.PTRACE_EVENT_EXEC:
		message, _ := unix.PtraceGetEventMsg(ev.Tid)
		ev.Kind, ev.Former = Executed, int(message)
	case unix.PTRACE_EVENT_FORK, unix.PTRACE_EVENT_VFORK, unix.PTRACE_EVENT_CLONE:
		message, err := unix.PtraceGetEventMsg(ev.Tid)
		if err != nil {
			return false // it was killed
		}
		ev.Kind, ev.Child = Forked, int(message)
		ev.How = map[int]string{unix.PTRACE_EVENT_FORK: "fork", unix.PTRACE_EVENT_VFORK: "vfork", unix.PTRACE_EVENT_CLONE: "clone"}[trap]
	default:
		t.Resume(ev.Tid, Onward, 0)
		return false
	}
	return true
}

// How is the way in which a thread is resumed.
type How int

const (
	Onward How = iota // until something happens
	Step              // one instruction
	Calls             // until the next entry or return of a system call, too
)

var resumes = [...]uintptr{Onward: unix.PTRACE_CONT, Step: unix.PTRACE_SINGLESTEP, Calls: unix.PTRACE_SYSCALL}

// Resume lets a thread that stands still go on, with a signal or 0. One that
// was killed meanwhile is no error: its end is an event.
func (t *Tracer) Resume(tid int, how How, sig unix.Signal) {
	ptrace(resumes[how], tid, 0, uintptr(sig))
}

// Listen lets a Grouped thread stay stopped, until its process is continued.
func (t *Tracer) Listen(tid int) { ptrace(unix.PTRACE_LISTEN, tid, 0, 0) }

// Interrupt asks a thread to stop: an event Trapped follows, or another one
// that came first. An error means that it's gone.
func (t *Tracer) Interrupt(tid int) error { return ptrace(unix.PTRACE_INTERRUPT, tid, 0, 0) }

// Detach lets go of a thread that stands still; it runs on with the signal.
func (t *Tracer) Detach(tid int, sig unix.Signal) { ptrace(unix.PTRACE_DETACH, tid, 0, uintptr(sig)) }

// Seize takes all threads of a running process, without stopping them, and
// returns their ids.
func (t *Tracer) Seize(pid int) ([]int, error) {
	taken := make(map[int]bool)
	var tids []int
	for again := true; again; {
		again = false
		all, err := proc.Threads(pid)
		if err != nil {
			return tids, fmt.Errorf("there is no process %d", pid)
		}
		for _, tid := range all {
			if taken[tid] {
				continue
			}
			switch err := ptrace(unix.PTRACE_SEIZE, tid, 0, options); err {
			case nil:
				tids = append(tids, tid)
			case unix.ESRCH:
				continue // it ended meanwhile
			default:
				if len(tids) > 0 {
					// One that a thread of ours made has been taken with it.
					taken[tid] = true
					continue
				}
				return nil, refused(pid, err)
			}
			taken[tid] = true
			again = true // it may have made another before it was taken
		}
	}
	if len(tids) == 0 {
		return nil, fmt.Errorf("process %d has ended", pid)
	}
	return tids, nil
}

func refused(pid int, err error) error {
	if status, e := proc.ReadStatus(pid, pid); e == nil && status.Tracer != 0 {
		return fmt.Errorf("process %d is already traced by process %d", pid, status.Tracer)
	}
	if err == unix.EPERM {
		hint := "it belongs to another user, or this container forbids ptrace"
		if scope, e := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); e == nil && scope[0] != '0' && os.Geteuid() != 0 {
			hint = "kernel.yama.ptrace_scope is " + strconv.Itoa(int(scope[0]-'0')) + ": launch the program with dbctl, or ask root to set it to 0"
		}
		return fmt.Errorf("not permitted to trace process %d: %s", pid, hint)
	}
	return fmt.Errorf("cannot trace process %d: %w", pid, err)
}

func ptrace(request uintptr, tid int, addr, arg uintptr) error {
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, request, uintptr(tid), addr, arg, 0, 0); e != 0 {
		return e
	}
	return nil
}

// ptraceAt is ptrace for requests that read or write our memory. A pointer that
// became a number in our callers would miss what it points to if the stack moved
// on the way.
func ptraceAt(request uintptr, tid int, addr uintptr, data unsafe.Pointer) error {
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, request, uintptr(tid), addr, uintptr(data), 0, 0); e != 0 {
		return e
	}
	return nil
}
