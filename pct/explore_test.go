package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/profilecollection/pct/pct/data"
)

// exploredNames are the functions of a chain, from main inwards, each with 10 samples in
// its body. main calls 30 others, f00 to f29, with one sample each.
var exploredNames = []string{"main", "alpha", "alphabet", "operator new(unsigned long)", "std::sort(int*, int*)", "beta"}

// explored makes a run directory of these, and a translator for it.
func explored(t *testing.T) (dir, translator string) {
	t.Helper()
	root := t.TempDir()
	d, err := data.Create(root, "prog", 7)
	check(t, err)
	check(t, d.WriteMeta(data.Meta{Pid: 7, Argv: []string{"prog"}, State: "complete", Start: time.Now()}))
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond, Start: time.Now()})
	check(t, err)
	object := w.Object("/bin/p", "", 0, 0, 0x1000, 0)
	script := "#!/bin/sh\nwhile read -r line; do case $line in\n"
	add := func(parent data.NodeID, number, samples int, name string) data.NodeID {
		script += fmt.Sprintf("*0x%x) echo '%s|?|?' ;;\n", 0x100+number, name)
		node := w.Node(parent, object, uint64(0x100+number))
		for range samples {
			check(t, w.Sample(data.Sample{Node: node, Weight: 10000, Thread: 7}))
		}
		return node
	}
	var node, outermost data.NodeID
	for i, name := range exploredNames {
		if node = add(node, i, 10, name); i == 0 {
			outermost = node
		}
	}
	for i := range 30 {
		add(outermost, 0x100+i, 1, fmt.Sprintf("f%02d", i))
	}
	check(t, w.Close())
	check(t, d.Close())
	translator = filepath.Join(root, "translator")
	check(t, os.WriteFile(translator, []byte(script+"*) echo '?|?|?' ;; esac; done\n"), 0o700))
	return d.Path(), translator
}

// newExplorer starts pct explore on a terminal of its own, with its state in a
// directory.
func newExplorer(t *testing.T, state string, env ...string) *terminal {
	t.Helper()
	dir, translator := explored(t)
	self, err := os.Executable()
	check(t, err)
	link := filepath.Join(t.TempDir(), "pct")
	check(t, os.Symlink(self, link))
	x := &terminal{t: t, more: make(chan struct{}, 1)}
	x.cmd = exec.Command(link, "explore", "-threshold", "0", "-translator", translator, dir)
	x.cmd.Env = append(append(os.Environ(), "GORACE="+promptly, "TERM=xterm", "XDG_STATE_HOME="+state), env...)
	x.pty, err = pty.StartWithSize(x.cmd, &pty.Winsize{Rows: 24, Cols: 100})
	check(t, err)
	t.Cleanup(func() {
		x.cmd.Process.Kill()
		x.pty.Close()
	})
	go x.read()
	return x
}

const firstPrompt = "main down 0%> "

// types writes keys, and waits for what is shown then.
func (x *terminal) types(at int, keys, shown string) int {
	x.t.Helper()
	_, err := x.pty.WriteString(keys)
	check(x.t, err)
	return x.waitFor(shown, at)
}

// does types a line, and waits for what is shown then and for the next prompt: before
// that the terminal is not yet ready for keys such as ^Z.
func (x *terminal) does(at int, keys, shown string) int {
	x.t.Helper()
	_, err := x.pty.WriteString(keys)
	check(x.t, err)
	return x.wait(shown, at, func(seen []byte) bool {
		_, after, found := bytes.Cut(seen, []byte(shown))
		return found && bytes.HasSuffix(append([]byte(shown), after...), []byte("> "))
	})
}

