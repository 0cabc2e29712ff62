package syscalls

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The test's own tracer is a process, so that it may wait for all its children: the test binary, called by this
// variable with the file to write to. Another variable holds the result to give in place of every call's own.
const (
	asTracer   = "SYSCALLS_TEST_TRACE"
	asInjector = "SYSCALLS_TEST_INJECT"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(asTracer); file != "" {
		if err := trace(file, os.Getenv(asInjector), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// processMemory is that of a stopped process. It counts reads, and refuses what no decoding may ask.
type processMemory struct {
	pid   int
	reads *int
}

func (m processMemory) ReadAt(p []byte, addr uint64) int {
	*m.reads++
	if len(p) == 0 || len(p) > 4096 {
		panic(fmt.Sprint("a read of ", len(p), " bytes"))
	}
	local := []unix.Iovec{{Base: &p[0], Len: uint64(len(p))}}
	n, err := unix.ProcessVMReadv(m.pid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(p)}}, 0)
	if err != nil {
		return 0
	}
	return n
}

// A syscallInfo is the kernel's ptrace_syscall_info.
type syscallInfo struct {
	op    uint8
	_     [3]uint8
	arch  uint32
	ip    uint64
	stack uint64
	data  [8]uint64 // entry: number, arguments; exit: result, whether it is an error
}

// A tracedThread is one that the tracer knows.
type tracedThread struct {
	call   Call
	inside bool
}

// trace runs a program and writes a line for each system call of it and its children, as strace -f does.
func trace(file, inject string, args []string) error {
	runtime.LockOSThread()
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SYSCALLS_TEST_") })
	cmd.SysProcAttr = &unix.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	threads := map[int]*tracedThread{}
	line := func(pid int, t *tracedThread, more string) {
		fmt.Fprintf(w, "%d %s%s\n", pid, t.call.Append(nil), more)
	}
	for first := true; ; first = false {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		if errors.Is(err, unix.ECHILD) {
			break
		}
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if first {
			const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
				unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
			if err := unix.PtraceSetOptions(pid, options); err != nil {
				return err
			}
		}
		t := threads[pid]
		began := t == nil
		if began {
			t = &tracedThread{}
			threads[pid] = t
		}
		if status.Exited() || status.Signaled() {
			if t.inside {
				t.call.End()
				line(pid, t, "")
			}
			delete(threads, pid)
			continue
		}
		sig := status.StopSignal()
		switch {
		case sig == unix.SIGTRAP|0x80:
			if err := t.stop(pid, inject, line); err != nil {
				return fmt.Errorf("thread %d: %w", pid, err)
			}
			sig = 0
		case status.TrapCause() > 0 || first, began && sig == unix.SIGSTOP:
			sig = 0
		}
		if err := unix.PtraceSyscall(pid, int(sig)); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}

// stop decodes at one end of a call.
func (t *tracedThread) stop(pid int, inject string, line func(int, *tracedThread, string)) error {
	var info syscallInfo
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(pid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0); e != 0 {
		return e
	}
	reads := 0
	mem := processMemory{pid, &reads}
	defer func() {
		if reads > 200 {
			panic(fmt.Sprintf("%d reads for %s", reads, t.call.Append(nil)))
		}
	}()
	injects := inject != "" && t.call.Number() != unix.SYS_EXIT_GROUP
	switch info.op {
	case unix.PTRACE_SYSCALL_INFO_ENTRY:
		t.call.Enter(Entry{Number: info.data[0], Args: [6]uint64(info.data[1:7]), Stack: info.stack}, mem)
		t.inside = true
		if inject != "" && info.data[0] != unix.SYS_EXIT_GROUP {
			return setRegisters(pid, func(r *unix.PtraceRegs) { r.Orig_rax = ^uint64(0) })
		}
	case unix.PTRACE_SYSCALL_INFO_EXIT:
		result := int64(info.data[0])
		if injects {
			result, _ = strconv.ParseInt(inject, 10, 64)
			if err := setRegisters(pid, func(r *unix.PtraceRegs) { r.Rax = uint64(result) }); err != nil {
				return err
			}
		}
		t.call.Exit(result, mem)
		t.inside = false
		line(pid, t, "")
	}
	return nil
}

func setRegisters(pid int, change func(*unix.PtraceRegs)) error {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &r); err != nil {
		return err
	}
	change(&r)
	return unix.PtraceSetRegs(pid, &r)
}

// traced are the lines of our tracer, of a program with the layout of its memory fixed.
func traced(t *testing.T, dir, inject string, program ...string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ours")
	return run(t, dir, file, append([]string{"setarch", "-R", os.Args[0]}, program...), asTracer+"="+file, asInjector+"="+inject)
}

// straced are those of strace.
func straced(t *testing.T, dir string, options []string, program ...string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "strace")
	args := append([]string{"setarch", "-R", "strace", "-f", "--quiet=attach,exit", "-e", "signal=none", "-o", file}, options...)
	return run(t, dir, file, append(args, program...))
}

func run(t *testing.T, dir, file string, args []string, env ...string) []string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}, env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, said)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// built compiles a C program of testdata.
func built(t *testing.T, name string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".c"))
	cmd := exec.Command("gcc", append([]string{"-Wall", "-Wextra", "-Werror", "-o", program, filepath.Join("testdata", name)}, flags...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
