package collector_test

import (
	"context"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// abusers are sets of letters that programs are run with, to behave as they do without. Those of the second row are
// for the long form of these tests alone: $PCT_TEST_ABUSE=N runs all of it N times as long (some 3 minutes each).
var (
	abusers     = []string{"s q1000", "s e q200"}
	moreAbusers = []string{"s q200", "s e q1000 r1", "s IRq1000", "s q4000", "q200", "lq1000"}
)

// abuse is how much longer than in a short test programs run, and what with.
func abuse(t *testing.T) (times int, letters []string) {
	t.Helper()
	v := os.Getenv("PCT_TEST_ABUSE")
	if v == "" {
		return 1, abusers
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("PCT_TEST_ABUSE=%q", v)
	}
	return n, append(append([]string{}, abusers...), moreAbusers...)
}

// left is what a program of testdata/abuse.h held in the end.
type left struct{ descriptors, mappings, timers, stack, rss, peak int }

// abused runs a program until it ends by itself, within three minutes for each time: machines are slow at times.
func abused(t *testing.T, letters string, times int, args ...string) (*sampled, left) {
	t.Helper()
	s := prepare(t, letters, append([]string{}, args...)...)
	file := filepath.Join(t.TempDir(), "left")
	limit, cancel := context.WithTimeout(t.Context(), time.Duration(3*times)*time.Minute)
	defer cancel()
	bound := exec.CommandContext(limit, s.command.Path, s.command.Args[1:]...)
	bound.Env = append(s.command.Env, "LEFT="+file)
	if letters == "" {
		bound.Env = append(bound.Env, "LD_PRELOAD=")
	}
	s.command = bound
	s.run()
	if limit.Err() != nil {
		t.Fatalf("%q %v: it hangs\n%s", letters, args, s.out)
	}
	var l left
	b, err := os.ReadFile(file)
	if err == nil && len(b) > 0 {
		_, err = fmt.Sscanf(string(b), "descriptors %d\nmappings %d\ntimers %d\nstack %d\nrss %d\npeak %d\n",
			&l.descriptors, &l.mappings, &l.timers, &l.stack, &l.rss, &l.peak)
	}
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return s, l
}

// held fails if the program held more in the end than it would without us and what is ours by plan.
func held(t *testing.T, s *sampled, bare, l left) {
	t.Helper()
	if l.descriptors != bare.descriptors {
		t.Errorf("%v: %d descriptors, without the collector %d", s.command.Args, l.descriptors, bare.descriptors)
	}
	// The library, a file of call paths or of each object, its links, what threads are walked with.
	if l.mappings > bare.mappings+40 || l.timers > bare.timers+8 {
		t.Errorf("%v: %d mappings and %d timers, without the collector %d and %d", s.command.Args, l.mappings, l.timers, bare.mappings, bare.timers)
	}
	// The most is of stacks of 32,768 frames whose calls are counted: frames, activations, nodes and their records.
	if l.rss > bare.rss+12<<10 || l.peak > bare.peak+160<<10 {
		t.Errorf("%v: %d KB of memory, %d of address space; without the collector %d and %d", s.command.Args, l.rss, l.peak, bare.rss, bare.peak)
	}
}

// Programs that use what a collector needs, or leave it nothing, print, return and hold what they do without it.
func TestAbuse(t *testing.T) {
	times, letters := abuse(t)
	letters = append(letters, "xfaults:16")
	n := strconv.Itoa(times)
	for _, program := range [][]string{
		{"signals", "profilers", n}, {"signals", "thread-timers", n}, {"signals", "calling-timers", n},
		{"signals", "descriptor", n}, {"signals", "waiting", n}, {"signals", "storm", n},
		{"stacks", "threads", "8192"}, {"stacks", "jumps", n}, {"stacks", "recovers", n}, {"stacks", "thread-overflows", n},
		{"stacks", "dies"}, {"stacks", "coroutines", n},
		{"processes", "forks", n}, {"processes", "executes", "20"}, {"processes", "vforks", n}, {"processes", "daemonises"},
		{"processes", "cancels", n}, {"processes", "births", n}, {"processes", "space", "40"}, {"processes", "space", "400"},
		{"processes", "descriptors", "3"}, {"processes", "descriptors", "8"}, {"processes", "files", "0"},
		{"processes", "files", "100000"}, {"processes", "locked", n},
	} {
		t.Run(strings.Join(program[:2], " "), func(t *testing.T) {
			bare, before := abused(t, "", times, program...)
			for _, l := range letters {
				s, after := abused(t, l, times, program...)
				if s.out != bare.out || s.state.String() != bare.state.String() {
					t.Errorf("%q: %v %q, without the collector %v %q (notes: %s)", l, s.state, s.out, bare.state, bare.out, s.notes)
				}
				held(t, s, before, after)
			}
		})
	}
}

// A handler takes little of the stack for signals that the program has set up.
func TestStackOfHandlers(t *testing.T) {
	_, letters := abuse(t)
	for _, l := range letters {
		s, used := abused(t, l, 1, "stacks", "depth")
		s.ok("done\n")
		// The kernel's own frame is most of it.
		if used.stack == 0 || used.stack > kernelFrame(t)+1536 {
			t.Errorf("%q: %d bytes of the stack are used, the kernel may need %d of them", l, used.stack, kernelFrame(t))
		}
	}
}

// kernelFrame is the most that the kernel needs of a stack for a signal.
func kernelFrame(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		t.Fatal(err)
	}
	for ; len(b) >= 16; b = b[16:] {
		if value := int(b[8]) | int(b[9])<<8 | int(b[10])<<16; b[0] == 51 && value > 0 { // AT_MINSIGSTKSZ
			return value
		}
	}
	return 2048
}

