package examples_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// collectors are the ways in which profile samples a program that it runs.
var collectors = map[string][]string{
	"library":  {"profile"},
	"kernel":   {"profile", "-k"},
	"debugger": {"profile", "-gdb"},
}

// TestInterrupt: ^C ends a profiled program as it would without us, or runs its
// handler, and the report comes all the same.
func TestInterrupt(t *testing.T) {
	const work = "i=0; while [ $i -lt 500000 ]; do i=$((i + 1)); done; echo ready; while :; do :; done"
	for collector, command := range collectors {
		for _, tt := range []struct {
			name, setup string
			key         string
			status      int
		}{
			{"default", "", "\x03", 130},
			{"caught", "trap 'exit 7' INT; ", "\x03", 7},
			{"quit", "ulimit -c 0; ", "\x1c", 131},
		} {
			t.Run(collector+"/"+tt.name, func(t *testing.T) {
				term := start(t, command[0], append(command[1:], "sh", "-c", tt.setup+work)...)
				term.expect("ready")
				term.send(tt.key)
				term.expect(" samples, clock ")
				if status := term.wait(); status != tt.status {
					t.Errorf("exit status %d, want %d\n%s", status, tt.status, term.text())
				}
			})
		}
	}
}

// TestStop: ^Z stops the job, the shell gets its terminal, fg continues the program.
func TestStop(t *testing.T) {
	for collector, command := range collectors {
		t.Run(collector, func(t *testing.T) {
			term := start(t, "bash", "--norc", "-i")
			term.send("PS1='shell> '\n")
			term.expect("\nshell> ")
			term.send(strings.Join(command, " ") + " -O $PCT_DIR/report sh -c 'echo pid:$$:; while read line && [ $line != end ]; do echo got $line; done; exit 5'\n")
			term.expect("pid:")
			pid := term.until(":")
			for _, word := range []string{"one", "two", "three"} {
				// An answer tells that the program runs and has the terminal.
				term.send(word + "\n")
				term.expect("got " + word)
				term.send("\x1a")
				term.expect("Stopped")
				term.expect("shell> ")
				// The shell only waits for its own child. What is typed before the
				// program has stopped too may go to the program.
				awaitStop(t, pid)
				term.send("fg\n")
			}
			term.send("end\n")
			term.expect("shell> ")
			term.send("echo status=$?\n")
			term.expect("status=5")
			term.send("exit\n")
			term.wait()
		})
	}
}

// TestHangUp: a program that heeds the end of its terminal outlives it, and the report comes. The shell
// has told all of the job; what samples from outside is not to end the program as if profile alone had been told.
func TestHangUp(t *testing.T) {
	const work = `trap 'echo HUP >>came' HUP; trap 'echo TERM >>came; exit 1' TERM; echo ready:
i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done # to be sampled
while [ ! -e end ]; do sleep 0.05; echo .; done`
	for collector, command := range collectors {
		t.Run(collector, func(t *testing.T) {
			term := start(t, "bash", "--norc", "-i")
			file := func(name string) string { return filepath.Join(term.cmd.Dir, name) }
			await := func(name, text string) {
				t.Helper()
				for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
					if b, _ := os.ReadFile(file(name)); strings.Contains(string(b), text) {
						return
					} else if time.Now().After(end) {
						t.Fatalf("no %q in %s: %q", text, name, b)
					}
				}
			}
			if err := os.WriteFile(file("work"), []byte(work), 0o644); err != nil {
				t.Fatal(err)
			}
			term.send(strings.Join(command, " ") + " -i 1ms -O report sh work\n")
			term.expect("ready:")
			term.side.Close() // as soon as the next dot is read
			await("came", "HUP")
			time.Sleep(300 * time.Millisecond) // another one would come within this time
			if err := os.WriteFile(file("end"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			await("report", "# sh work")
			if b, _ := os.ReadFile(file("came")); strings.Contains(string(b), "TERM") {
				t.Errorf("of a hang-up came %q", b)
			}
		})
	}
}

// A terminal is a session with a command in it, and what it has printed.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	side *os.File // ours

	mu      sync.Mutex
	all     bytes.Buffer
	grown   chan struct{} // a token after each growth
	read    int           // how much expect has consumed
	drained chan struct{} // closed once the other side is gone
}

// patience is how long a test waits for what must come; machines are slow at times.
const patience = 60 * time.Second

func start(t *testing.T, command string, args ...string) *terminal {
	t.Helper()
	bin := filepath.Join(prefix, "bin")
	if path := filepath.Join(bin, command); exists(path) {
		command = path
	}
	cmd := exec.Command(command, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+bin+":/usr/bin:/bin", "PCT_DIR="+t.TempDir(), "TERM=dumb", "HISTFILE=/dev/null")
	side, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, cmd: cmd, side: side, grown: make(chan struct{}, 1), drained: make(chan struct{})}
	go term.drain()
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		side.Close()
		<-term.drained
		if cmd.ProcessState == nil {
			cmd.Wait()
		}
	})
	return term
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (term *terminal) drain() {
	defer close(term.drained)
	buf := make([]byte, 4096)
	for {
		n, err := term.side.Read(buf)
		term.mu.Lock()
		term.all.Write(buf[:n])
		term.mu.Unlock()
		select {
		case term.grown <- struct{}{}:
		default:
		}
		if err != nil {
			return // EIO: the last process has closed the terminal
		}
	}
}

func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.all.String()
}

func (term *terminal) send(keys string) {
	term.t.Helper()
	if _, err := io.WriteString(term.side, keys); err != nil {
		term.t.Fatal(err)
	}
}

// expect waits until the text is printed, after what was expected before.
func (term *terminal) expect(text string) {
	term.t.Helper()
	deadline := time.After(patience)
	for {
		all := term.text()
		if i := strings.Index(all[term.read:], text); i >= 0 {
			term.read += i + len(text)
			return
		}
		select {
		case <-term.grown:
		case <-term.drained:
			if !strings.Contains(term.text()[term.read:], text) {
				term.t.Fatalf("the end came before %q:\n%s", text, term.text())
			}
		case <-deadline:
			term.t.Fatalf("no %q after %v:\n%s", text, patience, term.text())
		}
	}
}

// until waits for a text and gives what comes before it.
func (term *terminal) until(text string) string {
	term.t.Helper()
	from := term.read
	term.expect(text)
	return strings.TrimSuffix(term.text()[from:term.read], text)
}

// awaitStop waits until a process has stopped: proc(5) shows that as T, or as t of
// one that is traced.
func awaitStop(t *testing.T, pid string) {
	t.Helper()
	var stat []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		var err error
		if stat, err = os.ReadFile("/proc/" + pid + "/stat"); err != nil {
			t.Fatal(err)
		}
		if state := string(stat[bytes.LastIndexByte(stat, ')')+1:]); strings.HasPrefix(strings.ToUpper(state), " T ") {
			return
		}
	}
	t.Fatalf("process %s has not stopped: %s", pid, stat)
}

// wait waits for the command's end and gives its exit status as a shell would.
func (term *terminal) wait() int {
	term.t.Helper()
	select {
	case <-term.drained:
	case <-time.After(patience):
		term.t.Fatalf("not ended after %v:\n%s", patience, term.text())
	}
	var exit *exec.ExitError
	if err := term.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		term.t.Fatal(err)
	}
	ws := term.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}
