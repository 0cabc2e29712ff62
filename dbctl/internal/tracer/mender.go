package tracer

import (
	"encoding/binary"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Mender is a process of ours that outlives us, and takes out the breakpoints that were left in
// when we were killed. A thread that meets one before that, or stood at one, ends by SIGTRAP
// all the same: it helps where they are met now and then.
//
// It gets the processes' memory from us as descriptors, so that it needs no permission, and
// writes to no other program that a process executes meanwhile.
type Mender struct {
	line  int
	child *os.Process
}

const (
	mendWord    = "-mend-" // as the first argument, it makes our own executable a mender
	siteSize    = 9        // of an address and a byte in a message, which begins with a process's number
	messageSize = 1 << 16  // that a message may have
)

// NewMender starts one. Its executable is our own, whose main function must begin with Mend.
func NewMender() (*Mender, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "line")
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	defer null.Close()
	child, err := os.StartProcess("/proc/self/exe", []string{os.Args[0], mendWord}, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: []*os.File{theirs, null, null}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	return &Mender{line: pair[0], child: child}, nil
}

// Keep tells it what breakpoints that are about to be put into a process stand for, in place of what
// it was told of that process before.
func (m *Mender) Keep(pid int, memory *os.File, original map[uint64]byte) {
	m.send(pid, unix.UnixRights(int(memory.Fd())), original)
}

// Add tells it of more.
func (m *Mender) Add(pid int, original map[uint64]byte) { m.send(pid, nil, original) }

// send sends what a message has no room for in further ones.
func (m *Mender) send(pid int, memory []byte, original map[uint64]byte) {
	head := binary.LittleEndian.AppendUint32(nil, uint32(pid))
	b := head
	for addr, code := range original {
		if len(b) > messageSize-siteSize {
			unix.Sendmsg(m.line, b, memory, nil, unix.MSG_NOSIGNAL)
			b, memory = head, nil
		}
		b = append(binary.LittleEndian.AppendUint64(b, addr), code)
	}
	unix.Sendmsg(m.line, b, memory, nil, unix.MSG_NOSIGNAL)
}

// Forget tells it that they are out.
func (m *Mender) Forget(pid int) {
	unix.Sendmsg(m.line, binary.LittleEndian.AppendUint32(nil, uint32(pid)), nil, nil, unix.MSG_NOSIGNAL)
}

// Close ends it.
func (m *Mender) Close() error {
	unix.Close(m.line)
	_, err := m.child.Wait()
	return err
}

// mended is a process that has breakpoints.
type mended struct {
	memory *os.File
	sites  []byte
}

// restore puts back what is still a breakpoint. What was told last of an address holds: other code may be there than
// before.
func (m *mended) restore() {
	var now [1]byte
	for n := len(m.sites); n >= siteSize; n -= siteSize {
		b := m.sites[n-siteSize : n]
		at := int64(binary.LittleEndian.Uint64(b))
		if n, _ := m.memory.ReadAt(now[:], at); n == 1 && now[0] == trapByte {
			m.memory.WriteAt(b[siteSize-1:siteSize], at)
		}
	}
}

// Mend does nothing, unless we were started by NewMender: then it mends, and ends.
func Mend() {
	if len(os.Args) != 2 || os.Args[1] != mendWord {
		return
	}
	runtime.LockOSThread()
	processes := make(map[uint32]*mended)
	b, rights := make([]byte, messageSize), make([]byte, unix.CmsgSpace(4))
	for {
		n, oob, _, _, err := unix.Recvmsg(0, b, rights, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n < 4 {
			break // they have ended
		}
		pid, sites := binary.LittleEndian.Uint32(b), b[4:n]
		fd, first := passed(rights[:oob])
		old := processes[pid]
		if old != nil && !first && len(sites) > 0 {
			old.sites = append(old.sites, sites...)
			continue
		}
		if old != nil {
			old.memory.Close()
			delete(processes, pid)
		}
		if first {
			processes[pid] = &mended{os.NewFile(uintptr(fd), "memory"), append([]byte(nil), sites...)}
		}
	}
	for _, m := range processes {
		m.restore()
	}
	os.Exit(0)
}

// passed is the descriptor that came with a message.
func passed(rights []byte) (fd int, ok bool) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) == 0 {
		return 0, false
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return 0, false
	}
	return fds[0], true
}
