package remote

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	processor "github.com/profilecollection/pct/dbctl/internal/tracer"
)

// A script's words in one process: where each stop is known beforehand.
// A watchpoint is the processor's, where its debug registers trap, and gdb's own,
// for which it steps.
func TestWords(t *testing.T) {
	settings := []string{"displaced-stepping auto", "displaced-stepping off", "can-use-hw-watchpoints 0"}
	if err := processor.DebugRegisters(); err != nil {
		t.Log(err)
		settings = settings[2:]
	}
	for _, setting := range settings {
		t.Run(setting, func(t *testing.T) {
			s := debug(t, build(t, "single"), "-gdb-set "+setting)
			s.all("-break-insert middle", "-exec-continue --all")
			s.begin()
			thread, function := s.stop("breakpoint-hit")
			if function != "middle" {
				t.Errorf("stopped in %s", function)
			}
			s.want(thread, "n", "10")
			s.want(thread, "leaf(21)", "42")
			s.want(thread, "half(5)", "2.5")
			s.want(thread, "$sp == $rsp && (long)$pc == (long)$rip", "1")

			// to the loop, into leaf and out of it
			for _, step := range []struct{ command, reason, function string }{
				{"next", "end-stepping-range", "middle"},
				{"next", "end-stepping-range", "middle"},
				{"step", "end-stepping-range", "leaf"},
				{"stepi", "end-stepping-range", "leaf"},
				{"finish", "function-finished", "middle"},
				{"until 22", "location-reached", "middle"},
				{"tbreak half", "", ""},
				{"watch watched", "", ""},
				{"continue", "watchpoint-trigger", "main"},
				{"delete 5", "", ""}, // 4 was the temporary one
				{"catch syscall getppid", "", ""},
				{"continue", "breakpoint-hit", "half"},
				{"continue", "syscall-entry", ""},
				{"continue", "syscall-return", ""},
			} {
				s.all(fmt.Sprintf("-interpreter-exec --thread %s console \"%s\"", thread, background(step.command)))
				if step.reason == "" {
					continue
				}
				_, function := s.stop(step.reason)
				if step.function != "" && function != step.function {
					t.Fatalf("after %s: in %s", step.command, function)
				}
				if step.command == "finish" {
					s.value(thread, 0, "$")
				}
				if step.reason == "watchpoint-trigger" {
					s.want(thread, "watched", "7")
				}
			}
			s.all("-interpreter-exec console \"info auxv\"", "-exec-continue --thread "+thread)
			s.stop("exited")
			if status := s.tr.finish(); status.ExitStatus() != 3 {
				t.Errorf("status %v", status)
			}
			if got, want := s.tr.output.String(), "90 0.25 10\n"; got != want {
				t.Errorf("it printed %q, not %q", got, want)
			}
		})
	}
}

// background makes a resuming command one that doesn't hold gdb up.
func background(command string) string {
	if word, _, _ := strings.Cut(command, " "); slices.Contains([]string{"next", "step", "stepi", "finish", "until", "continue"}, word) {
		return command + "&"
	}
	return command
}

// want compares the value of an expression in the innermost frame.
func (s *session) want(thread, expression, value string) {
	s.Helper()
	if got := s.value(thread, 0, expression); got != value {
		s.Errorf("%s = %s, not %s", expression, got, value)
	}
}

// Every thread meets the breakpoint each time, whether or not its condition
// holds, while others run; a thread that waits is not disturbed.
func TestThreads(t *testing.T) {
	for _, displaced := range []string{"auto", "off"} {
		t.Run("displaced-stepping "+displaced, func(t *testing.T) {
			s := debug(t, build(t, "threads"), "-gdb-set displaced-stepping "+displaced)
			s.all(`-break-insert -c "counts[id] % 10 == 0" work`, "-exec-continue --all")
			s.begin()
			hits := map[string]int{}
			for range 4 * 5 {
				thread, _ := s.stop("breakpoint-hit")
				id := s.value(thread, 0, "id")
				if got := s.value(thread, 0, "counts[id]"); got != fmt.Sprint(10*hits[id]) {
					t.Errorf("thread %s at %s", id, got)
				}
				hits[id]++
				if hits["0"] == 2 && id == "0" {
					r, err := s.gdb.Do("-thread-info", deadline())
					if err != nil {
						t.Fatal(err)
					}
					if n := len(r.Results.Get("threads").Items); n < 2 {
						t.Errorf("%d threads: %s", n, r.Raw)
					}
				}
				s.all("-exec-continue --thread " + thread)
			}
			s.stop("exited-normally")
			if len(hits) != 4 || hits["0"] != 5 || hits["1"] != 5 || hits["2"] != 5 || hits["3"] != 5 {
				t.Errorf("hits %v", hits)
			}
			s.tr.finish()
			if got, want := s.tr.output.String(), "200 whole\n"; got != want {
				t.Errorf("it printed %q, not %q", got, want)
			}
		})
	}
}

