package unwind

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// gdbFrames prints the pcs of all frames that are no inlined ones.
const gdbFrames = `
import gdb
f = gdb.newest_frame()
while f is not None:
    if f.type() != gdb.INLINE_FRAME:
        print("frame %#x" % f.pc())
    f = f.older()
`

// TestRealPrograms stops programs of the system at random instants and
// compares the path with gdb's.
func TestRealPrograms(t *testing.T) {
	script := filepath.Join(t.TempDir(), "frames.py")
	if err := os.WriteFile(script, []byte(gdbFrames), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := [][]string{
		{"sqlite3", ":memory:", "with recursive c(x) as (select 1 union all select x+1 from c where x < 1e9) select max(x % 97 || 'a') from c"},
		{"sh", "-c", "exec xz -9 -c /dev/zero >/dev/null"},
		{"perl", "-e", "while (1) { my %h; $h{$_ % 97} .= join ',', sort map { s/1+/b/r } 1..$_ for 1..100 }"},
	}
	const stops = 2
	for _, argv := range tests {
		t.Run(argv[0], func(t *testing.T) {
			p := trace(t, argv...)
			var u *Unwinder
			for range stops {
				unix.PtraceCont(p.pid, 0)
				// Let it use some CPU time.
				waitCPU(t, p.pid, time.Duration(20+rand.IntN(80))*time.Millisecond)
				if err := unix.Kill(p.pid, unix.SIGSTOP); err != nil {
					t.Fatal(err)
				}
				for p.wait() != unix.SIGSTOP {
					unix.PtraceCont(p.pid, 0)
				}
				if u == nil {
					var err error
					if u, err = New(p.pid, NewCache()); err != nil {
						t.Fatal(err)
					}
					defer u.Close()
				}
				fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
				var got []string
				for _, f := range fs {
					got = append(got, fmt.Sprintf("frame %#x", f.PC))
				}

				// gdb finds the process as it is, and leaves it so.
				if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(p.pid), 0, uintptr(unix.SIGSTOP), 0, 0); e != 0 {
					t.Fatal(e)
				}
				text, err := exec.Command("gdb", "-nx", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off",
					"-ex", "set backtrace past-main on", "-ex", "set backtrace past-entry on",
					"-p", fmt.Sprint(p.pid), "-x", script).CombinedOutput()
				if err != nil {
					t.Fatalf("gdb: %v\n%s", err, text)
				}
				var want []string
				for line := range strings.Lines(string(text)) {
					if strings.HasPrefix(line, "frame ") {
						want = append(want, strings.TrimSpace(line))
					}
				}
				if why != Complete || !slices.Equal(got, want) {
					t.Errorf("%v\n%sgdb has\n\t%s", why, describe(u, fs), strings.Join(want, "\n\t"))
				}
				if err := unix.PtraceAttach(p.pid); err != nil {
					t.Fatal(err)
				}
				p.wait()
			}
		})
	}
}

// waitCPU lets a traced process run until it has used some more CPU time.
func waitCPU(t *testing.T, pid int, d time.Duration) {
	t.Helper()
	used := func() time.Duration {
		var ts unix.Timespec
		if err := unix.ClockGettime(^int32(pid)<<3|2, &ts); err != nil {
			t.Fatal(err)
		}
		return time.Duration(ts.Nano())
	}
	deadline := time.Now().Add(time.Minute)
	for end := used() + d; used() < end; {
		// It stops at an exec, and again after gdb has stopped it.
		if wpid, _ := unix.Wait4(pid, nil, unix.WNOHANG, nil); wpid == pid {
			unix.PtraceCont(pid, 0)
		}
		if time.Now().After(deadline) {
			t.Fatal("the program uses no CPU time")
		}
		time.Sleep(time.Millisecond)
	}
}
