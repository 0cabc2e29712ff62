package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/profilecollection/pct/pct/data"
)

// terminal is a command on a terminal of its own, and what it has shown.
type terminal struct {
	t    *testing.T
	pty  *os.File
	cmd  *exec.Cmd
	lock sync.Mutex
	seen []byte
	more chan struct{} // something was shown, or the command ended
}

// deadline is how long a test waits for what must come.
const deadline = 60 * time.Second

// newTop starts pct top on a terminal of this size.
func newTop(t *testing.T, rows, columns uint16, args ...string) *terminal {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	link := filepath.Join(t.TempDir(), "pct") // testscript's main runs the command of this name
	check(t, os.Symlink(self, link))
	script := filepath.Join(filepath.Dir(link), "translator")
	check(t, os.WriteFile(script, []byte("#!/bin/sh\nwhile read -r line; do echo 'work|?|?'; done\n"), 0o700))
	x := &terminal{t: t, more: make(chan struct{}, 1)}
	x.cmd = exec.Command(link, append([]string{"top", "-i", "10ms", "-translator", script}, args...)...)
	x.cmd.Env = append(os.Environ(), "GORACE="+promptly)
	x.pty, err = pty.StartWithSize(x.cmd, &pty.Winsize{Rows: rows, Cols: columns})
	check(t, err)
	t.Cleanup(func() {
		x.cmd.Process.Kill()
		x.pty.Close()
	})
	go x.read()
	return x
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (x *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := x.pty.Read(buf)
		x.lock.Lock()
		x.seen = append(x.seen, buf[:n]...)
		x.lock.Unlock()
		select {
		case x.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// wait waits until what was shown from the given place on is as wanted, and returns
// the place after it.
func (x *terminal) wait(what string, from int, ok func(shown []byte) bool) int {
	x.t.Helper()
	limit := time.After(deadline)
	for {
		x.lock.Lock()
		end, shown := len(x.seen), bytes.Clone(x.seen[from:])
		x.lock.Unlock()
		if ok(shown) {
			return end
		}
		select {
		case <-x.more:
		case <-limit:
			x.t.Fatalf("%s was never shown, but at last %q", what, shown[max(0, len(shown)-1000):])
		}
	}
}

func (x *terminal) waitFor(text string, from int) int {
	x.t.Helper()
	return x.wait(text, from, func(shown []byte) bool { return bytes.Contains(shown, []byte(text)) })
}

// ends waits for the end of the command, which must be a success and leave the
// terminal as it was.
func (x *terminal) ends() {
	x.t.Helper()
	x.wait("a terminal given back", 0, func(shown []byte) bool {
		return bytes.HasPrefix(shown, []byte(enterScreen)) && bytes.HasSuffix(shown, []byte(leaveScreen)) &&
			bytes.Count(shown, []byte(enterScreen)) == bytes.Count(shown, []byte(leaveScreen))
	})
	if err := x.cmd.Wait(); err != nil {
		x.t.Error(err)
	}
}

// liveRun makes a run directory that is being written, of so many samples.
func liveRun(t *testing.T, root, prog string, pid, samples int) *data.Writer {
	t.Helper()
	d, err := data.Create(root, prog, pid)
	check(t, err)
	check(t, d.WriteMeta(data.Meta{Pid: pid, Argv: []string{prog}, State: "running", Start: time.Now()}))
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond, Start: time.Now()})
	check(t, err)
	addTo(t, w, samples)
	check(t, d.Close())
	return w
}

func addTo(t *testing.T, w *data.Writer, samples int) {
	t.Helper()
	node := w.Node(0, w.Object("/bin/p", "", 0, 0, 0x1000, 0), 0x10)
	for range samples {
		check(t, w.Sample(data.Sample{Node: node, Weight: 10000, Thread: 7}))
	}
}

// TestTopFollows shows samples and runs that come while it is watching, until q.
func TestTopFollows(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	x := newTop(t, 24, 100, root)
	at := x.waitFor("0 of 0 processes alive", 0)
	w := liveRun(t, root, "one", 7, 3)
	at = x.waitFor("1 of 1 process alive   3 samples", at)
	addTo(t, w, 4)
	at = x.waitFor("1 of 1 process alive   7 samples", at)
	w2 := liveRun(t, root, "two", 8, 1)
	at = x.waitFor("2 of 2 processes alive   8 samples", at)
	at = x.waitFor(" 100.0%   100.0%   work", at)
	check(t, w.Close()) // without a last word
	at = x.waitFor("1 of 2 processes alive", at)
	check(t, w2.Close())
	check(t, os.RemoveAll(root))
	x.waitFor("no samples yet", at)
	_, err := x.pty.WriteString("q")
	check(t, err)
	x.ends()
}

// TestTopSize keeps frames within the terminal, also when that gets another size.
func TestTopSize(t *testing.T) {
	root := t.TempDir()
	w := liveRun(t, root, "one", 7, 3)
	defer w.Close()
	x := newTop(t, 2, 20, root)
	whole := func(columns, rows int) func([]byte) bool {
		return func(shown []byte) bool {
			frames := strings.Split(string(shown), home)
			if len(frames) < 3 {
				return false
			}
			lines := strings.Split(strings.TrimSuffix(frames[len(frames)-2], clearBelow), "\r\n")
			longest := 0
			for _, line := range lines {
				longest = max(longest, len(strings.TrimSuffix(line, clearLine)))
			}
			return len(lines) == rows && longest == columns
		}
	}
	at := x.wait("a frame of 2 rows and 20 columns", 0, whole(20, 2))
	check(t, pty.Setsize(x.pty, &pty.Winsize{Rows: 1, Cols: 30}))
	at = x.wait("a frame of 1 row and 30 columns", at, whole(30, 1))
	check(t, pty.Setsize(x.pty, &pty.Winsize{Rows: 50, Cols: 300}))
	x.waitFor("cores)"+clearLine, at)
	_, err := x.pty.Write([]byte{interruptKey})
	check(t, err)
	x.ends()
}

// TestTopEnds ends in all other ways: by a signal, after a number of frames, and
// when the terminal goes away.
func TestTopEnds(t *testing.T) {
	root := t.TempDir()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		x := newTop(t, 24, 80, root)
		x.waitFor(home, 0)
		check(t, x.cmd.Process.Signal(sig))
		x.ends()
	}
	x := newTop(t, 24, 80, "-n", "3", root)
	x.ends()
	x.lock.Lock()
	n := bytes.Count(x.seen, []byte(home))
	x.lock.Unlock()
	if n != 3 {
		t.Errorf("%d frames, want 3", n)
	}
	x = newTop(t, 24, 80, root)
	x.waitFor(home, 0)
	check(t, x.pty.Close())
	done := make(chan error, 1)
	go func() { done <- x.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(deadline):
		t.Error("it goes on without a terminal")
	}
}

// TestTopSuspends gives the terminal to the shell at ^Z, and takes it back.
func TestTopSuspends(t *testing.T) {
	x := newTop(t, 24, 80, t.TempDir())
	at := x.waitFor(home, 0)
	_, err := x.pty.Write([]byte{suspendKey})
	check(t, err)
	at = x.waitFor(leaveScreen, at)
	// There is no shell here: the kernel lets nobody stop, and it goes on by itself.
	at = x.waitFor(enterScreen, at)
	x.waitFor(home, at)
	_, err = fmt.Fprint(x.pty, "q")
	check(t, err)
	x.ends()
}
