package treetest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
)

// A blocked call is a process that blocks in one, and what came of it.
type blockedCall struct {
	name  string
	timed bool
	*target
}

// blockedCalls starts a process for each system call that waiter knows. Calls
// with a time-out wait for this time.
func blockedCalls(t *testing.T, timeout time.Duration, timed bool) []blockedCall {
	t.Helper()
	list := execute(t, t.TempDir(), "", "waiter")
	var calls []blockedCall
	for line := range strings.Lines(list.stdout) {
		name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		if timed && kind != "timed" {
			continue
		}
		ms := fmt.Sprint(timeout.Milliseconds())
		calls = append(calls, blockedCall{name, kind == "timed", start(t, "waiter", name, ms, filepath.Join(t.TempDir(), "lock"))})
	}
	if len(calls) < 15 {
		t.Fatalf("waiter knows %q", list.stdout)
	}
	return calls
}

// blocks tells whether the first thread of a waiter sleeps in a system call, all
// threads being there.
func blocks(pid int) bool {
	call, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/syscall", pid, pid))
	state := proctest.Status(pid, "State")
	return proctest.Status(pid, "Threads") >= "2" && strings.HasPrefix(state, "S") && len(call) > 0 && call[0] >= '0' && call[0] <= '9'
}

func awaitBlocked(t *testing.T, calls []blockedCall) {
	t.Helper()
	for _, c := range calls {
		await(t, c.name+" blocks", func() bool { return blocks(c.pid()) || proctest.Status(c.pid(), "State")[:1] == "Z" })
		if !blocks(c.pid()) {
			output, status := c.end()
			t.Errorf("it should block, and said %q and ended with %s", output, status)
		}
	}
}

func pids(calls []blockedCall) string {
	var list []string
	for _, c := range calls {
		list = append(list, fmt.Sprint(c.pid()))
	}
	return strings.Join(list, ",")
}

// results are what the calls return by themselves.
func results(t *testing.T) map[string]string {
	t.Helper()
	want := make(map[string]string)
	for _, c := range blockedCalls(t, 300*time.Millisecond, false) {
		if !c.timed {
			fmt.Fprintln(c.in, "now")
		}
		want[c.name], _ = c.end()
	}
	return want
}

// TestBlockedCalls attaches to processes that block in system calls, samples and
// detaches: none of the calls returns for that.
func TestBlockedCalls(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		times  int
	}{
		"sampled":         {"profile.dbctl", 3},
		"with a debugger": {script(t, "eval.dbctl"), 1}, // 38 debuggers take their time
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := results(t)
			calls := blockedCalls(t, time.Hour, false)
			awaitBlocked(t, calls)
			for i := range test.times {
				attach(t, 40, []unix.Signal{0, unix.SIGINT, unix.SIGTERM}[i], "-p", pids(calls), test.script)
				awaitBlocked(t, calls)
			}
			for _, c := range calls {
				if c.timed {
					continue // it has waited until now; its time-out is another test's
				}
				fmt.Fprintln(c.in, "now")
				if got, status := c.end(); got != want[c.name] || status != "exit status 0" {
					t.Errorf("%q, %s, want %q", got, status, want[c.name])
				}
			}
		})
	}
}

// TestTimeouts has calls with a time-out end while their processes are sampled.
func TestTimeouts(t *testing.T) {
	for name, what := range map[string]string{"sampled": "profile.dbctl", "with a debugger": script(t, "eval.dbctl")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := results(t)
			// Long enough to start all of them and dbctl, on a busy machine too.
			calls := blockedCalls(t, 30*time.Second, true)
			awaitBlocked(t, calls)
			root := t.TempDir()
			got := execute(t, t.TempDir(), "", "dbctl", "-o", root, "-D", "interval=1000", "-t", "120", "-p", pids(calls), what)
			if got != (result{"", "", "exit status 0"}) {
				t.Errorf("dbctl: %+v", got)
			}
			for _, p := range processesOf(t, root) {
				if p.How == "attach" && p.Status != "exit 0" {
					t.Errorf("the call of process %d took too long: it ended with %s", p.Pid, p.Status)
				}
			}
			for _, c := range calls {
				if got, status := c.end(); got != want[c.name] || status != "exit status 0" {
					t.Errorf("%q, %s, want %q", got, status, want[c.name])
				}
			}
		})
	}
}
