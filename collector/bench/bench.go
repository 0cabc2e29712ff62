package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// bench is a run of this program.
type bench struct {
	options
	dir      string // for files, ours alone
	data     string // of the last method that was measured
	out, err io.Writer
	methods  []method
	programs []program
	terminal bool // errors are shown on one
	first    bool // programs are run before all other work of the machine, by a real-time priority
	failures int
}

func (b *bench) all() error {
	var err error
	if b.methods, err = b.findMethods(); err != nil {
		return err
	}
	if b.programs, err = b.makePrograms(); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "collector: %d processors, kernel %s, load %s\n", runtime.NumCPU(), firstLine("/proc/sys/kernel/osrelease"), firstLine("/proc/loadavg"))
	b.costs()
	if err := b.paths(); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	if err := b.overheads(); err != nil {
		return fmt.Errorf("overhead: %w", err)
	}
	if err := b.distortions(); err != nil {
		return fmt.Errorf("distortion: %w", err)
	}
	if err := b.waits(); err != nil {
		return fmt.Errorf("waits: %w", err)
	}
	for _, table := range []struct {
		name string
		make func() error
	}{
		{"gaps", b.gaps}, {"starts", b.starts}, {"short", b.short}, {"paths-gaps", b.pathGaps}, {"paths-report", b.pathReports},
		{"coverage", b.coverage},
	} {
		if !b.run.MatchString(table.name) {
			continue
		}
		if err := table.make(); err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	if b.run.MatchString("contexts") {
		return b.contexts()
	}
	return nil
}

// rounds calls f for each round, as long as the next one is expected to end within
// the budget, and returns how many there were.
func (b *bench) inRounds(budget time.Duration, f func()) int {
	began := time.Now()
	for done := 0; ; done++ {
		spent := time.Since(began)
		if done == b.rounds || done > 0 && spent+spent/time.Duration(done) > budget {
			return done
		}
		f()
	}
}

func (b *bench) fail(what string, m method, err error) {
	fmt.Fprintf(b.err, "bench: %s, %s: %v\n", what, m.name, err)
	if !m.foreign {
		b.failures++
	}
}

// progress tells on a terminal what is being done; nothing if the text is empty.
func (b *bench) progress(format string, args ...any) {
	if b.terminal {
		fmt.Fprintf(b.err, "\r\033[K"+format, args...)
	}
}

// longestRun is for how long a command may run.
const longestRun = 5 * time.Minute

// A measured run of a command.
type measured struct {
	cpu     time.Duration // of the command, all its children, and the sampler
	wall    time.Duration
	samples uint64
	stdout  string
	dir     string // where the method left its data
}

// measure runs argv by that method. Its data stay in the directory until the next
// call, where names may be kept with them afterwards: it's another one each time.
func (b *bench) measure(m method, argv []string) (measured, error) {
	os.RemoveAll(b.data)
	data, err := os.MkdirTemp(b.dir, "data")
	if err != nil {
		return measured{}, err
	}
	b.data = data
	argv, environment := m.wrap(data, argv)
	ctx, stop := context.WithTimeout(context.Background(), longestRun)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	// What hangs is ended with all that it started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	// Python's hashes are the same in all runs then.
	cmd.Env = append(append(os.Environ(), "PYTHONHASHSEED=0"), environment...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Run(); ctx.Err() != nil {
		return measured{}, fmt.Errorf("stopped after %v", longestRun)
	} else if err != nil {
		return measured{}, fmt.Errorf("%w: %s", err, &stderr)
	}
	took := time.Since(began)
	r := measured{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall: took, stdout: stdout.String(), dir: data}
	if m.samples == nil {
		return r, nil
	}
	r.samples, err = m.samples(data, stderr.String())
	return r, err
}

func firstLine(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
