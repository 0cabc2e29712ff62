package expression

import (
	"bufio"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/unwind"
)

// standing is a process that is traced and stands still, with a call path.
type standing struct {
	t      *testing.T
	pid    int
	u      *unwind.Unwinder
	regs   unix.PtraceRegs
	float  [512]byte // as fxsave writes it
	path   []unwind.Frame
	object *Object
	data   *debuginfo.Data
	exe    string
	viewed bool // gdb has its printers

	forms     func(name string, code *Code) []string // expressions with a variable
	innermost bool                                   // other names are asked for in the innermost frame alone
	spelled   func(x string) string                  // as gdb has to be asked for an expression
	outermost string                                 // the function with which gdb's call path ends
}

// start runs a program that never ends, up to its first instruction.
func start(t *testing.T, argv ...string) *standing {
	t.Helper()
	runtime.LockOSThread()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) // what waits for it fails then
	t.Cleanup(func() {
		late.Stop()
		cmd.Process.Kill()
		cmd.Wait()
		runtime.UnlockOSThread()
	})
	s := &standing{t: t, pid: cmd.Process.Pid, exe: argv[0], forms: forms}
	s.wait()
	data := opened(t, argv[0])
	s.data, s.object = data, NewObject(data)
	return s
}

// opened is the debug data of a program.
func opened(t testing.TB, path string) *debuginfo.Data {
	t.Helper()
	f, err := object.Map(path)
	if err != nil {
		t.Fatal(err)
	}
	g := object.Installed().DebugFile(f)
	if g == nil {
		t.Fatalf("%s: no debug data", path)
	}
	return debuginfo.Open(object.Installed(), g, 0)
}

// build compiles a program of testdata.
func build(t testing.TB, source string, cc ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	source, err := filepath.Abs(filepath.Join("testdata", source))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cc[0], append(cc[1:], "-o", out, source)...)
	cmd.Dir = filepath.Dir(out) // for what the compiler leaves beside the program
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

func (s *standing) wait() {
	s.t.Helper()
	var ws unix.WaitStatus
	if _, err := unix.Wait4(s.pid, &ws, unix.WALL, nil); err != nil {
		s.t.Fatal(err)
	}
	if !ws.Stopped() {
		s.t.Fatalf("the program has ended: %v", ws)
	}
}

// attach traces the process, which leave has left.
func (s *standing) attach() {
	s.t.Helper()
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_ATTACH, uintptr(s.pid), 0, 0, 0, 0); e != 0 {
		s.t.Fatal(e)
	}
	s.wait()
	unix.Kill(s.pid, unix.SIGCONT)
}

// leave stops tracing. The process stays stopped.
func (s *standing) leave() {
	s.t.Helper()
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(s.pid), 0, uintptr(unix.SIGSTOP), 0, 0); e != 0 {
		s.t.Fatal(e)
	}
	for deadline := 1000; deadline > 0; deadline-- {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
		if err != nil {
			s.t.Fatal(err)
		}
		if _, rest, _ := strings.Cut(string(b), ") "); rest[0] == 'T' {
			return
		}
		runtime.Gosched()
	}
}

// bias is the difference between the addresses of the program in the process and those of its file.
func (s *standing) bias() uint64 {
	s.t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", s.pid))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	exe, err := filepath.EvalSymlinks(s.exe)
	if err != nil {
		s.t.Fatal(err)
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); strings.HasSuffix(line, exe) {
			var low uint64
			fmt.Sscanf(line, "%x", &low)
			if low < 0x10000000 {
				return 0 // where the file says
			}
			return low
		}
	}
	s.t.Fatalf("%s is not mapped", exe)
	return 0
}

// begin is where the code of a function begins, false where it has none of its own.
func (s *standing) begin(function string) (uint64, bool) {
	for e := range s.data.Named(strings.Split(function, "::")...) {
		if e.Tag() != dwarf.TagSubprogram {
			continue
		}
		if low, ok := e.Begins(); ok {
			return low, true
		}
		if low, ok := s.object.begins(e); ok {
			return low, true
		}
	}
	for e := range s.data.Functions("") {
		if low, ok := e.Begins(); ok && slices.Contains(functionNames(e), function) {
			return low, true
		}
	}
	return 0, false
}

