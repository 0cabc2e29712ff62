package unwind

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// buildGo compiles the Go program of testdata.
func buildGo(t *testing.T, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "prog")
	args := append([]string{"build", "-o", out}, flags...)
	if text, err := exec.Command("go", append(args, "./testdata/golang")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// A Go program is followed an instruction at a time through calls that change stacks.
func TestGo(t *testing.T) {
	for _, flags := range [][]string{
		{},
		{"-buildmode=pie"},
		{"-ldflags=-w"},
		{"-ldflags=-compressdwarf=false"},
		{"-ldflags=-s -w"},
		{"-ldflags=-s -w", "-buildmode=pie"},
	} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			p := trace(t, buildGo(t, flags...))
			p.runTo()
			u := newUnwinder(t, p.pid)
			described := !slices.Contains(flags, "-ldflags=-w") && !slices.Contains(flags, "-ldflags=-s -w")
			// Go's scheduler preempts what has run for 10 ms, and asks for it by making the
			// next function find no room on its stack.
			const rounds = 100
			for range rounds {
				if p.followGo(u, described) {
					return
				}
				p.runTo() // its second breakpoint
				p.runTo()
			}
			t.Errorf("the program was preempted each time, %d times", rounds)
		})
	}
}

// followGo steps from the program's first breakpoint to its second; false if it was preempted in
// between. The scheduler stands still: else it would preempt, again and again, a program that is slow
// because each of its steps is.
func (p *tracee) followGo(u *Unwinder, described bool) bool {
	p.t.Helper()
	defer p.alone()()
	want := []string{"main.inner", "main.middle", "main.outer", "main.main", "runtime.main", "runtime.goexit"}
	const most = 5000
	switched := 0 // steps on the other stack
	sig, op := unix.Signal(0), []byte{0}
	for steps := 0; ; steps++ {
		fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
		list := names(u, fs)
		if slices.Contains(list, "runtime.morestack") {
			return false
		}
		other := list[0] == "time.now" || fs[0].Object.Kind == VDSO
		if other {
			switched++
		}
		// Without a description the beginnings and ends of functions are guessed.
		atBreakpoint := steps == 0 || op[0] == 0xcc
		if i := slices.Index(list, "main.inner"); (described || other || atBreakpoint) && (why != Complete || i < 0 || !slices.Equal(list[i:], want)) {
			p.t.Fatalf("step %d: %v, %q\n%s", steps, why, list, describe(u, fs))
		}
		if op[0] == 0xcc {
			break
		}
		if steps == most {
			p.t.Fatalf("the second breakpoint is not within %d steps: %q", most, list)
		}
		if sig = p.advance(u, sig); sig == unix.SIGTRAP || sig == unix.SIGURG { // the latter is to preempt
			sig = 0
		}
		u.objects.mem.ReadAt(op, p.regs.Rip)
	}
	if switched < 20 {
		p.t.Errorf("only %d steps on the other stack", switched)
	}
	return true
}
