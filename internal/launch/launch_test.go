package launch

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Launcher()
	os.Exit(m.Run())
}

func TestOrders(t *testing.T) {
	want := orders{10, 11, 1 << 63, 5, 10 * time.Millisecond, true, "/bin/a b", []string{"a", "", "-launch-"}}
	if got, ok := parse(want.args()); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v became %+v, %t", want, got, ok)
	}
	for n := range len(want.args()) - len(want.argv) + 1 {
		if _, ok := parse(want.args()[:n]); ok {
			t.Errorf("%q is a launcher's", want.args()[:n])
		}
	}
}

// A launched program stands still until Go, is executed with what was asked, or fails with
// the kernel's reason; if its starter ends without a word, it runs all the same.
func TestLaunch(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	script, rubbish := file("script", "exit $1\n"), file("rubbish", "\x7fELF\x00")
	blocked, ignored := uint64(1<<(unix.SIGUSR1-1)), uint64(1<<(unix.SIGUSR2-1))
	// Our caller may ignore signals of its own, which the program ignores, too.
	masks := `mask() { echo $((0x$(sed -n "s/^$1:.//p" /proc/self/status))); }
test $(mask SigBlk) -eq 512 && test $(($(mask SigIgn) & 0xffff)) -eq 2048`
	for _, c := range []struct {
		name    string
		program Program
		silent  bool
		status  int
		failure error
	}{
		{"a program", Program{Path: "/bin/sh", Argv: []string{"sh", "-c", "exit 3"}}, false, 3, nil},
		{"masks", Program{Path: "/bin/sh", Argv: []string{"sh", "-c", masks}, Blocked: blocked, Ignored: ignored}, false, 0, nil},
		{"a script", Program{Path: script, Argv: []string{"script", "4"}, Shell: true}, false, 4, nil},
		{"a script, not for a shell", Program{Path: script, Argv: []string{"script", "4"}}, false, 127, unix.ENOEXEC},
		{"rubbish", Program{Path: rubbish, Argv: []string{"rubbish"}, Shell: true}, false, 127, unix.ENOEXEC},
		{"no file", Program{Path: dir + "/none", Argv: []string{"none"}}, false, 127, unix.ENOENT},
		{"not a word", Program{Path: "/bin/sh", Argv: []string{"sh", "-c", "exit 5"}}, true, 5, nil},
	} {
		c.program.Files = [3]*os.File{os.Stdin, os.Stdout, os.Stderr}
		l, err := Start(c.program)
		if err != nil {
			t.Fatal(err)
		}
		if line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(l.Pid), "cmdline")); err != nil || !strings.Contains(string(line), word) {
			t.Errorf("%s: it runs %q, error %v, before it may", c.name, line, err)
		}
		if !c.silent {
			l.Go()
			if err := l.Failure(); !errors.Is(err, c.failure) {
				t.Errorf("%s: error %v, want %v", c.name, err, c.failure)
			}
		}
		l.Close()
		var status unix.WaitStatus
		if _, err := unix.Wait4(l.Pid, &status, 0, nil); err != nil || status.ExitStatus() != c.status {
			t.Errorf("%s: status %#x, error %v, want %d", c.name, status, err, c.status)
		}
	}
}