// The debugger may come while the process runs, and sees no stop then.
func TestRunning(t *testing.T) {
	path := build(t, "threads")
	tr := trace(t, path)
	tr.setServer(nil) // it goes on
	s := connected(t, tr, path)
	r, err := s.gdb.Do("-thread-info", deadline())
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range r.Results.Get("threads").Items {
		if state := thread.Str("state"); state != "running" {
			t.Errorf("it is %s: %s", state, r.Raw)
		}
	}
	s.all("-break-insert work")
	s.begin()
	_, function := s.stop("breakpoint-hit")
	if function != "work" {
		t.Errorf("stopped in %s", function)
	}
	s.all("-break-delete", "-exec-continue --all")
	for s.next("*stopped").Str("reason") != "exited-normally" {
		// the others may have met the breakpoint before it went
		s.all("-exec-continue --all")
	}
	tr.finish()
	if got, want := tr.output.String(), "200 whole\n"; got != want {
		t.Errorf("it printed %q, not %q", got, want)
	}
}

// A running process stops when it's asked to, and can be stepped from there.
func TestInterrupt(t *testing.T) {
	s := debug(t, build(t, "threads"))
	s.all("-exec-continue --all", "-exec-interrupt --all")
	r := s.next("*stopped")
	if got := r.Str("signal-name"); got != "0" {
		t.Errorf("stopped by %s: %s", got, r.Raw)
	}
	s.all("-exec-next-instruction --thread 1")
	s.begin()
	s.stop("end-stepping-range")
	s.all("-exec-continue --all")
	s.stop("exited-normally")
}

// Whatever way the debugger goes, its breakpoints are gone as well.
func TestDeparture(t *testing.T) {
	for _, c := range []struct {
		name string
		end  error
		go_  func(s *session)
	}{
		{"detach", nil, func(s *session) { s.all("-target-detach") }},
		{"disconnect", io.EOF, func(s *session) { s.all("-target-disconnect") }},
		{"quit", nil, func(s *session) { _, _ = s.gdb.Send("-gdb-exit") }},
		{"killed", nil, func(s *session) { s.gdb.Kill() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := debug(t, build(t, "single"))
			s.all("-break-insert middle", "-break-insert leaf", "-gdb-set breakpoint always-inserted on", "-exec-continue --all")
			s.begin()
			s.stop("breakpoint-hit")
			s.all("-break-watch watched", "-exec-step --thread 1")
			s.stop("end-stepping-range")
			c.go_(s)
			select {
			case err := <-s.served:
				if c.name != "killed" && err != c.end {
					t.Errorf("Serve returned %v", err)
				}
				s.served <- err
			case <-time.After(time.Minute):
				t.Fatal("Serve doesn't return")
			}
			if len(s.tr.broken) != 0 || s.tr.control != 0 {
				t.Errorf("left: %v, %#x", s.tr.broken, s.tr.control)
			}
			s.tr.setServer(nil)
			if status := s.tr.finish(); status.ExitStatus() != 3 {
				t.Errorf("status %v", status)
			}
			if got, want := s.tr.output.String(), "90 0.25 10\n"; got != want {
				t.Errorf("it printed %q, not %q", got, want)
			}
		})
	}
}

// Ticks stop a thread silently, with what the script's debugger prints of it.
func TestTick(t *testing.T) {
	s := debug(t, build(t, "threads"))
	s.all("-exec-continue --all")
	for range 20 {
		if err := unix.Tgkill(s.tr.pid, s.tr.pid, unix.SIGURG); err != nil {
			t.Fatal(err)
		}
		s.next("~\atick 1 ")
		r, err := s.gdb.Do("-stack-list-frames --thread 1", deadline())
		if err != nil || len(r.Results.Get("stack").Items) == 0 {
			t.Errorf("%v %v", r, err)
		}
		s.all("-exec-continue --thread 1")
	}
	s.begin()
	s.stop("exited-normally")
	s.tr.finish()
	if got, want := s.tr.output.String(), "200 whole\n"; got != want {
		t.Errorf("it printed %q, not %q", got, want)
	}
}
