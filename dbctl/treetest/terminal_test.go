package treetest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	worker, shell := term.awaitJob("survivor")
	term.awaitStates("it runs", false, worker, shell)
	var told strings.Builder
	for range 2 {
		term.Send("\x1a")
		told.WriteString(term.expect(`status \d+\n`))
		term.expect(proctest.Prompt)
		term.awaitStates("it stops at ^Z", true, worker, shell)
		term.Send("fg; echo status $?\n")
		term.awaitStates("it runs in the foreground", false, worker, shell)
	}
	term.Send("\x1a")
	term.expect(`status \d+\n`)
	term.expect(proctest.Prompt)
	term.awaitStates("it stops at ^Z", true, worker, shell)
	term.Run("bg")
	term.awaitStates("it runs in the background", false, worker, shell)
	unix.Kill(worker, unix.SIGSTOP)
	term.awaitStates("one is stopped", true, worker)
	unix.Kill(worker, unix.SIGCONT)
	term.awaitStates("and continued", false, worker)
	for _, pid := range []int{worker, shell} {
		term.Run(fmt.Sprintf("kill -TSTP %d", pid))
		term.awaitStates("the shell stops it", true, pid)
	}
	term.Run("kill -CONT %1")
	term.awaitStates("it goes on", false, worker, shell)
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
			if t.Failed() {
				t.Logf("of the terminal is %s", proctest.Describe(pid))
			}
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

// awaitJob waits until a process of the terminal executes a program, and returns its parent, too.
// While a process begins to execute another program it has no environment, and thus no mark, for an instant.
func (term *terminal) awaitJob(program string) (pid, parent int) {
	term.t.Helper()
	await(term.t, program+" runs", func() bool {
		i := slices.IndexFunc(marked(term.mark), func(p int) bool { pid = p; return programOf(p) == program })
		return i >= 0
	})
	parent, err := strconv.Atoi(proctest.Status(pid, "PPid"))
	if err != nil {
		term.t.Fatal(err)
	}
	return pid, parent
}

// awaitStates waits until processes are stopped and stay so, or are not. A traced
// one that is stopped for its shell is not told from one that is for its tracer,
// but by how long.
func (term *terminal) awaitStates(what string, stopped bool, pids ...int) {
	term.t.Helper()
	const often = 25
	for _, pid := range pids {
		seen := 0
		await(term.t, fmt.Sprintf("%s: process %d is stopped: %v", what, pid, stopped), func() bool {
			state := proctest.Status(pid, "State")
			if state == "" || strings.ContainsAny(state[:1], "Tt") != stopped {
				seen = 0
				return false
			}
			seen++
			return !stopped || seen == often
		})
	}
}