// left waits for the end of the command, and holds that the terminal is as new.
func (x *terminal) left() error {
	x.t.Helper()
	done := make(chan error, 1)
	go func() { done <- x.cmd.Wait() }()
	var status error
	select {
	case status = <-done:
	case <-time.After(deadline):
		x.t.Fatal("it does not end")
	}
	fresh, tty, err := pty.Open()
	check(x.t, err)
	defer fresh.Close()
	defer tty.Close()
	want, err := term.GetState(int(fresh.Fd()))
	check(x.t, err)
	got, err := term.GetState(int(x.pty.Fd()))
	check(x.t, err)
	if fmt.Sprint(*got) != fmt.Sprint(*want) {
		x.t.Errorf("the terminal is %v, want %v", *got, *want)
	}
	return status
}

// TestExploreTerminal edits, completes and recalls lines.
func TestExploreTerminal(t *testing.T) {
	state := t.TempDir()
	x := newExplorer(t, state)
	at := x.waitFor(firstPrompt, 0)
	at = x.does(at, "roo\tbet\t\r", "# root beta\r\nbeta down 0%> ")

	// A choice is listed. ^C drops the line. Names with blanks are completed from their
	// beginning, or from what is in them.
	at = x.types(at, "up alp\t\t", "  alpha\r\n  alphabet\r\n")
	at = x.does(at, "\x03down oper\t\r", "0.22222 (\"operator new(unsigned long)\" \"std::sort(int*, int*)\") [20]\r\n")
	at = x.does(at, "through alphabet,sor\t\r", "# 20 of 90 samples are left\r\noperator new(unsigned long) down 0%*> ")
	at = x.does(at, "undo\r", "# 90 of 90 samples are left\r\n")

	// A report has no more rows than the screen; the others can be seen.
	at = x.does(at, "fn\r", "0.0111 f10 [1]\r\n# 19 functions not shown: after the first 17 rows\r\n# more shows all rows\r\n")
	at = x.does(at, "more\r", "0.0111 f29 [1]\r\noperator")
	check(t, pty.Setsize(x.pty, &pty.Winsize{Rows: 18, Cols: 100}))
	at = x.does(at, "fn\r", "0.0111 f04 [1]\r\n# 25 functions")

	// A line in the middle of which the program is stopped; there is no shell here, and
	// it goes on at once.
	at = x.does(at, "root alp\x1ahabet\r", "# root alphabet\r\n")

	// A mistake is no end. An earlier line comes back.
	at = x.does(at, "nonsense\r", "unknown command nonsense")
	x.does(at, "\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A\r", "there is no refinement\r\n")
	_, err := x.pty.WriteString("\x04")
	check(t, err)
	check(t, x.left())

	file := filepath.Join(state, "pct", "history")
	text, err := os.ReadFile(file)
	check(t, err)
	want := "root beta\ndown operator new(unsigned long)\nthrough alphabet,std::sort(int*, int*)\nundo\nfn\nmore\nfn\nroot alphabet\nnonsense\n"
	if !strings.HasPrefix(string(text), want) {
		t.Errorf("history\n%swant\n%s", text, want)
	}
	st, err := os.Stat(file)
	check(t, err)
	if st.Mode().Perm() != 0o600 {
		t.Errorf("the history has the mode %v", st.Mode())
	}

	// The next session has it.
	x = newExplorer(t, state)
	at = x.waitFor(firstPrompt, 0)
	x.does(at, "\x1b[A\x1b[A\r", "unknown command nonsense")
	_, err = x.pty.WriteString("quit\r")
	check(t, err)
	check(t, x.left())
}

// TestExploreEnds is ended by signals in the middle of a line.
func TestExploreEnds(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		x := newExplorer(t, t.TempDir())
		at := x.waitFor(firstPrompt, 0)
		x.types(at, "fn", "n")
		check(t, x.cmd.Process.Signal(sig))
		x.left()
		if status := x.cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != sig {
			t.Errorf("at %v it ended with %v", sig, x.cmd.ProcessState)
		}
	}
}

