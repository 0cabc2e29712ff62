package proctest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// patience bounds every wait for what a terminal is to print.
const patience = time.Minute

// Prompt is the shell's.
const Prompt = "READY> "

// Terminal is an interactive shell at a terminal of its own, with job control.
type Terminal struct {
	Cmd *exec.Cmd // the shell

	t    *testing.T
	tty  *os.File
	mu   sync.Mutex
	text string // all that was printed
	at   int    // what Expect has seen of it
}

// NewTerminal starts the shell in a directory, with an environment; size may be
// nil. When the test ends so does the shell, after end has been called, which is to
// end its jobs.
func NewTerminal(t *testing.T, dir string, env []string, size *pty.Winsize, end func(*Terminal)) *Terminal {
	t.Helper()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-i")
	cmd.Dir = dir
	cmd.Env = append(env, "PS1="+Prompt, "TERM=dumb", "HISTFILE=")
	tty, err := pty.StartWithSize(cmd, size)
	if err != nil {
		t.Fatal(err)
	}
	term := &Terminal{Cmd: cmd, t: t, tty: tty}
	read := make(chan struct{})
	go func() {
		defer close(read)
		term.read()
	}()
	t.Cleanup(func() {
		end(term)
		cmd.Wait()
		<-read
		tty.Close()
		if t.Failed() {
			t.Logf("the terminal:\n%s", term.text)
		}
	})
	term.Expect(Prompt)
	term.Run("stty -echo")
	return term
}

// read keeps what is printed, until the shell has ended.
func (term *Terminal) read() {
	b := make([]byte, 4096)
	for {
		n, err := term.tty.Read(b)
		term.mu.Lock()
		term.text += strings.ReplaceAll(string(b[:n]), "\r", "")
		term.mu.Unlock()
		if err != nil {
			return // EIO
		}
	}
}

// Send types.
func (term *Terminal) Send(keys string) {
	if _, err := term.tty.WriteString(keys); err != nil {
		term.t.Errorf("the terminal is gone: %v", err)
	}
}

// Expect waits for a text that has not been seen, and returns what came before
// it, and the text.
func (term *Terminal) Expect(pattern string) (before, match string) {
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
			return fresh[:loc[0]], fresh[loc[0]:loc[1]]
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("the terminal does not print %q but %q", pattern, fresh)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Run gives the shell a command, and returns what it printed until the next
// prompt.
func (term *Terminal) Run(command string) string {
	term.t.Helper()
	term.Send(command + "\n")
	before, _ := term.Expect(regexp.QuoteMeta(Prompt))
	return before
}
