package collector_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/data"
)

// counted are the letters of call paths whose activations are counted.
const counted = "s e q1000"

// calls adds up the activations of the last function that the one before it called, and so on out to the first.
func (p *profile) calls(functions ...string) uint64 {
	p.t.Helper()
	if p.run.Calls == nil {
		p.t.Fatal("activations are not counted")
	}
	var n uint64
	for i := range p.run.Nodes {
		at, match := data.NodeID(i), true
		for _, f := range slices.Backward(functions) {
			if at == 0 || p.name(p.run.Nodes[at]) != f {
				match = false
				break
			}
			at = p.run.Nodes[at].Parent
		}
		if match {
			n += uint64(p.run.Calls[i])
		}
	}
	return n
}

// called fails unless the activations of the last function, called through the others, are as many.
func (p *profile) called(want uint64, functions ...string) {
	p.t.Helper()
	if n := p.calls(functions...); n != want {
		p.t.Errorf("%d activations of %q, want %d", n, functions, want)
	}
}

func TestActivations(t *testing.T) {
	p := prepare(t, counted, "counted", "figure").run().ok("done\n").own().whole()
	p.called(1, "main")
	p.called(1, "main", "a")
	p.called(1, "main", "b")
	p.called(2, "main", "a", "c")
	p.called(4, "main", "b", "c")
	p = prepare(t, counted, "counted", "loop").run().ok("done\n").own().whole()
	p.called(1, "main")
	p.called(25, "main", "c")
}

// Functions that end by a jump to another, that call themselves, and that are left by jumps and exceptions.
func TestActivationsThatEndOtherwise(t *testing.T) {
	p := prepare(t, counted, "counted-optimized", "tail").run().ok("done\n").own().whole()
	p.called(1, "main")
	p.called(5, "main", "jumps_to_c")
	p.called(5, "main", "c")
	p = prepare(t, counted, "counted-optimized", "recursion").run().ok("done\n").own().whole()
	p.called(3, "main", "down")
	p.called(3, "main", "down", "down")
	p.called(3, "main", "down", "down", "down")
	p = prepare(t, counted, "counted", "jumps").run().ok("done\n").own().whole()
	p.called(1, "main")
	p.called(10, "main", "tries")
	p.called(10, "main", "tries", "leaves", "leaves")
	for _, program := range []string{"caught", "caught-static"} {
		p = prepare(t, counted, program).run().ok("done\n").own().whole()
		p.called(1, "main")
		p.called(10, "main", "catches")
		p.called(10, "main", "catches", "passes", "throws")
	}
}

// An unwinder in a library that was loaded after many others had been, and unloaded again, is known too.
func TestActivationsInLibrariesLoadedAgain(t *testing.T) {
	p := prepare(t, counted, "reopens", filepath.Join(built, "caught.so")).run().ok("done\n").own().whole()
	p.called(1, "main")
	p.called(10, "last", "catches")
	p.called(10, "last", "catches", "passes", "throws")
}

// A short call is no long one, whatever a sample in the kernel weighs: that stands for time before it, too.
func TestShortActivations(t *testing.T) {
	p := prepare(t, counted, "counted", "briefly").run().ok("done\n").own().whole()
	heavy := uint32(0)
	for node, l := range p.run.Lasting {
		heavy += l.Heavy
		for at := node; at != 0; at = p.run.Nodes[at].Parent {
			if p.name(p.run.Nodes[at]) == "asks" && l.Twice > 0 {
				t.Errorf("%+v of a function that takes 1 µs", l)
			}
		}
	}
	if heavy == 0 {
		t.Error("no sample weighs more than one")
	}
}

// What a handler calls is counted. Of the handler it is not known whether it has ended since, so it is not.
func TestActivationsInHandlers(t *testing.T) {
	p := prepare(t, counted, "counted", "handler").run().ok("done\n").own().whole()
	p.called(1, "main")
	p.called(10, "handles", "c")
	p.called(0, "handles")
}

// Programs whose stacks are marked behave as they do without us, at many times the usual rate too.
func TestMarkedStacks(t *testing.T) {
	for _, mode := range []string{"jumps", "handlers", "contexts", "processes", "interrupted", "threads", "backtraces", "registers"} {
		for _, letters := range []string{"s e r1 q1000", "s e r1 q200"} {
			prepare(t, letters, "marked", mode).run().ok("done\n")
		}
	}
	prepare(t, "s e r1 q200", "throws").run().ok("done\n").own().whole().mostly("main", "_Z7catcherv")
}

