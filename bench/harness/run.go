package harness

import (
	"bytes"
	"fmt"
	"os/exec"
	"syscall"
	"text/tabwriter"
	"time"
)

// InRounds calls f for each round, as long as the next one is expected to end within
// the budget (0: always), and returns how many there were. Rounds go over a whole table,
// so that what else the machine does falls on all of it.
func (r *Run) InRounds(budget time.Duration, f func()) int {
	began := time.Now()
	for done := 0; ; done++ {
		spent := time.Since(began)
		if done == r.Rounds || budget > 0 && done > 0 && spent+spent/time.Duration(done) > budget {
			return done
		}
		f()
	}
}

// Fail notes that a measurement failed. The others go on.
func (r *Run) Fail(what, how string, err error) {
	r.Tell(what, how, err)
	r.Failures++
}

// Tell is Fail for another project's program, which may fail.
func (r *Run) Tell(what, how string, err error) {
	fmt.Fprintf(r.Err, "bench: %s, %s: %v\n", what, how, err)
}

// Progress tells on a terminal what is being done; nothing if the text is empty.
func (r *Run) Progress(format string, args ...any) {
	if r.terminal {
		fmt.Fprintf(r.Err, "\r\033[K"+format, args...)
	}
}

// Table returns a writer of rows, whose cells are separated by tabs.
func (r *Run) Table() *tabwriter.Writer { return tabwriter.NewWriter(r.Out, 0, 0, 2, ' ', 0) }

// A Cost is what a command took, with all processes that it waited for.
type Cost struct {
	CPU, Wall time.Duration
	Kilobytes int64 // the most memory of one process
}

// Measure runs a command to its end. After the limit (0: none) it is killed with all
// that it started. The error has what it said on standard error, if that is not the
// caller's.
func Measure(cmd *exec.Cmd, limit time.Duration) (Cost, error) {
	var said bytes.Buffer
	if cmd.Stderr == nil {
		cmd.Stderr = &said
	}
	if limit > 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	cmd.WaitDelay = time.Second // for those that hold on to its streams
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Cost{}, err
	}
	if limit > 0 {
		late := time.AfterFunc(limit, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		defer late.Stop()
	}
	err := cmd.Wait()
	took := time.Since(began)
	switch {
	case err != nil && limit > 0 && took >= limit:
		return Cost{}, fmt.Errorf("stopped after %v", limit)
	case err != nil:
		return Cost{}, fmt.Errorf("%w: %s", err, &said)
	}
	c := Cost{CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), Wall: took}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.Kilobytes = usage.Maxrss
	}
	return c, nil
}
