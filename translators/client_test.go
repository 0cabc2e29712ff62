package translators

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is a translator too, of the kind its first argument names.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "translator" {
		os.Exit(misbehave(os.Args[2]))
	}
	os.Exit(m.Run())
}

// misbehave serves as the kind says. All kinds but "good" and "loud" fail at the
// third request.
func misbehave(kind string) int {
	n := 0
	err := Serve(os.Stdin, os.Stdout, os.Stderr, func(q Request) ([]Location, error) {
		n++
		if n == 3 {
			// Serve holds back at most what is buffered: say it was all sent.
			switch kind {
			case "dies":
				fmt.Fprintln(os.Stderr, "out of luck")
				os.Exit(7)
			case "crashes":
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
			case "hangs":
				fmt.Fprintln(os.Stderr, "thinking")
				hang()
			case "closes":
				os.Stdout.Close()
				hang()
			case "garbles":
				os.Stdout.WriteString("Segmentation fault\n")
			case "endless":
				for b := []byte(strings.Repeat("x", 1<<20)); ; {
					os.Stdout.Write(b)
				}
			case "doubles":
				os.Stdout.WriteString("f|g|1\nf|g|1\n")
			}
		}
		if kind == "loud" {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 100), n)
		}
		f := Location{Func: q.Object, File: q.BuildID, Line: int(q.Vaddr & 0xffffff)}
		return []Location{{Func: strings.Repeat("inlined ", 20), Inlined: true}, f}, nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	switch kind {
	case "lingers":
		hang()
	case "fails":
		fmt.Fprintln(os.Stderr, "bad end")
		return 4
	}
	return 0
}

// hang never returns. (An empty select would be found out as a deadlock.)
func hang() {
	for {
		syscall.Pause()
	}
}

func start(t *testing.T, kind string) *Client {
	t.Helper()
	c, err := Start([]string{os.Args[0], "translator", kind})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func vaddrs(n int) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		v[i] = uint64(i + 1)
	}
	return v
}

// Both pipes are full many times over in one call.
func TestTranslate(t *testing.T) {
	c := start(t, "good")
	for _, n := range []int{0, 1, 50000, 7} {
		got, err := c.TranslateBuild("/bin/a\tb|c", "c0ffee", vaddrs(n))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != n {
			t.Fatalf("%d answers for %d addresses", len(got), n)
		}
		for i, frames := range got {
			want := Location{Func: "/bin/a\tb|c", File: "c0ffee", Line: i + 1}
			if len(frames) != 2 || !frames[0].Inlined || frames[1] != want {
				t.Fatalf("answer %d is %+v, want one inlined into %+v", i, frames, want)
			}
		}
	}
	if _, err := c.Translate("", vaddrs(1)); err == nil {
		t.Error("an object without a name is translated")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Translate("/bin/a", vaddrs(1)); err == nil {
		t.Error("a closed translator translates")
	}
}

// A translator that says much on its standard error is not held up by it.
func TestTranslateLoud(t *testing.T) {
	c := start(t, "loud")
	if _, err := c.Translate("/bin/a", vaddrs(2000)); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		kind         string
		what, stderr string
	}{
		{"dies", "it ended after 2 of 10 answers (exit status 7)", "out of luck"},
		{"crashes", "it ended after 2 of 10 answers (signal: killed)", ""},
		{"hangs", "no answer for 3s (2 of 10 came)", "thinking"},
		{"closes", "it ended after 2 of 10 answers (signal: killed)", ""},
		{"garbles", `answer 3 of 10: "Segmentation fault" is not FUNCTION|FILE|LINE`, ""},
		{"endless", "a line of more than 16 MB", ""},
	} {
		t.Run(c.kind, func(t *testing.T) {
			client := start(t, c.kind)
			client.Timeout = 3 * time.Second
			if c.kind != "hangs" {
				client.Timeout = time.Minute
			}
			got, err := client.Translate("/bin/a", vaddrs(10))
			var failure *Error
			if !errors.As(err, &failure) || got != nil {
				t.Fatalf("got %v, error %v", got, err)
			}
			if failure.What != c.what || failure.Stderr != c.stderr {
				t.Errorf("what %q, stderr %q; want %q, %q", failure.What, failure.Stderr, c.what, c.stderr)
			}
			if !strings.Contains(err.Error(), c.stderr) {
				t.Errorf("%q does not show %q", err, c.stderr)
			}
			if _, again := client.Translate("/bin/a", vaddrs(1)); again != err {
				t.Errorf("asked again, error %v", again)
			}
			if err := syscall.Kill(-client.process.Pid(), 0); err != syscall.ESRCH {
				t.Errorf("its process group is still there: %v", err)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Answers that nobody asked for make every later one wrong.
func TestSurplusAnswers(t *testing.T) {
	c := start(t, "doubles")
	_, err := c.Translate("/bin/a", vaddrs(10))
	if err == nil {
		_, err = c.Translate("/bin/a", vaddrs(10))
	}
	if err == nil {
		err = c.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "it printed more answers than requests") {
		t.Errorf("error %v", err)
	}
}

func TestCloseTellsOfBadEnd(t *testing.T) {
	c := start(t, "fails")
	if _, err := c.Translate("/bin/a", vaddrs(1)); err != nil {
		t.Fatal(err)
	}
	err := c.Close()
	if err == nil || !strings.Contains(err.Error(), "exit status 4; it says: bad end") {
		t.Errorf("error %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestCloseKillsWhatLingers(t *testing.T) {
	c := start(t, "lingers")
	c.Timeout = 300 * time.Millisecond
	err := c.Close()
	if err == nil || !strings.Contains(err.Error(), "it did not end at the end of its input") {
		t.Errorf("error %v", err)
	}
}

// Whatever a translator has started ends with it.
func TestCloseEndsGrandchildren(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pid")
	c, err := Start([]string{"sh", "-c", `sleep 1000 2>/dev/null >&2 & echo $! >"$0"; while read line; do echo "f|?|1"; done`, pids})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Translate("/bin/a", vaddrs(3)); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); running(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// running says whether the process is there and no zombie.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestStartFails(t *testing.T) {
	for _, argv := range [][]string{nil, {"/nonexistent/translator"}, {t.TempDir()}} {
		if c, err := Start(argv); err == nil {
			c.Close()
			t.Errorf("%q was started", argv)
		}
	}
}
