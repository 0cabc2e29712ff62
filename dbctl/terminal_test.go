package main_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/profilecollection/pct/dbctl/internal/proctest"
	"github.com/profilecollection/pct/pct/data"
)

// terminal is a shell with a place of its own for run directories.
type terminal struct {
	*proctest.Terminal
	t    *testing.T
	root string // of the run directories
}

// newTerminal starts the shell in a directory of its own.
func newTerminal(t *testing.T, size *pty.Winsize) *terminal {
	t.Helper()
	term := &terminal{t: t, root: t.TempDir()}
	env := append(environment(t), "PCT_DIR="+term.root)
	term.Terminal = proctest.NewTerminal(t, t.TempDir(), env, size, func(shell *proctest.Terminal) {
		shell.Send("\x03\nj=$(jobs -p); [ -z \"$j\" ] || kill -KILL $j; exit\n")
		time.AfterFunc(20*time.Second, func() { shell.Cmd.Process.Kill() })
	})
	return term
}

// expect waits for a text that has not been seen, and returns what came before
// it.
func (term *terminal) expect(pattern string) string {
	term.t.Helper()
	before, _ := term.Expect(pattern)
	return before
}

// runDir waits for the run of a program to have n samples, and returns its
// directory.
func (term *terminal) runDir(prog string, n int) string {
	term.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		if dirs, _ := filepath.Glob(filepath.Join(term.root, prog+".*")); len(dirs) == 1 && len(samplesOf(dirs[0])) >= n {
			return dirs[0]
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("there is no run of %s with %d samples", prog, n)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// samplesOf reads what there is, while it's being written too.
func samplesOf(dir string) []data.Sample {
	r, _ := data.Open(dir)
	if r == nil {
		return nil
	}
	return r.Samples()[min(1, len(r.Samples())):]
}

const profileSlowly = "dbctl -D interval=2000 profile.dbctl "

// The keys that end a program end it, or are its own affair.
func TestInterrupt(t *testing.T) {
	for name, test := range map[string]struct{ command, keys, prints, status string }{
		"interrupt": {"spin 60000", "\x03", "", "130"},
		"quit":      {"spin 60000", "\x1c", "", "131"},
		"caught":    {`sh -c 'trap "echo caught; exit 5" INT; while :; do :; done'`, "\x03", "^caught\n$", "5"},
		"ignored":   {`sh -c 'trap "" INT; trap "exit 6" QUIT; while :; do :; done'`, "\x03\x03\x1c", "", "6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := newTerminal(t, nil)
			term.Send(profileSlowly + test.command + "; echo status $?\n")
			prog, _, _ := strings.Cut(test.command, " ")
			dir := term.runDir(prog, 5)
			for _, key := range test.keys {
				// Between keys it goes on.
				term.runDir(prog, len(samplesOf(dir))+10)
				term.Send(string(key))
			}
			out := term.expect(`status `)
			if !regexp.MustCompile(test.prints).MatchString(out) || strings.Count(out, "caught") > 1 {
				t.Errorf("it printed %q, want %q", out, test.prints)
			}
			if got := term.expect(`\n`); got != test.status {
				t.Errorf("the status is %s, want %s", got, test.status)
			}
		})
	}
}

// ^Z stops the job, program and dbctl both; fg continues it, and samples come
// again.
func TestStop(t *testing.T) {
	for _, clock := range []string{"perf", "itimer", "poll"} {
		t.Run(clock, func(t *testing.T) {
			t.Parallel()
			term := newTerminal(t, nil)
			term.Send("dbctl -D interval=5000 -D clock=" + clock + " profile.dbctl spin 1500\n")
			dir := term.runDir("spin", 10)
			for range 2 {
				term.Send("\x1a")
				term.expect(`Stopped .*\n`)
				term.expect(proctest.Prompt)
				if out := term.Run("jobs -s"); !strings.Contains(out, "dbctl") {
					t.Errorf("the stopped jobs are %q", out)
				}
				before := len(samplesOf(dir))
				pid := targetOf(t, dir)
				// A traced process that has stopped for its shell is shown as t, not T.
				if state := proctest.Status(pid, "State"); !strings.HasPrefix(strings.ToUpper(state), "T") {
					t.Errorf("the program's state is %s", state)
				}
				term.Send("fg\n")
				term.expect(`dbctl .*\n`)
				term.runDir("spin", before+10)
			}
			term.expect(proctest.Prompt)
			if out := term.Run("echo status $?"); out != "status 0\n" {
				t.Errorf("at the end it printed %q", out)
			}
			if clock != "itimer" { // which counts in the kernel's ticks
				checkSampled(t, dir, 70)
			}
		})
	}
}

// So it is for a program that runs unprofiled.
func TestStopUnprofiled(t *testing.T) {
	for name, script := range map[string]string{
		"no rule": `EXEC() "none/like/it" { }`,
		"DETACH":  `EXEC() "." { PAT_GROUP(default) { PAT() "^started" { DETACH(); } } }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := newTerminal(t, nil)
			term.Send("dbctl -e '" + script + "' sh -c 'echo pid $$; read x; echo $x; exit 4'\n")
			term.expect("pid ")
			pid, err := strconv.Atoi(term.expect(`\n`))
			if err != nil {
				t.Fatal(err)
			}
			term.Send("\x1a")
			term.expect(`Stopped .*\n`)
			term.expect(proctest.Prompt)
			if state := proctest.Status(pid, "State"); !strings.HasPrefix(strings.ToUpper(state), "T") {
				t.Errorf("the program's state is %s", state)
			}
			term.Send("fg\n")
			term.expect(`dbctl .*\n`)
			term.Send("hello\n")
			term.expect(`hello\n`)
			term.expect(proctest.Prompt)
			if out := term.Run("echo status $?"); out != "status 4\n" {
				t.Errorf("at the end it printed %q", out)
			}
		})
	}
}

// bg continues a stopped job behind the shell's back, and fg fetches it.
func TestBackground(t *testing.T) {
	t.Parallel()
	term := newTerminal(t, nil)
	term.Send(profileSlowly + "spin 900\n")
	dir := term.runDir("spin", 10)
	term.Send("\x1a")
	term.expect(`Stopped .*\n`)
	term.expect(proctest.Prompt)
	before := len(samplesOf(dir))
	term.Run("bg")
	term.runDir("spin", before+20)
	if out := term.Run("jobs -r"); !strings.Contains(out, "dbctl") {
		t.Errorf("the running jobs are %q", out)
	}
	if out := term.Run("wait %1; echo status $?"); !strings.Contains(out, "status 0") {
		t.Errorf("the job ended with %q", out)
	}

	// One that reads from the terminal in the background is stopped for it.
	term.Send(profileSlowly + `sh -c 'read x; echo got $x' &` + "\n")
	term.expect(`\[\d+\] \d+\n`)
	term.expect(proctest.Prompt)
	for !strings.Contains(term.Run("jobs -s"), "dbctl") {
		time.Sleep(10 * time.Millisecond)
	}
	term.Send("fg\n")
	term.expect(`dbctl .*\n`)
	term.Send("a line\n")
	term.expect(`got a line\n`)
	term.expect(proctest.Prompt)
}

// A pipeline is one job.
func TestPipeline(t *testing.T) {
	t.Parallel()
	term := newTerminal(t, nil)
	term.Send("spin 300 | " + profileSlowly + "spin 700 | cat\n")
	dir := term.runDir("spin", 10)
	term.Send("\x1a")
	term.expect(`Stopped .*\n`)
	term.expect(proctest.Prompt)
	before := len(samplesOf(dir))
	term.Send("fg\n")
	term.runDir("spin", before+10)
	term.expect(proctest.Prompt)
	if out := term.Run("echo status $?"); out != "status 0\n" {
		t.Errorf("at the end it printed %q", out)
	}
}

// With -pty the program has a terminal of its own, of the size of ours.
func TestPty(t *testing.T) {
	t.Parallel()
	term := newTerminal(t, &pty.Winsize{Rows: 33, Cols: 111})
	term.Send("dbctl -pty profile.dbctl tty\n")
	term.expect(`isatty 1 1 1\nsize 33x111\nforeground 1\n`)
	term.Send("a line\n")
	term.expect(`got a line\n`)
	term.Send("\x04")
	term.expect(proctest.Prompt)

	// Its output is a terminal's even where ours is none; what is not there of
	// our input is not there of its.
	if out := term.Run("dbctl -pty profile.dbctl tty </dev/null | cat"); !strings.Contains(out, "isatty 1 1 1\nsize ") {
		t.Errorf("it printed %q", out)
	}
	if out := term.Run("seq 3 | dbctl -pty profile.dbctl tty | grep got"); !strings.Contains(out, "got 1\ngot 2\ngot 3\n") {
		t.Errorf("it printed %q", out)
	}
	term.Send("dbctl -pty -D interval=2000 profile.dbctl spin 60000; echo status $?\n")
	term.runDir("spin", 5)
	term.Send("\x03")
	term.expect(`status 130\n`)
	term.expect(proctest.Prompt)

	// Without it, the terminal is the shell's.
	term.Send("dbctl profile.dbctl tty\n")
	term.expect(`isatty 1 1 1\nsize 33x111\nforeground 1\n`)
	term.Send("\x04")
	term.expect(proctest.Prompt)
	if out := term.Run("stty -a"); !strings.Contains(out, "isig icanon") {
		t.Errorf("the terminal is left as %q", out)
	}
}

// targetOf is the process of a run.
func targetOf(t *testing.T, dir string) int {
	t.Helper()
	r, err := data.Open(dir)
	if r == nil {
		t.Fatal(err)
	}
	return r.Meta.Pid
}

// checkSampled wants that samples account for this percentage of the CPU time,
// and for not much more than all.
func checkSampled(t *testing.T, dir string, percent float64) {
	t.Helper()
	r, err := data.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var weight uint64
	for _, s := range samplesOf(dir) {
		weight += s.Weight
	}
	got, want := float64(weight), float64(r.Meta.CPU.Microseconds())
	if share := 100 * got / want; share < percent || share > 110 {
		t.Errorf("the samples make %.0f%% of the CPU time, %v", share, r.Meta.CPU)
	}
}
