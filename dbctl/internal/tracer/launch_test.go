package tracer

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// What was sent to interrupt the launcher's runtime does not reach the program, also where that blocks it; what it
// blocks stays as it is.
func TestWithoutPreemption(t *testing.T) {
	path, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	for _, mask := range []uint64{0, Bit(unix.SIGURG) | Bit(unix.SIGUSR1)} {
		err = Run(func(tr *Tracer) error {
			pid, err := tr.Launch(Program{Path: path, Argv: []string{"true"}, Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}})
			if err != nil {
				return err
			}
			before, _ := tr.Registers(pid)
			if err := tr.SetMask(pid, mask); err != nil {
				return err
			}
			if err := unix.Tgkill(pid, pid, unix.SIGURG); err != nil {
				return err
			}
			tr.withoutPreemption(pid)
			status, err := proc.ReadStatus(pid, pid)
			if after, _ := tr.Registers(pid); err != nil || status.Pending != 0 || status.Blocked != mask || after.Rip != before.Rip {
				return fmt.Errorf("it has %+v and stands at %#x, not %#x: %v", status, after.Rip, before.Rip, err)
			}
			tr.Resume(pid, Onward, 0)
			ev, err := tr.Next()
			if err == nil && (ev.Kind != Ended || ev.Status.ExitStatus() != 0) {
				err = fmt.Errorf("event %+v", ev)
			}
			return err
		})
		if err != nil {
			t.Errorf("blocking %#x: %v", mask, err)
		}
	}
}
