package mi

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var gdbArgs = []string{"-nx", "-q", "--interpreter=mi3"}

// patience bounds every wait of these tests for what will come.
const patience = 60 * time.Second

func soon() time.Time { return time.Now().Add(patience) }

// start starts a debugger, or what passes for one, and sees to it that nothing
// of it is left at the end of the test.
func start(t *testing.T, path string, args ...string) *Client {
	t.Helper()
	c, err := Start(Config{Path: path, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		waitGone(t, c.Pid())
	})
	return c
}

func startGDB(t *testing.T) *Client {
	t.Helper()
	return start(t, "gdb", gdbArgs...)
}

// waitGone waits until no process of the group runs.
func waitGone(t *testing.T, pgid int) {
	t.Helper()
	waitFor(t, fmt.Sprintf("the end of process group %d", pgid), func() bool {
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil {
			t.Fatal(err)
		}
		for _, stat := range stats {
			text, err := os.ReadFile(stat)
			if err != nil {
				continue
			}
			_, rest, _ := strings.Cut(string(text), ") ")
			var state string
			var ppid, group int
			if _, err := fmt.Sscan(rest, &state, &ppid, &group); err == nil && group == pgid && state != "Z" {
				return false
			}
		}
		return true
	})
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := soon(); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// do is Do of what cannot fail.
func do(t *testing.T, c *Client, cmd string) *Record {
	t.Helper()
	r, err := c.Do(cmd, soon())
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return r
}

// text reads the pending console text up to a record that wanted picks.
func text(t *testing.T, c *Client, wanted func(*Record) bool) (string, Record) {
	t.Helper()
	var b strings.Builder
	for {
		r, err := c.Next(soon())
		if err != nil {
			t.Fatalf("after %q: %v", b.String(), err)
		}
		if wanted(r) {
			return b.String(), *r
		}
		if r.Kind == Console {
			b.WriteString(r.Text)
		}
	}
}

func result(token int) func(*Record) bool {
	return func(r *Record) bool { return r.Kind == Result && r.Token == token }
}

func TestCommands(t *testing.T) {
	c := startGDB(t)
	first, err := c.Send("-gdb-version", "echo \\a1\\n", "5x", "-list-features")
	if err != nil || first != 1 {
		t.Fatalf("Send: first token %d, error %v", first, err)
	}
	said, _ := text(t, c, result(1))
	if !strings.Contains(said, "GNU gdb") {
		t.Errorf("-gdb-version said %q", said)
	}
	if said, _ := text(t, c, result(2)); said != "\a1\n" {
		t.Errorf("echo said %q", said)
	}
	if _, r := text(t, c, result(3)); r.Class != "error" || !strings.Contains(r.Str("msg"), `"5x"`) {
		t.Errorf("5x: %+v", r)
	}
	_, r := text(t, c, result(4))
	features := r.Results.Get("features")
	if !features.List || len(features.Items) < 5 || features.Items[0].Text == "" {
		t.Errorf("-list-features: %+v", r)
	}
	if _, err := c.Send("a\nb"); err == nil {
		t.Error("a command of two lines was sent")
	}
}

func TestDo(t *testing.T) {
	c := startGDB(t)
	if r := do(t, c, `-data-evaluate-expression "6*7"`); r.Str("value") != "42" {
		t.Errorf("6*7 is %q", r.Str("value"))
	}
	_, err := c.Do("-data-evaluate-expression nosuch", soon())
	var refused *CommandError
	if !errors.As(err, &refused) || refused.Command != "-data-evaluate-expression nosuch" ||
		refused.Message != `No symbol table is loaded.  Use the "file" command.` {
		t.Errorf("unknown symbol: %v", err)
	}
	rs, err := c.DoAll(soon(), "print 1", "-nonsense", "print 2", "nonsense", `-data-evaluate-expression 3`)
	if !errors.As(err, &refused) || refused.Command != "-nonsense" {
		t.Errorf("the first of two errors is %v", err)
	}
	if len(rs) != 5 || rs[1].Class != "error" || rs[4].Str("value") != "3" {
		t.Fatalf("results: %+v", rs)
	}
	// What came meanwhile is kept, in order.
	said, _ := text(t, c, func(r *Record) bool { return r.Kind == Log && r.Text == "nonsense\n" })
	if !strings.Contains(said, "$1 = 1\n$2 = 2\n") {
		t.Errorf("kept: %q", said)
	}
	if r := do(t, c, `-data-evaluate-expression 4`); r.Str("value") != "4" {
		t.Errorf("4 is %q", r.Str("value"))
	}
}

func TestTap(t *testing.T) {
	var lines []string
	c, err := Start(Config{Path: "gdb", Args: gdbArgs, Tap: func(to bool, line []byte) {
		lines = append(lines, fmt.Sprintf("%v %s", to, line))
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	do(t, c, "print 1")
	for _, want := range []string{"true 1print 1", `false ~"$1 = 1\n"`, "false (gdb) ", "false 1^done"} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q is not in %q", want, lines)
		}
	}
}

func TestEnv(t *testing.T) {
	c, err := Start(Config{Path: "gdb", Args: gdbArgs, Env: []string{"HOME=/", "MARK=here"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	do(t, c, "show environment MARK")
	if said, _ := text(t, c, func(r *Record) bool { return r.Kind == Log }); said != "" {
		t.Errorf("before the echo: %q", said)
	}
	if r, err := c.Next(soon()); err != nil || r.Text != "MARK = here\n" {
		t.Errorf("MARK: %+v, %v", r, err)
	}
}

func TestLongLine(t *testing.T) {
	c := startGDB(t)
	long := strings.Repeat("0123456789abcdef", 200<<10/16)
	first, err := c.Send("echo "+long, "print 1")
	if err != nil {
		t.Fatal(err)
	}
	said, _ := text(t, c, result(first))
	if !strings.HasSuffix(said, long) {
		t.Errorf("%d bytes came, %d were sent", len(said), len(long))
	}
	if said, _ := text(t, c, result(first+1)); said != "$1 = 1\n" {
		t.Errorf("after it: %q", said)
	}
}

// TestTooLongLine goes on after a line of 20 MB.
func TestTooLongLine(t *testing.T) {
	c := start(t, "sh", "-c", `echo '^done,a="1"'; head -c 20000000 /dev/zero | tr '\0' x; printf '\n^done,a="2"\n'; read x`)
	for _, want := range []string{"1", "too long", "2"} {
		r, err := c.Next(soon())
		if want == "too long" {
			if !errors.Is(err, ErrLineTooLong) {
				t.Fatalf("%v instead of %v", err, ErrLineTooLong)
			}
			continue
		}
		if err != nil || r.Str("a") != want {
			t.Fatalf("record %s: %+v, %v", want, r, err)
		}
	}
}

// TestFullPipes sends more than gdb's input pipe holds, and has more said than
// its output pipe holds, in one call.
func TestFullPipes(t *testing.T) {
	c := startGDB(t)
	cmds := make([]string, 4000)
	for i := range cmds {
		cmds[i] = "-list-features"
	}
	rs, err := c.DoAll(soon(), cmds...)
	if err != nil || len(rs) != len(cmds) {
		t.Fatalf("%d results, %v", len(rs), err)
	}
}

// TestDeafDebugger shows that Send does not wait for a debugger that does not
// read.
func TestDeafDebugger(t *testing.T) {
	c := startGDB(t)
	do(t, c, "print 1")
	drainNext(t, c)
	if err := syscall.Kill(c.Pid(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 150<<10)
	var first int
	for i := range 3 {
		n, err := c.Send("echo " + long + fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = n
		}
	}
	if _, err := c.Next(time.Now().Add(10 * time.Millisecond)); !errors.Is(err, ErrTimeout) {
		t.Fatalf("Next: %v", err)
	}
	if err := syscall.Kill(c.Pid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if said, _ := text(t, c, result(first+i)); said != long+fmt.Sprint(i) {
			t.Fatalf("command %d came through with %d bytes", i, len(said))
		}
	}
}

// drainNext takes what is pending.
func drainNext(t *testing.T, c *Client) {
	t.Helper()
	last := do(t, c, "-gdb-set confirm off").Token
	for {
		r, err := c.Next(time.Now().Add(time.Microsecond))
		if errors.Is(err, ErrTimeout) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Token > last {
			t.Fatalf("an answer to nothing: %+v", r)
		}
	}
}

func TestDeadline(t *testing.T) {
	c := startGDB(t)
	do(t, c, "print 1")
	drainNext(t, c)
	if _, err := c.Next(time.Now().Add(time.Millisecond)); !errors.Is(err, ErrTimeout) {
		t.Fatalf("nothing to come: %v", err)
	}
	if _, err := c.Do("shell read x </dev/null; sleep 0.3", time.Now().Add(time.Millisecond)); !errors.Is(err, ErrTimeout) {
		t.Fatalf("a slow command: %v", err)
	}
	_, r := text(t, c, func(r *Record) bool { return r.Kind == Result })
	if r.Class != "done" {
		t.Fatalf("its late answer: %+v", r)
	}
	if r := do(t, c, "-data-evaluate-expression 5"); r.Str("value") != "5" {
		t.Fatalf("the answer after it: %+v", r)
	}
}

func TestWake(t *testing.T) {
	c := startGDB(t)
	do(t, c, "print 1")
	drainNext(t, c)
	for range 200 {
		go c.Wake()
		if _, err := c.Next(soon()); !errors.Is(err, ErrWoken) {
			t.Fatalf("woken: %v", err)
		}
	}
	for range 3 {
		c.Wake()
	}
	if r := do(t, c, "-data-evaluate-expression 1"); r.Str("value") != "1" { // is not disturbed
		t.Fatalf("Do: %+v", r)
	}
	if _, err := c.Next(soon()); !errors.Is(err, ErrWoken) {
		t.Fatalf("woken before: %v", err)
	}
	if r, err := c.Next(time.Now().Add(5 * time.Millisecond)); !errors.Is(err, ErrTimeout) {
		t.Fatalf("woken once more: %+v %v", r, err)
	}
	c.Close()
	c.Wake()
}

// TestWakeStorm loses no wake and no record when both come together.
func TestWakeStorm(t *testing.T) {
	c := startGDB(t)
	cmds := make([]string, 500)
	for i := range cmds {
		cmds[i] = "-data-evaluate-expression 1"
	}
	first, err := c.Send(cmds...)
	if err != nil {
		t.Fatal(err)
	}
	asked, heard := make(chan struct{}), make(chan struct{})
	go func() {
		for range asked {
			c.Wake()
			heard <- struct{}{}
		}
		close(heard)
	}()
	deadline := soon()
	wakes := 0
	asked <- struct{}{}
	for next := first; next < first+len(cmds) || wakes < 500; {
		r, err := c.Next(deadline)
		switch {
		case errors.Is(err, ErrWoken):
			<-heard
			wakes++
			asked <- struct{}{}
		case err != nil:
			t.Fatalf("after %d answers and %d wakes: %v", next-first, wakes, err)
		case r.Kind == Result:
			if r.Token != next {
				t.Fatalf("answer %d instead of %d", r.Token, next)
			}
			next++
		}
	}
	<-heard
	close(asked)
	<-heard
}

func TestQuit(t *testing.T) {
	c := startGDB(t)
	if r := do(t, c, "-gdb-exit"); r.Class != "exit" {
		t.Fatalf("-gdb-exit: %+v", r)
	}
	wantDied(t, c, "exit 0", "")
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// wantDied reads on to the debugger's death.
func wantDied(t *testing.T, c *Client, status, stderr string) {
	t.Helper()
	for {
		_, err := c.Next(soon())
		if err == nil {
			continue
		}
		for range 2 { // death is for ever
			var died *Died
			if !errors.As(err, &died) || died.Status != status || !strings.Contains(died.Stderr, stderr) {
				t.Fatalf("%v, want status %q and %q", err, status, stderr)
			}
			_, err = c.Next(soon())
		}
		break
	}
	var died *Died
	if _, err := c.Send("print 1"); !errors.As(err, &died) {
		t.Errorf("Send to the dead: %v", err)
	}
	if _, err := c.Do("print 1", soon()); !errors.As(err, &died) {
		t.Errorf("Do of the dead: %v", err)
	}
}

func TestKilled(t *testing.T) {
	c := startGDB(t)
	// gdb's last words, and a child that keeps its pipes open.
	do(t, c, "shell echo last words >&2; sleep 1000 & echo started")
	if err := syscall.Kill(c.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wantDied(t, c, "signal SIGKILL", "last words\n")
}

func TestKill(t *testing.T) {
	c := startGDB(t)
	do(t, c, "print 1")
	c.Kill()
	wantDied(t, c, "signal SIGKILL", "")
	c.Kill()
}

func TestBadArguments(t *testing.T) {
	c := start(t, "gdb", append([]string{"--nonsense"}, gdbArgs...)...)
	wantDied(t, c, "exit 1", "unrecognized option '--nonsense'")
}

func TestStartFails(t *testing.T) {
	for _, path := range []string{"/nonexistent/gdb", "no-such-gdb", "", "/etc/passwd", "/etc"} {
		c, err := Start(Config{Path: path})
		if err == nil {
			c.Close()
			t.Errorf("%q was started", path)
		} else if !strings.Contains(err.Error(), "cannot start the debugger") {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// TestNoDebugger has programs at the other end that are none.
func TestNoDebugger(t *testing.T) {
	var strange *NotMI
	var died *Died
	for _, test := range []struct {
		argv   []string
		target any
		want   string
	}{
		{[]string{"cat"}, &strange, `it does not speak gdb/MI but says "1-gdb-version"`},
		{[]string{"yes"}, &strange, `says "y"`},
		{[]string{"true"}, &died, "the debugger ended (exit 0)"},
		{[]string{"sh", "-c", "printf cut >&2; exit 7"}, &died, "the debugger ended (exit 7): cut"},
		{[]string{"sh", "-c", "kill -TERM $$"}, &died, "the debugger ended (signal SIGTERM)"},
	} {
		c := start(t, test.argv[0], test.argv[1:]...)
		_, err := c.Do("-gdb-version", soon())
		if !errors.As(err, test.target) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.argv, err, test.want)
		}
	}
}

// TestEndless has records without end and without an answer.
func TestEndless(t *testing.T) {
	c := start(t, "yes", `~"y"`)
	if _, err := c.Do("-gdb-version", time.Now().Add(20*time.Millisecond)); !errors.Is(err, ErrTimeout) {
		t.Errorf("records without end: %v", err)
	}
	c = start(t, "sh", "-c", `echo '~"y"'; exec cat /dev/zero`)
	_, err := c.Do("-gdb-version", time.Now().Add(20*time.Millisecond))
	for errors.Is(err, ErrLineTooLong) {
		_, err = c.Do("-gdb-version", time.Now().Add(20*time.Millisecond))
	}
	if !errors.Is(err, ErrTimeout) {
		t.Errorf("a line without end: %v", err)
	}
	if err := c.Close(); err == nil {
		t.Error("a program that does not read was closed by closing its input")
	}
}

func TestClosedOutput(t *testing.T) {
	c := start(t, "sh", "-c", "exec >/dev/null 2>&1 </dev/null; exec sleep 1000")
	_, err := c.Next(soon())
	var died *Died
	if !errors.As(err, &died) || died.Status != "it closed its pipes" {
		t.Errorf("%v", err)
	}
	c.Close()
}

func TestPartialLastLine(t *testing.T) {
	c := start(t, "printf", `^done\n1^done,a="x"`)
	for _, token := range []int{0, 1} {
		if r, err := c.Next(soon()); err != nil || r.Token != token || r.Kind != Result {
			t.Fatalf("result %d: %+v, %v", token, r, err)
		}
	}
	wantDied(t, c, "exit 0", "")
}

// TestStderrTail keeps the end of a long complaint.
func TestStderrTail(t *testing.T) {
	c := start(t, "sh", "-c", `yes complaint | head -c 300000 >&2; echo the end >&2`)
	_, err := c.Next(soon())
	var died *Died
	if !errors.As(err, &died) || !strings.HasSuffix(died.Stderr, "the end\n") || len(died.Stderr) != tailSize {
		t.Fatalf("%v", err)
	}
}

// TestOver talks to a gdb that somebody else started on FIFOs.
func TestOver(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, path := range []string{in, out} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "-c", `exec gdb -nx -q --interpreter=mi3 <"$0" >"$1"`, in, out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	to, err := os.OpenFile(in, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	c := Over(to, from, cmd.Process.Pid, Config{})
	if r := do(t, c, "-data-evaluate-expression 1+1"); r.Str("value") != "2" || c.Pid() != cmd.Process.Pid {
		t.Errorf("1+1: %+v", r)
	}
	c.Kill() // it is no group leader: it alone
	wantDied(t, c, "ended", "")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("it ended with %v", err)
	}

	to, from = mustPipe(t)
	c = Over(to, from, cmd.Process.Pid, Config{})
	wantDied(t, c, "ended", "")
	c.Close()
	c = Over(to, from, 0, Config{}) // closed files
	wantDied(t, c, "cannot talk to it: use of closed file", "")
	c.Close()
}

func mustPipe(t *testing.T) (w, r *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return w, r
}

// TestClose leaves neither process nor descriptor, whatever the debugger does.
func TestClose(t *testing.T) {
	before := descriptors(t)
	for _, c := range []*Client{
		startGDB(t),
		start(t, "sleep", "1000"),
		start(t, "true"),
		start(t, "sh", "-c", "sleep 1000 & exit 0"),
		start(t, "sh", "-c", "trap '' TERM HUP; while :; do sleep 1; done"),
	} {
		c.Close()
		c.Close()
		waitGone(t, c.Pid())
	}
	if _, err := Start(Config{Path: "/nonexistent/gdb"}); err == nil {
		t.Error("started")
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
