// Package matrix runs programs bare and in every mode of profile. A program must write the same and end the same in each.
package matrix

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Mode is a way to profile.
type Mode struct {
	Name string
	Args []string
	// Few: run even if time is short. These modes are the cheapest ones that use each mechanism.
	Few bool
	// Checked: with the library that dies of undefined behaviour.
	Checked bool
	// Attaches: also with -p.
	Attaches bool
}

// Modes are the ways to profile a program: each mechanism, and each of its clocks.
func Modes() []Mode {
	return []Mode{
		{Name: "default", Few: true},
		{Name: "fast", Args: []string{"-F", "1000"}},
		{Name: "paths", Args: []string{"-paths", "-F", "1000"}},
		{Name: "paths-checked", Args: []string{"-paths", "-F", "1000"}, Few: true, Checked: true},
		{Name: "calls", Args: []string{"-calls", "-F", "1000"}, Few: true},
		{Name: "calls-checked", Args: []string{"-calls", "-F", "1000"}, Checked: true},
		{Name: "kernel", Args: []string{"-k", "-F", "1000"}, Attaches: true},
		{Name: "kernel-paths", Args: []string{"-k", "-paths", "-F", "1000"}, Attaches: true},
		{Name: "gdb", Args: []string{"-gdb", "-F", "200"}, Few: true, Attaches: true},
		{Name: "gdb-poll", Args: []string{"-gdb", "-clock", "poll", "-F", "200"}, Attaches: true},
		{Name: "expr", Args: []string{"-F", "200", "-expr", ".*@main@7", "cat >/dev/null"}},
		{Name: "real-clock", Args: []string{"-clock", "real", "-F", "500"}},
		{Name: "alloc", Args: []string{"-r", "alloc:4096"}},
		{Name: "io", Args: []string{"-r", "io:1ms"}},
		{Name: "faults", Args: []string{"-r", "faults:1"}},
		{Name: "faults-checked", Args: []string{"-r", "faults:1"}, Checked: true},
		{Name: "real", Args: []string{"-r", "real:2ms"}, Attaches: true},
		{Name: "read-write", Args: []string{"-r", "read:512", "-r", "write:64"}},
		{Name: "many", Args: []string{"-r", "cpu:1ms", "-r", "alloc:1k", "-r", "io:1ms"}, Few: true},
		{Name: "many-checked", Args: []string{"-r", "cpu:1ms", "-r", "alloc:1k", "-r", "io:1ms"}, Checked: true},
	}
}

// Command is the command that profiles another, by the profile in a directory.
func (m Mode) Command(bin string, args ...string) []string {
	return append(append([]string{filepath.Join(bin, "profile"), "-O", "report"}, m.Args...), args...)
}

// An End is what a run of a program wrote, and how it ended.
type End struct {
	Out, Err string
	Status   int // 128 and the signal if one killed it, as shells and profile have it
}

func (e End) String() string {
	return fmt.Sprintf("exit status %d\nstandard output:\n%sstandard error:\n%s", e.Status, e.Out, e.Err)
}

// ours matches the lines that our commands write to standard error, which they share with the program.
var ours = regexp.MustCompile(`(?m)^((profile|dbctl|pct|pct-ring|pct-launch|libpct)(\[\d+\])?: .*(\n  .*)*)\n`)

// A Run is a program that runs.
type Run struct {
	PID      int
	cmd      *exec.Cmd
	ctx      context.Context
	cancel   func()
	out, err bytes.Buffer
}

// Start starts a command in a directory, in which it also stores its data. Its standard input is a file of some lines
// there. The command has its own process group, which is killed when its time is over.
func Start(ctx context.Context, patience time.Duration, dir string, args ...string) (*Run, error) {
	input := filepath.Join(dir, "input")
	if err := os.WriteFile(input, bytes.Repeat([]byte("a line of some length\nand another\n"), 150), 0o666); err != nil {
		return nil, err
	}
	stdin, err := os.Open(input)
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	r := &Run{}
	r.ctx, r.cancel = context.WithTimeout(ctx, patience)
	cmd := exec.CommandContext(r.ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, stdin, &r.out, &r.err
	cmd.Env = append(os.Environ(), "PCT_DIR="+filepath.Join(dir, "pct"), "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	if err := cmd.Start(); err != nil {
		r.cancel()
		return nil, err
	}
	r.cmd, r.PID = cmd, cmd.Process.Pid
	return r, nil
}

// Wait waits until the command has ended and nobody holds its standard output. Said is what our commands wrote meanwhile.
func (r *Run) Wait() (e End, said string, err error) {
	defer r.cancel()
	r.cmd.Wait()
	if r.ctx.Err() != nil {
		err = fmt.Errorf("it does not end: %w", r.ctx.Err())
	}
	e.Status = r.cmd.ProcessState.ExitCode()
	if ws := r.cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		e.Status = 128 + int(ws.Signal())
	}
	for _, line := range ours.FindAllString(r.err.String(), -1) {
		said += line
	}
	e.Out, e.Err = r.out.String(), ours.ReplaceAllString(r.err.String(), "")
	return e, said, err
}
