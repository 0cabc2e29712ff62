package unwind

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// names returns the symbols of a path, innermost first, without what follows
// a dot in names of glibc and Go.
func names(u *Unwinder, fs []Frame) []string {
	var list []string
	for _, f := range fs {
		name, _ := u.Symbol(f)
		list = append(list, strings.TrimSuffix(name, ".abi0"))
	}
	return list
}

// wantPath checks the names of a path's innermost frames; "*" stands for any.
func wantPath(t *testing.T, u *Unwinder, fs []Frame, why, wantWhy Reason, want ...string) {
	t.Helper()
	got := names(u, fs)
	ok := len(got) >= len(want) && why == wantWhy
	for i := 0; ok && i < len(want); i++ {
		ok = want[i] == "*" || got[i] == want[i]
	}
	if !ok {
		t.Errorf("%v\n%swant %v, %s", why, describe(u, fs), wantWhy, strings.Join(want, " "))
	}
}

// newUnwinder makes an Unwinder that is closed at the end of the test.
func newUnwinder(t testing.TB, pid int) *Unwinder {
	t.Helper()
	u, err := New(pid, NewCache())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	return u
}

// TestAssembly stops in code that nothing describes.
func TestAssembly(t *testing.T) {
	p := trace(t, build(t, "asm.S"))
	u := newUnwinder(t, p.pid)
	for _, want := range []string{
		"bare main",
		"framed main", "framed main", "bare framed main", "framed main",
		"bare caller main", "caller main",
		"late main", "framed late main", "framed late main", "bare framed late main", "framed late main",
		"bare handler restore main",
	} {
		p.runTo()
		fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
		wantPath(t, u, fs, why, Complete, append(strings.Fields(want), "*", "*", "_start")...)
		if i := slices.Index(names(u, fs), "restore"); i >= 0 && !fs[i+1].Exact {
			t.Errorf("interrupted pc is no exact one:\n%s", describe(u, fs))
		}
	}
}

func TestGeneratedCode(t *testing.T) {
	p := trace(t, build(t, "generate.c", "-O1"))
	u := newUnwinder(t, p.pid)
	for _, want := range []string{
		"stop main",
		" main",
		"stop  main",
		" main",
		"  main",
		" main",
	} {
		p.runTo()
		fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
		wantPath(t, u, fs, why, Complete, append(strings.Split(want, " "), "*", "*", "_start")...)
		for i, name := range names(u, fs) {
			o := fs[i].Object
			if o == nil || (o.Kind == Anon) != (name == "" && i < 2) {
				t.Errorf("frame %d has object %+v:\n%s", i, o, describe(u, fs))
			}
			if o.Kind == Anon && (fs[i].Vaddr() < o.Start || fs[i].Vaddr() >= o.End) {
				t.Errorf("frame %d: address %#x, object %+v", i, fs[i].Vaddr(), o)
			}
		}
	}
}

