package collector_test

import (
	"strings"
	"testing"
)

// A program that may do nothing but read and write is not ended for what we would do.
func TestStrictlyConfined(t *testing.T) {
	for _, letters := range append(modes, "xio:1 xwrite:1 xcpu:1000") {
		s := measured(t, letters, "limits", "strict")
		if s.out != "done\n" || s.state.ExitCode() != 5 {
			t.Errorf("%q: %v\n%s", letters, s.state, s.out)
		}
	}
}

// Our timers are not missing where the program may have few. What a user has pending counts together: this one has nothing else.
func TestFewTimers(t *testing.T) {
	as := []string{"setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"}
	for _, args := range [][]string{{"timers", "0"}, {"timers", "1"}, {"timers", "3"}, {"queued", "1"}, {"queued", "3"}} {
		for _, letters := range []string{"q10000", "q1000", "IRq10000"} {
			s := measured(t, letters, append(append(append([]string{}, as...), built+"/limits"), args...)...).ok("")
			if want := args[1] + " " + args[0] + "\ndone\n"; s.out != want {
				t.Errorf("%q %v: %q, want %q", letters, args, s.out, want)
			}
		}
	}
}

// A program that leaves itself little memory is sampled in what there is.
func TestLittleData(t *testing.T) {
	for _, megabytes := range []string{"32", "64", "100"} {
		s := measured(t, "s q1000", "limits", "data", megabytes).ok("done\n")
		p := s.profile(s.dirs(s.state.Pid())[0])
		if n := p.on("main", "run_mode", "data", "after"); n < 100 {
			t.Errorf("%s MB: %d samples of 0.2 s: %s", megabytes, n, s.notes)
		}
		s = measured(t, "s q1000", "limits", "data", megabytes, "sampled before").ok("done\n")
		p = s.profile(s.dirs(s.state.Pid())[0])
		if b, a := p.on("before"), p.on("after"); b < 50 || a < 100 {
			t.Errorf("%s MB: %d and %d samples of 0.1 and 0.2 s: %s", megabytes, b, a, s.notes)
		}
		if strings.Contains(s.notes, "no memory") {
			t.Errorf("%s MB: %s", megabytes, s.notes)
		}
	}
}

// One that has too little for us is told what would help.
func TestTooLittleData(t *testing.T) {
	s := measured(t, "s q1000", "sh", "-c", "ulimit -d 16384; exec "+built+"/paths deep 250")
	if !strings.Contains(s.notes, "raise the limits on data and address space (ulimit -d, -v)") {
		t.Errorf("%v: %q", s.state, s.notes)
	}
}
