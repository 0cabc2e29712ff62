package treetest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
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
	term.send(fmt.Sprintf("%ssh -c 'survivor %s plain 50; echo ended $?'; echo status $?\n", prefix, result))
	term.awaitJob("runs", false)
	var told strings.Builder
	for range 2 {
		term.send("\x1a")
		told.WriteString(term.expect(`status \d+\n`))
		term.expect(prompt)
		term.awaitJob("stops at ^Z", true)
		term.send("fg; echo status $?\n")
		term.awaitJob("runs in the foreground", false)
	}
	term.send("\x1a")
	term.expect(`status \d+\n`)
	term.expect(prompt)
	term.awaitJob("stops at ^Z", true)
	term.run("bg")
	term.awaitJob("runs in the background", false)
	worker := term.job("survivor")
	unix.Kill(worker, unix.SIGSTOP)
	term.awaitState(worker, true)
	unix.Kill(worker, unix.SIGCONT)
	term.awaitState(worker, false)
	for _, pid := range []int{worker, term.job("dash")} {
		term.run(fmt.Sprintf("kill -TSTP %d", pid))
		term.awaitState(pid, true)
	}
	term.run("kill -CONT %1")
	term.awaitJob("goes on", false)
	if err := os.WriteFile(result+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	term.send("wait %1; echo status $?\n")
	term.expect(`ended 7\n`)
	told.WriteString(term.expect(`status \d+\n`))
	text, err := os.ReadFile(result)
	if err != nil {
		t.Error(err)
	}
	words := regexp.MustCompile(`\](?:[-+] *)(Stopped|Done|Exit \d+)|status \d+`).FindAllString(told.String(), -1)
	return strings.Join(words, "\n") + "\n" + string(text)
}

// terminal is an interactive shell at a terminal of its own, with job control.
type terminal struct {
	t    *testing.T
	tty  *os.File
	mark string // in the environment of all of its processes
	mu   sync.Mutex
	text string // all that was printed
	at   int    // what expect has seen of it
}

const prompt = "READY> "

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-i")
	cmd.Dir = t.TempDir()
	term := &terminal{t: t, mark: "TREETEST_TERMINAL=" + cmd.Dir}
	cmd.Env = environment("PS1="+prompt, "TERM=dumb", "HISTFILE=", term.mark)
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	term.tty = tty
	read := make(chan struct{})
	go func() {
		defer close(read)
		b := make([]byte, 4096)
		for {
			n, err := tty.Read(b)
			term.mu.Lock()
			term.text += strings.ReplaceAll(string(b[:n]), "\r", "")
			term.mu.Unlock()
			if err != nil {
				return // EIO: the shell has ended
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			term.mu.Lock()
			t.Logf("the terminal:\n%s", term.text)
			term.mu.Unlock()
		}
		for _, pid := range marked(term.mark) {
			unix.Kill(pid, unix.SIGKILL)
		}
		cmd.Wait()
		<-read
		tty.Close()
	})
	term.expect(prompt)
	term.run("stty -echo")
	return term
}

// send types.
func (term *terminal) send(keys string) {
	if _, err := term.tty.WriteString(keys); err != nil {
		term.t.Errorf("the terminal is gone: %v", err)
	}
}

// expect waits for a text that has not been seen, and returns all up to its end.
func (term *terminal) expect(pattern string) string {
	term.t.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.Now().Add(patience)
	for {
		term.mu.Lock()
		fresh := term.text[term.at:]
		loc := re.FindStringIndex(fresh)
		if loc != nil {
			term.at += loc[1]
		}
		term.mu.Unlock()
		if loc != nil {
			return fresh[:loc[1]]
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("the terminal does not print %q but %q", pattern, fresh)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// run gives the shell a command, and waits for the next prompt.
func (term *terminal) run(command string) {
	term.t.Helper()
	term.send(command + "\n")
	term.expect(regexp.QuoteMeta(prompt))
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
	await(term.t, fmt.Sprintf("%s is stopped: %v", describe(pid), stopped), func() bool {
		state := statusField(pid, "State")
		if state == "" || strings.ContainsAny(state[:1], "Tt") != stopped {
			seen = 0
			return false
		}
		seen++
		return !stopped || seen == often
	})
}
