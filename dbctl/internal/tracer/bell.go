package tracer

import (
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// bell wakes the tracing thread, which waits for processes and can wait for
// nothing else: it is a process that we trace, and a signal to it is an event.
// It reads a pipe that ends with us.
type bell struct {
	mu    sync.Mutex
	pid   int
	in    *os.File
	rung  bool
	down  bool
	block uint64 // signals that our children block: those that our caller does
}

func (b *bell) hang() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		w.Close()
		return err
	}
	defer null.Close()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "read -r _"}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{r, null, null}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		w.Close()
		return fmt.Errorf("cannot start /bin/sh: %w", err)
	}
	b.pid, b.in = p.Pid, w
	p.Release()
	if status, err := proc.ReadStatus(b.pid, b.pid); err == nil {
		b.block = status.Blocked
	}
	if err := ptrace(unix.PTRACE_SEIZE, b.pid, 0, 0); err != nil {
		b.take()
		return fmt.Errorf("cannot trace a child process: is ptrace forbidden in this container? (%w)", err)
	}
	return nil
}

func (b *bell) is(tid int) bool { return tid == b.pid }

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.rung && !b.down {
		b.rung = true
		unix.Kill(b.pid, unix.SIGURG)
	}
}

// heard lets it be rung again.
func (b *bell) heard(ws unix.WaitStatus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rung = false
	if !ws.Stopped() {
		b.down = true
		return
	}
	ptrace(unix.PTRACE_CONT, b.pid, 0, 0)
}

// take ends it.
func (b *bell) take() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.in.Close()
	if !b.down {
		b.down = true
		unix.Kill(b.pid, unix.SIGKILL)
		unix.Wait4(b.pid, nil, unix.WALL, nil)
	}
}