// Code that comes and goes is told by what it was, though its files follow each other under one name, at one place.
func TestLoadsAndUnloads(t *testing.T) {
	times, letters := abuse(t)
	first, second := filepath.Join(built, "first.so"), filepath.Join(built, "second.so")
	ids := map[string]string{buildID(t, first): "first", buildID(t, second): "second"}
	for _, c := range []struct {
		name string
		n    int
	}{{"same", 2000}, {"replaced", 300}, {"different", 2000}, {"threads", 4000}, {"kept", 1100}} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"loads", c.name, strconv.Itoa(c.n * times), first, second, t.TempDir()}
			if c.name == "kept" {
				args[2] = strconv.Itoa(c.n)
			}
			bare, before := abused(t, "", times, args...)
			for _, l := range letters {
				s, after := abused(t, l, times, args...)
				if s.ok(bare.out); !strings.HasPrefix(l, "s") {
					continue
				}
				held(t, s, before, after)
				p := s.own()
				right, wrong := p.loaded(ids)
				if right == 0 || wrong*50 > right {
					t.Errorf("%q: %d samples of loaded code are where they belong, %d are not; %d of %d are partial", l, right, wrong, p.partial, p.all)
				}
			}
		})
	}
}

// buildID is the build-id of an ELF file.
func buildID(t *testing.T, file string) string {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	note := f.Section(".note.gnu.build-id")
	if note == nil {
		t.Fatalf("%s has no build-id", file)
	}
	b, err := note.Data()
	if err != nil || len(b) < 16 {
		t.Fatalf("%s: build-id %x, %v", file, b, err)
	}
	return hex.EncodeToString(b[16:])
}

// loaded counts the samples in an object of each build-id that were called by the function of its name, and the others in it.
func (p *profile) loaded(ids map[string]string) (right, wrong uint64) {
	for _, s := range p.run.Samples() {
		at := p.run.Nodes[s.Node]
		called := ids[p.run.Objects[at.Object].BuildID]
		if called == "" || s.Partial {
			continue
		}
		by := s.Node
		for p.run.Nodes[by].Object == at.Object && p.run.Nodes[by].Parent != 0 {
			by = p.run.Nodes[by].Parent
		}
		if name := p.name(p.run.Nodes[by]); name == called {
			right += s.Count
		} else if name == "first" || name == "second" {
			wrong += s.Count
		}
	}
	return right, wrong
}