// TestLoading follows a program through dlopen, dlclose and exec.
func TestLoading(t *testing.T) {
	lib := filepath.Join(t.TempDir(), "plugin.so")
	if text, err := exec.Command("gcc", "-shared", "-fPIC", "-o", lib, "testdata/plugin.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	other := build(t, "deep.c", "-O0")
	p := trace(t, build(t, "load.c", "-O0"), lib, other, "3")
	p.runTo()
	u := newUnwinder(t, p.pid)
	mem := ProcessMemory(p.pid)
	fs, why := u.Unwind(p.few(), mem, nil)
	wantPath(t, u, fs, why, Complete, "stop", "plugin", "main", "*", "*", "_start")
	plugin := fs[1].Object
	if plugin == nil || plugin.Path != lib || plugin.Kind != File || plugin.Bias == 0 {
		t.Errorf("plugin's object is %+v, want %s", plugin, lib)
	}

	p.runTo() // after dlclose
	if err := u.Refresh(); err != nil {
		t.Fatal(err)
	}
	mapped := func() bool {
		return len(u.Functions(func(n string) bool { return n == "plugin" })) > 0
	}
	if mapped() {
		t.Error("plugin is unloaded, yet Functions has it")
	}
	fs, why = u.Unwind(p.few(), mem, nil)
	wantPath(t, u, fs, why, Complete, "stop", "main", "*", "*", "_start")

	p.runTo() // loaded again, without randomisation at the same place
	if err := u.Refresh(); err != nil {
		t.Fatal(err)
	}
	fs, why = u.Unwind(p.few(), mem, nil)
	wantPath(t, u, fs, why, Complete, "stop", "plugin", "main", "*", "*", "_start")
	if !mapped() {
		t.Error("Functions lacks plugin")
	}
	if o := fs[1].Object; o.Bias == plugin.Bias && o != plugin {
		t.Error("the same mapping of the same file is another object")
	}

	p.runTo()
	p.run() // the exec
	p.runTo()
	if err := u.Refresh(); err != nil {
		t.Fatal(err)
	}
	fs, why = u.Unwind(p.few(), mem, nil)
	wantPath(t, u, fs, why, Complete, "dive", "dive", "dive", "dive", "main", "*", "*", "_start")
	if fs[0].Object.Path != other {
		t.Errorf("after exec the object is %s, want %s", fs[0].Object.Path, other)
	}
	for i, o := range u.Objects() {
		if o.ID != i+1 {
			t.Errorf("object %d has ID %d", i, o.ID)
		}
	}
}

// TestUnaided meets new code without Refresh.
func TestUnaided(t *testing.T) {
	p := trace(t, build(t, "deep.c", "-O0"), "1")
	u := newUnwinder(t, p.pid) // at the first instruction: no libc yet
	p.runTo()
	fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
	wantPath(t, u, fs, why, Complete, "dive", "dive", "main", "*", "*", "_start")
}

func TestThreads(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(build(t, "threads.c", "-O2", "-pthread"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := io.ReadFull(out, make([]byte, 3)); err != nil { // each says when it is there
		t.Fatal(err)
	}
	u := newUnwinder(t, cmd.Process.Pid)
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", cmd.Process.Pid))
	if err != nil || len(tasks) != 4 {
		t.Fatalf("%d threads, %v", len(tasks), err)
	}
	for i, task := range tasks {
		p := &tracee{t: t}
		fmt.Sscan(task.Name(), &p.pid)
		if err := unix.PtraceAttach(p.pid); err != nil {
			t.Fatal(err)
		}
		want := []string{"work", "worker", "start_thread", "clone3"}
		for deadline := time.Now().Add(time.Minute); ; {
			p.wait()
			fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
			if why != Complete {
				t.Errorf("%v\n%s", why, describe(u, fs))
			}
			last := fs[len(fs)-1]
			name, _ := u.Symbol(last)
			if i == 0 {
				if name != "_start" {
					t.Errorf("the main thread ends in %s\n%s", name, describe(u, fs))
				}
				break
			}
			// It may be on its way to work yet. The C library's own
			// functions have no symbols here.
			if len(fs) == len(want) && slices.Equal(names(u, fs)[:2], want[:2]) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("thread %d: %v\n%s", i, why, describe(u, fs))
			}
			unix.PtraceCont(p.pid, 0)
			unix.Tgkill(cmd.Process.Pid, p.pid, unix.SIGSTOP)
		}
		if err := unix.PtraceDetach(p.pid); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFirstInstructions steps into the dynamic linker, whose first function has neither a
// description nor a name.
func TestFirstInstructions(t *testing.T) {
	p := trace(t, build(t, "deep.c", "-O2"), "1")
	u := newUnwinder(t, p.pid)
	mem := ProcessMemory(p.pid)
	entry := p.regs.Rip
	for step := range 2000 {
		fs, why := u.Unwind(p.all(), mem, nil)
		if last := fs[len(fs)-1].PC; why != Complete || last-entry > 16 {
			t.Fatalf("step %d: %v\n%s", step, why, describe(u, fs))
		}
		p.step(0)
	}
}
