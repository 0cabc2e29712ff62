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

// zygoteCommand has gdb run that program, which comes over descriptor 3.
var zygoteCommand = console("python exec(os.read(3, 1 << 20).decode(), {})")

const (
	// zygoteTime is how long the zygote has to answer a request, which takes it
	// a few milliseconds; learnTime how long it, or a copy, has to read an object.
	zygoteTime = 10 * time.Second
	learnTime  = 5 * time.Minute
	// maxLearned is how many objects it reads. A copy frees those that its
	// process doesn't have.
	maxLearned = 64
)

// errZygoteGone says that the zygote doesn't answer, now or later.
var errZygoteGone = errors.New("the debugger that others are copied from has ended")

// zygote is a prepared gdb that makes copies of itself, by fork. A copy is
// ready in a few milliseconds and shares what it doesn't change; it is the
// zygote's child, not ours, and lives on if the zygote dies.
type zygote struct {
	gdb *mi.Client

	mu      sync.Mutex // held from a request to its answer
	control *net.UnixConn
	read    map[string]bool // the objects that it was told to read
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
	z := &zygote{control: conn.(*net.UnixConn), read: map[string]bool{}}

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
	if _, err := z.gdb.Send(zygoteCommand); err != nil {
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
func (z *zygote) request(words string, within time.Duration, files ...*os.File) (string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.ask(words, within, files...)
}

// ask is request, with mu held.
func (z *zygote) ask(words string, within time.Duration, files ...*os.File) (string, error) {
	var rights []byte
	if len(files) > 0 {
		var numbers []int
		for _, f := range files {
			numbers = append(numbers, int(f.Fd()))
		}
		rights = unix.UnixRights(numbers...)
	}
	z.control.SetDeadline(time.Now().Add(within))
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

// learn has the zygote read an object, once. Its copies then share what gdb
// keeps of a file, whatever its bias in a process: most of the work. Whether
// it succeeds is seen when a copy reads the object.
func (z *zygote) learn(path string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.read[path] || len(z.read) >= maxLearned {
		return
	}
	z.read[path] = true
	z.ask("read "+addSymbols(path, 0), learnTime)
}

// fork makes a copy that has read some objects.
func (z *zygote) fork(cfg mi.Config, table *Table, life *life, objects []*Object) (*mi.Client, error) {
	for _, o := range objects {
		z.learn(o.Path)
	}
	guard, err := life.guard()
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	var inferiors int
	cfg.Spawn = func(stdio [3]*os.File) (pid int, wait func() string, err error) {
		answer, err := z.request("fork", zygoteTime, stdio[0], stdio[1], stdio[2], guard)
		if err != nil {
			return 0, nil, err
		}
		_, err = fmt.Sscan(answer, &pid, &inferiors)
		return pid, func() string { return z.reap(pid) }, err
	}
	c, err := mi.Start(cfg)
	if err != nil {
		return nil, err
	}
	// It speaks first: the end of the zygote's last command is told by each copy.
	commands := slices.Concat([]string{zygoteCommand}, table.Unshared, symbols(table, objects))
	if inferiors > 1 {
		commands = append(commands, console("remove-inferiors 2"))
	}
	var refused []error
	if _, err = c.Send(commands[1:]...); err == nil {
		_, refused, err = results(c, time.Now().Add(readyTime+time.Duration(len(objects))*learnTime), commands...)
	}
	if err == nil {
		own := refused[1+len(table.Unshared):]
		for i, o := range objects {
			o.Err, own[i] = own[i], nil
		}
		err = first(refused)
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
	answer, err := z.request(fmt.Sprint("reap ", pid), zygoteTime)
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