// Unwinders find what the program put on its stack, in libraries of their own, linked in, and in what is loaded later.
func TestMarkedStacksAreUnwound(t *testing.T) {
	for _, program := range [][]string{{"unwinds"}, {"unwinds-static"}, {"opens", filepath.Join(built, "unwinds.so")}} {
		for _, mode := range []string{"exceptions", "backtraces", "handlers", "threads"} {
			for _, letters := range []string{"s e r1 q1000", "s e r1 q200"} {
				s := prepare(t, letters, append(append([]string{}, program...), mode)...).run()
				if program[0] == "opens" {
					s.ok("done\ndone\n")
				} else {
					s.ok("done\n")
				}
				if strings.Contains(s.notes, "not counted") {
					t.Errorf("%q %s: notes: %s", program, mode, s.notes)
				}
			}
		}
	}
	prepare(t, "s e r1 q200", "throws-static").run().ok("done\n").own().whole().mostly("main", "_Z7catcherv")
}

// What meets a mark goes on through it: an unwinder that can't be told of it, and a debugger.
func TestMarksAreTransparent(t *testing.T) {
	for _, letters := range []string{"s e r1 q1000", "s e r1 q200"} {
		prepare(t, letters, "sees").run().ok("done\n")
	}
	s := prepare(t, counted, "deep")
	s.begin()
	defer s.command.Wait()
	defer s.command.Process.Kill()
	out, err := exec.Command("gdb", "-nx", "-batch", "-p", strconv.Itoa(s.command.Process.Pid), "-ex", "bt").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var frames []string
	for _, line := range strings.Split(string(out), "\n") {
		if m := regexp.MustCompile(`^#\d+ .*\b(\w+) \(`).FindStringSubmatch(line); m != nil {
			frames = append(frames, m[1])
		}
	}
	at := slices.Index(frames, "trampoline_mark")
	if at < 0 {
		t.Fatalf("no mark on the stack: %q", frames)
	}
	frames = slices.Delete(frames, at, at+1)
	for frames[0] != "leaf" && len(frames) > 1 {
		frames = frames[1:] // handlers, and functions of the C library
	}
	if want := []string{"leaf", "down", "down", "down", "down", "down", "down", "down", "main"}; !slices.Equal(frames, want) {
		t.Errorf("gdb's frames: %q", frames)
	}
}

// A coroutine's first function is outermost, and calls in it are counted; what is loaded afterwards is known at once.
func TestCoroutines(t *testing.T) {
	for _, kind := range []string{"ucontext", "libco", "boost"} {
		p := prepare(t, counted, "coroutines", kind, filepath.Join(built, "first.so")).run().ok("done\n").own().whole()
		p.called(1, "coroutine")
		p.called(10, "coroutine", "c")
		for _, s := range p.run.Samples() {
			if p.run.Nodes[s.Node].Object == 0 {
				t.Errorf("%s: %d samples at %#x, in no object", kind, s.Count, p.run.Nodes[s.Node].Vaddr)
			}
		}
		if n := p.on("main", "work"); n*10 < p.on("coroutine", "c")*4 {
			t.Errorf("%s: %d samples in what was loaded, %d in c", kind, n, p.on("coroutine", "c"))
		}
	}
}

// Where stacks must not be marked a note says so, and call paths are found as ever.
func TestActivationsNotCounted(t *testing.T) {
	for _, args := range [][]string{
		{"s e r1 q500", "asks", "asks", "an unwinder other than libgcc's"},
		{"s e xalloc xcpu:500", "throws", "_Z7catcherv", "several resources"},
	} {
		s := prepare(t, args[0], args[1]).run().ok("done\n")
		p := s.own()
		p.mostly("main", args[2])
		if p.run.Calls != nil || !strings.Contains(s.notes, "activations of functions are not counted: "+args[3]) {
			t.Errorf("%q: activations %v, notes:\n%s", args, p.run.Calls != nil, s.notes)
		}
	}
	linked := prepare(t, counted, "polite-linked", "closes").setenv("LD_PRELOAD=").run().ok("done\n")
	if !strings.Contains(linked.notes, "activations of functions are not counted: the collector is linked in") {
		t.Errorf("notes: %s", linked.notes)
	}
}