// TestExploreDumbTerminal does without editing.
func TestExploreDumbTerminal(t *testing.T) {
	x := newExplorer(t, t.TempDir(), "TERM=dumb")
	at := x.waitFor(firstPrompt, 0)
	at = x.does(at, "root beta\n", "# root beta\r\nbeta down 0%> ")
	x.does(at, "up\n", "0.11111 (beta) [10]\r\n")
	_, err := x.pty.WriteString("\x04")
	check(t, err)
	check(t, x.left())
}

// TestCompletions are those of each sort of argument.
func TestCompletions(t *testing.T) {
	dir, translator := explored(t)
	v := &invocation{command: exploreCommands()[0], warnings: io.Discard}
	check(t, v.parse([]string{"-translator", translator, dir}))
	client, err := startTranslator(translator)
	check(t, err)
	defer client.Close()
	x := &explorer{invocation: v, translator: client}
	check(t, x.open())
	for _, c := range []struct{ line, completed, list string }{
		{"f", "f", "  fn\n  frames\n"},
		{"  thro", "  through ", ""},
		{"bod", "body", ""},
		{"xyz", "xyz", ""},
		{"fn m", "fn m", ""},
		{"down ma", "down main", ""},
		{"down al", "down alpha", ""},
		{"down alpha", "down alpha", "  alpha\n  alphabet\n"},
		{"up operator new(u", "up operator new(unsigned long)", ""},
		{"up std::sort(int*, i", "up std::sort(int*, int*)", ""},
		{"not std::sort(int*, int*),be", "not std::sort(int*, int*),beta", ""},
		{"not ,", "not ,", "  main\n  alpha\n  alphabet\n  operator new(unsigned long)\n  std::sort(int*, int*)\n  beta\n" + fList(14) + "  and 16 more\n"},
		{"frames c", "frames call", ""},
		{"resource ", "resource cpu", ""},
		{"direction u", "direction up", ""},
		{"by thr", "by thread", ""},
		{"help hel", "help help", ""},
	} {
		completed, list := x.complete(c.line)
		if completed != c.completed || list != c.list {
			t.Errorf("%q: %q %q, want %q %q", c.line, completed, list, c.completed, c.list)
		}
	}
}

// fList lists the first of the small functions.
func fList(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  f%02d\n", i)
	}
	return b.String()
}

// TestHistory is bounded, has no line twice in a row, and does without a file.
func TestHistory(t *testing.T) {
	var complaints []string
	warn := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	file := filepath.Join(t.TempDir(), "pct", "history")
	h := openHistory(file, warn)
	for i := range 2*maxHistory + 1 {
		h.Add(fmt.Sprint(i))
		h.Add(fmt.Sprint(i))
	}
	h.Add("  ")
	if h.Len() != maxHistory || h.At(0) != fmt.Sprint(2*maxHistory) {
		t.Errorf("%d lines, the last is %s", h.Len(), h.At(0))
	}
	h = openHistory(file, warn)
	text, err := os.ReadFile(file)
	check(t, err)
	if n := strings.Count(string(text), "\n"); n != maxHistory || h.Len() != maxHistory || h.At(maxHistory-1) != fmt.Sprint(maxHistory+1) {
		t.Errorf("%d lines in the file, %d in the history, the first is %s", n, h.Len(), h.At(h.Len()-1))
	}
	if len(complaints) > 0 {
		t.Error(complaints)
	}
	check(t, os.WriteFile(filepath.Join(filepath.Dir(file), "plain"), []byte("a\x1b[2Jb\n\nc"), 0o600))
	if h = openHistory(filepath.Join(filepath.Dir(file), "plain"), warn); !slices.Equal(h.lines, []string{`a\x1b[2Jb`, "c"}) {
		t.Errorf("%q", h.lines)
	}
	for _, bad := range []string{filepath.Dir(file), filepath.Join(file, "below"), ""} {
		complaints = nil
		h = openHistory(bad, warn)
		h.Add("a")
		h.Add("b")
		if h.Len() != 2 || len(complaints) > 1 || (len(complaints) == 0) != (bad == "") {
			t.Errorf("%q: %d lines, %q", bad, h.Len(), complaints)
		}
	}
}
