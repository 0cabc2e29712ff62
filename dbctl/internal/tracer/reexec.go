package tracer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// Privileged reports whether executing the file would have given a process
// rights that it does not get while a user without privileges traces it.
func Privileged(path string) bool {
	if os.Geteuid() == 0 {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return true
	}
	n, err := unix.Getxattr(path, "security.capability", nil)
	return err == nil && n > 0
}

// execName is AT_EXECFN of the auxiliary vector.
const execName = 31

// Again lets a process that has just Executed a privileged program go, and
// makes it execute the same once more, untraced, so that it gets its rights:
// nothing of the program has run, and its arguments lie where the kernel has
// put them, on the stack.
func (t *Tracer) Again(pid int) error {
	// It's still inside the call, whose result the kernel writes at its end.
	atExit := func(*unix.PtraceRegs) bool { return t.CallStop(pid).Way == CallExit }
	if err := t.await(pid, 0, atExit); err != nil {
		return err
	}
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &regs); err != nil {
		return err
	}
	memory, err := os.Open(proc.Entry(pid, "mem"))
	if err != nil {
		return err
	}
	defer memory.Close()
	// argc, the pointers of argv, 0, those of the environment, 0, and the
	// auxiliary vector.
	stack := make([]byte, 1<<20)
	n, _ := memory.ReadAt(stack, int64(regs.Rsp))
	word := func(i uint64) uint64 {
		if int(i+1)*8 > n {
			return 0
		}
		return binary.LittleEndian.Uint64(stack[i*8:])
	}
	argc := word(0)
	i := 1 + argc + 1
	envp := i
	for ; word(i) != 0; i++ {
	}
	var name uint64
	for i++; word(i) != 0; i += 2 {
		if word(i) == execName {
			name = word(i + 1)
		}
	}
	if name == 0 {
		return errors.New("its stack does not tell its name")
	}
	path := make([]byte, unix.PathMax)
	n, _ = memory.ReadAt(path, int64(name))
	text, _, _ := bytes.Cut(path[:n], []byte{0})
	if err := sameFile(pid, string(text)); err != nil {
		return err
	}
	entry, err := syscallInstruction(pid, memory)
	if err != nil {
		return err
	}
	sp := regs.Rsp
	regs.Rip, regs.Rax, regs.Orig_rax = entry, unix.SYS_EXECVE, ^uint64(0)
	regs.Rdi, regs.Rsi, regs.Rdx = name, sp+8, sp+envp*8
	if err := unix.PtraceSetRegs(pid, &regs); err != nil {
		return err
	}
	t.Detach(pid, 0)
	return nil
}

// sameFile checks that the name by which a process executed its program still
// leads to it.
func sameFile(pid int, name string) error {
	running, err := os.Stat(proc.Entry(pid, "exe"))
	if err != nil {
		return err
	}
	within := "cwd/"
	if strings.HasPrefix(name, "/") {
		within = "root"
	}
	named, err := os.Stat(proc.Entry(pid, within+name))
	if err != nil || !os.SameFile(running, named) {
		return fmt.Errorf("%s is not the file that it executes", name)
	}
	return nil
}

// syscallInstruction is the address of a system call instruction that every
// process has: one of the vdso.
func syscallInstruction(pid int, memory *os.File) (uint64, error) {
	m, err := proc.Mapped(pid, proc.VDSO)
	if err != nil {
		return 0, err
	}
	code := make([]byte, m.End-m.Start)
	if _, err := memory.ReadAt(code, int64(m.Start)); err != nil {
		return 0, err
	}
	i := bytes.Index(code, []byte{0x0f, 0x05})
	if i < 0 {
		return 0, errors.New("it has no vdso with a system call instruction")
	}
	return m.Start + uint64(i), nil
}
