package collector_test

import (
	"fmt"
	"strings"
	"testing"
)

// A mode is a way to sample a program.
var modes = []string{"q10000", "q1000", "s q1000", "s e q1000", "xfaults:1", "xio:1", "IRq2000", "xfpe xcpu:1000"}

// unharmed runs a program in each mode, and expects that it does what it does without a collector.
func unharmed(t *testing.T, but string, args ...string) {
	t.Helper()
	bare := prepare(t, "", append([]string{}, args...)...).setenv("LD_PRELOAD=").run()
	for _, letters := range modes {
		if letters == but {
			continue
		}
		s := measured(t, letters, append([]string{}, args...)...)
		if s.out != bare.out || s.state.String() != bare.state.String() {
			t.Errorf("%q %v: %v, without the collector %v\n%s", letters, args, s.state, bare.state, differing(s.out, bare.out))
		}
	}
}

// differing is the first line that differs.
func differing(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// A program that blocks signals, waits for them, or hands its mask on, sees its own masks and signals in every mode.
func TestProgramsThatBlock(t *testing.T) {
	for _, args := range []string{
		"fills", "each", "several", "descriptors", "children", "children 2", "executes 0", "executes 1", "executes 2", "executes 3",
		"inherits", "threads", "older", "handles", "jumps", "raw", "ends 5", "ends 15", "ends 23", "ends 26", "sent", "interrupted",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			unharmed(t, "", append([]string{"blocks"}, strings.Fields(args)...)...)
		})
	}
	for _, name := range []string{"suspends", "waiters"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Calls that wait end with EINTR when a tick of elapsed time comes.
			unharmed(t, "IRq2000", "blocks", name)
		})
	}
}

// It is sampled all the while.
func TestProgramsThatBlockAreSampled(t *testing.T) {
	for _, letters := range []string{"q4000", "q1000"} {
		s := prepare(t, letters, "blocks", "fills").run().ok("")
		if stored, lost := samples(s.counts()); stored < 10 {
			t.Errorf("%q: %d samples, %d lost, of 0.1 s", letters, stored, lost)
		}
	}
}
