package treetest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
)

// A job at a terminal, of several processes, stops and goes on as it does by
// itself: at ^Z, fg, bg, and signals to one of it.
func TestTerminal(t *testing.T) {
	want := atTerminal(t, "")
	for name, flags := range map[string]string{"sampled": "profile.dbctl", "with a debugger": script(t, "eval.dbctl")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if got := atTerminal(t, "dbctl -o "+root+" -D interval=1000 "+flags+" "); got != want {
				t.Errorf("the terminal shows\n%s\nwant\n%s", got, want)
			}
			if samplesIn(root) < 10 {
				t.Errorf("there are %d samples", samplesIn(root))
			}
		})
	}
}

// atTerminal runs a job, whose command has this prefix, through all that a user
// may do with it. It returns what the shell tells of it.
func atTerminal(t *testing.T, prefix string) string {
	t.Helper()
	result := filepath.Join(t.TempDir(), "result")
	term := newTerminal(t)
	term.Send(fmt.Sprintf("%ssh -c 'survivor %s plain 50; echo ended $?'; echo status $?\n", prefix, result))
	term.awaitJob("runs", false)
	var told strings.Builder
	for range 2 {
		term.Send("\x1a")
		told.WriteString(term.expect(`status \d+\n`))
		term.expect(proctest.Prompt)
		term.awaitJob("stops at ^Z", true)
		term.Send("fg; echo status $?\n")
		term.awaitJob("runs in the foreground", false)
	}
	term.Send("\x1a")
	term.expect(`status \d+\n`)
	term.expect(proctest.Prompt)
	term.awaitJob("stops at ^Z", true)
	term.Run("bg")
	term.awaitJob("runs in the background", false)
	worker := term.job("survivor")
	unix.Kill(worker, unix.SIGSTOP)
	term.awaitState(worker, true)
	unix.Kill(worker, unix.SIGCONT)
	term.awaitState(worker, false)
	for _, pid := range []int{worker, term.job("dash")} {
		term.Run(fmt.Sprintf("kill -TSTP %d", pid))
		term.awaitState(pid, true)
	}
	term.Run("kill -CONT %1")
	term.awaitJob("goes on", false)
	if err := os.WriteFile(result+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	term.Send("wait %1; echo status $?\n")
	term.expect(`ended 7\n`)
	told.WriteString(term.expect(`status \d+\n`))
	text, err := os.ReadFile(result)
	if err != nil {
		t.Error(err)
	}
	words := regexp.MustCompile(`\](?:[-+] *)(Stopped|Done|Exit \d+)|status \d+`).FindAllString(told.String(), -1)
	return strings.Join(words, "\n") + "\n" + string(text)
}

// terminal is a shell whose processes are known by a mark.
type terminal struct {
	*proctest.Terminal
	t    *testing.T
	mark string // in the environment of all of its processes
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	dir := t.TempDir()
	term := &terminal{t: t, mark: "TREETEST_TERMINAL=" + dir}
	term.Terminal = proctest.NewTerminal(t, dir, environment(term.mark), nil, func(*proctest.Terminal) {
		for _, pid := range marked(term.mark) {
			unix.Kill(pid, unix.SIGKILL)
		}
	})
	return term
}

// expect waits for a text that has not been seen, and returns all up to its end.
func (term *terminal) expect(pattern string) string {
	term.t.Helper()
	before, match := term.Expect(pattern)
	return before + match
}

// job is the process of the terminal that executes a program, 0 if none does.
func (term *terminal) job(program string) int {
	for _, pid := range marked(term.mark) {
		if programOf(pid) == program {
			return pid
		}
	}
	return 0
}

// awaitJob waits until both processes of the job are stopped, or both are not.
func (term *terminal) awaitJob(what string, stopped bool) {
	term.t.Helper()
	for _, program := range []string{"dash", "survivor"} {
		await(term.t, program+" "+what, func() bool { return term.job(program) != 0 })
		term.awaitState(term.job(program), stopped)
	}
}

// awaitState waits until a process is stopped and stays so, or is not. A traced
// one that is stopped for its shell is not told from one that is for its tracer,
// but by how long.
func (term *terminal) awaitState(pid int, stopped bool) {
	term.t.Helper()
	const often = 25
	seen := 0
	await(term.t, fmt.Sprintf("%s is stopped: %v", proctest.Describe(pid), stopped), func() bool {
		state := proctest.Status(pid, "State")
		if state == "" || strings.ContainsAny(state[:1], "Tt") != stopped {
			seen = 0
			return false
		}
		seen++
		return !stopped || seen == often
	})
}
