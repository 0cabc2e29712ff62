// Package proctest looks at processes for tests: what they are and whose
// children, what is left over of them, and what a shell at a terminal of its own
// tells of its jobs. Tests alone import it.
package proctest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// Run runs commands, as many at a time as there are processors. The error is of
// all that failed, with what they printed.
func Run(commands [][]string) error {
	errs := make([]error, len(commands))
	room := make(chan bool, runtime.NumCPU())
	var all sync.WaitGroup
	for i, args := range commands {
		room <- true
		all.Go(func() {
			defer func() { <-room }()
			cmd := exec.Command(args[0], args[1:]...)
			if out, err := cmd.CombinedOutput(); err != nil {
				errs[i] = fmt.Errorf("%s: %v\n%s", cmd, err, out)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Children are the processes whose parent is pid, those that have ended and were
// not waited for included.
func Children(pid int) []int {
	var found []int
	for _, child := range proc.All() {
		if stat, err := proc.ReadStat(child); err == nil && stat.Ppid == pid {
			found = append(found, child)
		}
	}
	return found
}

// LeftOver describes the processes that are still our children after some time,
// and kills them; those that have ended are reaped.
func LeftOver(after time.Duration) []string {
	deadline := time.Now().Add(after)
	for {
		for {
			if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != nil || pid == 0 {
				break
			}
		}
		left := Children(os.Getpid())
		if len(left) == 0 || time.Now().After(deadline) {
			var lines []string
			for _, pid := range left {
				lines = append(lines, Describe(pid))
				unix.Kill(pid, unix.SIGKILL)
			}
			return lines
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Status is a field of /proc/PID/status, "" if there is none.
func Status(pid int, name string) string {
	text, _ := os.ReadFile(proc.Entry(pid, "status"))
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Describe tells of a process, what it waits for in the kernel, and of one that traces it.
func Describe(pid int) string {
	wait, _ := os.ReadFile(proc.Entry(pid, "wchan"))
	text := fmt.Sprintf("%d %s, %s: %s", pid, Status(pid, "State"), wait, strings.Join(proc.Args(pid), " "))
	if s, err := proc.ReadStatus(pid, pid); err == nil && s.Tracer != 0 {
		text += "\n  traced by " + Describe(s.Tracer)
	}
	return text
}