// runTo runs the process to a function, and some instructions on.
func (s *standing) runTo(function string, steps int) bool {
	s.t.Helper()
	low, ok := s.begin(function)
	if !ok {
		return false
	}
	at := uintptr(low + s.bias())
	var old [1]byte
	peek := func(b []byte) {
		if _, err := unix.PtracePeekData(s.pid, at, b); err != nil {
			s.t.Fatal(err)
		}
	}
	poke := func(b []byte) {
		if _, err := unix.PtracePokeData(s.pid, at, b); err != nil {
			s.t.Fatal(err)
		}
	}
	peek(old[:])
	poke([]byte{0xcc})
	for {
		if err := unix.PtraceCont(s.pid, 0); err != nil {
			s.t.Fatal(err)
		}
		s.wait()
		s.registers()
		if uintptr(s.regs.Rip) == at+1 {
			break
		}
	}
	poke(old[:])
	s.regs.Rip--
	if err := unix.PtraceSetRegs(s.pid, &s.regs); err != nil {
		s.t.Fatal(err)
	}
	for range steps {
		if err := unix.PtraceSingleStep(s.pid); err != nil {
			s.t.Fatal(err)
		}
		s.wait()
	}
	s.look()
	return true
}

// run lets the process run for a while.
func (s *standing) run(d time.Duration) {
	s.t.Helper()
	done := time.AfterFunc(d, func() { unix.Kill(s.pid, unix.SIGSTOP) })
	defer done.Stop()
	if err := unix.PtraceCont(s.pid, 0); err != nil {
		s.t.Fatal(err)
	}
	for {
		var ws unix.WaitStatus
		if _, err := unix.Wait4(s.pid, &ws, unix.WALL, nil); err != nil {
			s.t.Fatal(err)
		}
		if !ws.Stopped() {
			s.t.Fatalf("the program has ended: %v", ws)
		}
		if ws.StopSignal() == unix.SIGSTOP {
			break
		}
		if err := unix.PtraceCont(s.pid, int(ws.StopSignal())); err != nil {
			s.t.Fatal(err)
		}
	}
	s.look()
}

func (s *standing) registers() {
	s.t.Helper()
	if err := unix.PtraceGetRegs(s.pid, &s.regs); err != nil {
		s.t.Fatal(err)
	}
}

// look reads the registers of the process, and unwinds it.
func (s *standing) look() {
	s.t.Helper()
	s.registers()
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GETFPREGS, uintptr(s.pid), 0, uintptr(unsafe.Pointer(&s.float)), 0, 0); e != 0 {
		s.t.Fatal(e)
	}
	// Libraries may have come since.
	u, err := unwind.New(s.pid, unwind.NewCache())
	if err != nil {
		s.t.Fatal(err)
	}
	u.Keep = true
	s.u = u
	r := s.regs
	s.path, _ = s.u.Unwind(unwind.Regs{PC: r.Rip, SP: r.Rsp, BP: r.Rbp, Known: 1<<17 - 1, Other: [17]uint64{
		r.Rax, r.Rdx, r.Rcx, r.Rbx, r.Rsi, r.Rdi, r.Rbp, r.Rsp, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.Rip}},
		unwind.ProcessMemory(s.pid), nil)
}

// activation is a frame of the process.
type activation struct {
	s     *standing
	level int
}

func (a activation) Register(n int) (uint64, bool) {
	switch {
	case n < firstVector:
		return a.s.u.Register(a.level, n)
	case a.level > 0:
		return 0, false
	case n == plan.Flags:
		return a.s.regs.Eflags, true
	}
	return plan.FloatRegister(a.s.float[:], n)
}

func (a activation) High(n int) (uint64, bool) {
	if a.level > 0 {
		return 0, false
	}
	return plan.FloatHigh(a.s.float[:], n)
}

func (a activation) CFA() (uint64, bool) { c := a.s.path[a.level].CFA; return c, c != 0 }

func (a activation) Entry(n int) (uint64, bool) {
	me, level := a.s.path[a.level], a.level+1
	if level >= len(a.s.path) || a.s.path[level].Object != me.Object {
		return 0, false
	}
	low, ok := a.s.object.entered(me.Vaddr())
	if !ok {
		return 0, false
	}
	code, ok := a.s.object.Passed(a.s.path[level].PC-me.Object.Bias, n, low)
	if !ok {
		return 0, false
	}
	b, out := plan.Run(code, activation{a.s, level}, nil)
	return value.Number(b), out == plan.Got && len(b) == 8
}

func (a activation) Bias() uint64 { return a.s.path[a.level].Object.Bias }

// Thread is that of the executable, whose thread-local data end where the register fs points to.
func (a activation) Thread(offset uint64) (uint64, bool) {
	f, err := elf.Open(a.s.exe)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS {
			return a.s.regs.Fs_base - (p.Memsz+p.Align-1)/p.Align*p.Align + offset, true
		}
	}
	return 0, false
}

func (a activation) Read(b []byte, addr uint64) bool { return a.s.u.Read(b, addr) }
