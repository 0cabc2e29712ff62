package main_test

import (
	"io"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// shell is an interactive one, at a terminal of its own.
type shell struct {
	*ring
	tty  io.ReadWriteCloser
	mu   sync.Mutex
	text string // printed, and not expected yet
}

const prompt = "READY> "

func newShell(t *testing.T) *shell {
	t.Helper()
	s := &shell{ring: command(t)}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-i")
	cmd.Dir, cmd.Env = s.Dir, append(s.Env, "PS1="+prompt, "TERM=dumb", "HISTFILE=")
	s.Cmd = cmd
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	s.tty = tty
	read := make(chan struct{})
	go func() {
		defer close(read)
		b := make([]byte, 4096)
		for {
			n, err := tty.Read(b)
			s.mu.Lock()
			s.text += strings.ReplaceAll(string(b[:n]), "\r", "")
			s.mu.Unlock()
			if err != nil {
				return // EIO
			}
		}
	}()
	t.Cleanup(func() {
		s.send("\x03\nj=$(jobs -p); [ -z \"$j\" ] || kill -KILL $j; exit\n")
		kill := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		kill.Stop()
		tty.Close()
		<-read
	})
	s.expect(regexp.QuoteMeta(prompt))
	s.run("stty -echo")
	return s
}

func (s *shell) send(keys string) { io.WriteString(s.tty, keys) }

// expect waits for a text, and returns what came before it.
func (s *shell) expect(pattern string) (before string) {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	until(s.t, "the terminal to print "+pattern, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		loc := re.FindStringIndex(s.text)
		if loc != nil {
			before, s.text = s.text[:loc[0]], s.text[loc[1]:]
		}
		return loc != nil
	})
	return before
}

// run gives it a command, and returns what that printed.
func (s *shell) run(command string) string {
	s.t.Helper()
	s.send(command + "\n")
	return s.expect(regexp.QuoteMeta(prompt))
}

// The keys that end a program end it, or are its own affair; the run is complete.
func TestInterrupt(t *testing.T) {
	for name, tt := range map[string]struct{ command, prog, keys, status string }{
		"interrupt": {"spin 0", "spin", "\x03", "130"},
		"quit":      {"spin 0", "spin", "\x1c", "131"},
		"caught":    {`sh -c 'trap "exit 5" INT; while :; do :; done'`, "dash", "\x03", "5"},
		"ignored":   {`sh -c 'trap "" INT; trap "exit 6" QUIT; while :; do :; done'`, "dash", "\x03\x03\x1c", "6"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			s.run("ulimit -c 0")
			s.send("pct-ring -F 997 " + tt.command + "\n")
			s.await(tt.prog, 10)
			s.send(tt.keys)
			s.expect(regexp.QuoteMeta(prompt))
			if got := strings.TrimSpace(s.run("echo $?")); got != tt.status {
				t.Errorf("exit status %s, want %s", got, tt.status)
			}
			if m := s.only(tt.prog).Meta; m.State != "complete" {
				t.Errorf("%+v", m)
			}
		})
	}
}

// ^Z gives the terminal back to the shell, and the job goes on in its foreground or
// background.
func TestStop(t *testing.T) {
	s := newShell(t)
	s.send("pct-ring -F 997 spin 0\n")
	dir := s.await("spin", 10)
	for range 3 {
		s.send("\x1a")
		s.expect(`Stopped.*\n(.*\n)?` + regexp.QuoteMeta(prompt))
		if got := strings.TrimSpace(s.run("jobs -s | grep -c pct-ring")); got != "1" {
			t.Fatalf("%s jobs are stopped", got)
		}
		before := len(s.only("spin").Samples())
		s.send("fg\n")
		s.await("spin", before+10)
	}
	s.send("\x1a")
	s.expect(regexp.QuoteMeta(prompt))
	s.run("bg")
	before := len(s.only("spin").Samples())
	s.await("spin", before+10)
	if got := s.run("kill -TERM %1; wait %1; echo =$?"); !strings.Contains(got, "=143") {
		t.Errorf("killed, it says %q", got)
	}
	until(t, "the end of "+dir, func() bool { return s.only("spin").Meta.State == "complete" })
}
