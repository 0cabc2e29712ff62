package debugger

import (
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// zygoteProgram is what the zygote runs; the protocol is in its header.
//
//go:embed zygote.py
var zygoteProgram string

// zygoteTime is how long the zygote has to answer a request, which takes it a
// few milliseconds.
const zygoteTime = 10 * time.Second

// errZygoteGone says that the zygote doesn't answer, now or later.
var errZygoteGone = errors.New("the debugger that others are copied from has gone")

// zygote is a prepared gdb that makes copies of itself, by fork. A copy is
// ready in a few milliseconds and shares what it doesn't change; it is the
// zygote's child, not ours, and lives on if the zygote dies.
type zygote struct {
	gdb *mi.Client

	mu      sync.Mutex // held from a request to its answer
	control *net.UnixConn
}

// startZygote starts one, guarded by life. The error says why gdb can't do it.
func startZygote(cfg mi.Config, table *Table, life *life) (*zygote, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "control"), os.NewFile(uintptr(ends[1]), "control")
	defer ours.Close()
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	z := &zygote{control: conn.(*net.UnixConn)}

	// A copy has but the thread that called fork.
	cfg.Args = append([]string{"-iex", "maint set worker-threads 0"}, cfg.Args...)
	cfg.Files = []*os.File{theirs}
	if z.gdb, err = life.start(cfg); err != nil {
		z.control.Close()
		return nil, err
	}
	theirs.Close()
	if err := z.prepare(table); err != nil {
		z.close()
		return nil, err
	}
	return z, nil
}

// prepare sets the zygote up as far as its copies inherit it, and has it run
// its program.
func (z *zygote) prepare(table *Table) error {
	deadline := time.Now().Add(readyTime)
	inherited := slices.DeleteFunc(slices.Clone(table.Setup), func(command string) bool {
		return slices.Contains(table.Unshared, command)
	})
	// Without Python, or without what the program imports, this fails.
	inherited = append(inherited, console("python import array, fcntl, gc, os, select, socket, time; gc.freeze"))
	if err := prepare(z.gdb, table, inherited, deadline); err != nil {
		return err
	}
	if _, err := z.gdb.Send(console("python exec(os.read(3, 1 << 20).decode(), {})")); err != nil {
		return err
	}
	z.control.SetDeadline(deadline)
	if _, err := z.control.Write([]byte(zygoteProgram)); err != nil {
		return err
	}
	_, err := z.answer()
	return err
}

// request sends one and returns the answer. The error is errZygoteGone, or
// what the zygote gave as its reason.
func (z *zygote) request(words string, files ...*os.File) (string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	var rights []byte
	if len(files) > 0 {
		var numbers []int
		for _, f := range files {
			numbers = append(numbers, int(f.Fd()))
		}
		rights = unix.UnixRights(numbers...)
	}
	z.control.SetDeadline(time.Now().Add(zygoteTime))
	if _, _, err := z.control.WriteMsgUnix([]byte(words), rights, nil); err != nil {
		z.control.Close() // a late answer would be taken for another's
		return "", errZygoteGone
	}
	return z.answer()
}

func (z *zygote) answer() (string, error) {
	var buf [512]byte
	n, err := z.control.Read(buf[:])
	if n == 0 || err != nil {
		z.control.Close()
		return "", errZygoteGone
	}
	answer := string(buf[:n])
	if reason, refused := strings.CutPrefix(answer, "!"); refused {
		return "", errors.New(reason)
	}
	return answer, nil
}

// fork makes a copy.
func (z *zygote) fork(cfg mi.Config, table *Table, life *life) (*mi.Client, error) {
	guard, err := life.guard()
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	cfg.Spawn = func(stdio [3]*os.File) (pid int, wait func() string, err error) {
		answer, err := z.request("fork", stdio[0], stdio[1], stdio[2], guard)
		if err != nil {
			return 0, nil, err
		}
		pid, err = strconv.Atoi(answer)
		return pid, func() string { return z.reap(pid) }, err
	}
	c, err := mi.Start(cfg)
	if err != nil {
		return nil, err
	}
	// It speaks first: the end of the zygote's last command is told by each copy.
	deadline := time.Now().Add(readyTime)
	if _, err = c.Send(table.Unshared...); err == nil {
		_, err = results(c, 1+len(table.Unshared), deadline)
	}
	if err != nil {
		c.Kill()
		c.Close()
		return nil, err
	}
	return c, nil
}

// reap lets go of a copy that has ended, or was killed and is about to, and
// returns how it ended as far as that can be known.
func (z *zygote) reap(pid int) string {
	const unknown = "ended"
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return unknown
	}
	defer unix.Close(fd)
	for deadline := time.Now().Add(zygoteTime); ; {
		left := time.Until(deadline)
		if left <= 0 {
			return unknown
		}
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	answer, err := z.request(fmt.Sprint("reap ", pid))
	if err != nil {
		return unknown // the zygote has gone, and whoever adopted it reaps it
	}
	status, err := strconv.ParseUint(answer, 10, 32)
	if err != nil {
		return unknown
	}
	return mi.HowEnded(syscall.WaitStatus(status))
}

// close ends the zygote. Copies live on.
func (z *zygote) close() {
	z.control.Close()
	z.gdb.Kill()
	z.gdb.Close()
}
