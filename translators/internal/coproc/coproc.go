// Package coproc runs programs that are asked by lines on their standard input and
// answer by lines on their standard output, and bears what such a program may do:
// die, hang, close its output, leave children, say too much.
package coproc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// MaxLine bounds a line, in bytes: enough for any chain of demangled names, and an
// end to what is no line at all.
const MaxLine = 16 << 20

// endTimeout bounds how long a grandchild may hold on to standard error.
const endTimeout = 30 * time.Second

// A Process is a running program, in a process group of its own. One goroutine may
// write to it while another one reads.
type Process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	lines  *bufio.Reader
	stderr tail
	reaped bool
}

// Environment is our own in the language of machines, and, unless the network may be
// used, without the servers that programs of binutils, gdb and LLVM get debug
// information from.
func Environment(network bool) []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return !network && strings.HasPrefix(v, "DEBUGINFOD_URLS=")
	}), "LC_ALL=C")
}

// Start starts argv with the environment env, nil for our own.
func Start(argv, env []string) (*Process, error) {
	p := &Process{cmd: exec.Command(argv[0], argv[1:]...)}
	in, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, out, err := os.Pipe()
	if err != nil {
		w.Close()
		return nil, err
	}
	defer out.Close()
	p.in, p.out, p.lines = w, r, bufio.NewReaderSize(r, 64<<10)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, &p.stderr
	p.cmd.Env = env
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A grandchild that holds on to standard error must not hold up Wait.
	p.cmd.WaitDelay = endTimeout
	if err := p.cmd.Start(); err != nil {
		w.Close()
		r.Close()
		return nil, err
	}
	return p, nil
}

// Argv is the command line.
func (p *Process) Argv() []string { return p.cmd.Args }

// Pid is the process id, and that of the process group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Write writes to the standard input of the program.
func (p *Process) Write(b []byte) (int, error) { return p.in.Write(b) }

// SetWriteDeadline ends writes at a time, the zero time never.
func (p *Process) SetWriteDeadline(at time.Time) { p.in.SetWriteDeadline(at) }

// CloseInput ends the standard input of the program.
func (p *Process) CloseInput() { p.in.Close() }

// ReadLine returns the next line without its newline. Its errors are io.EOF where
// the output has ended (with what stood behind the last newline),
// os.ErrDeadlineExceeded after timeout, and others.
func (p *Process) ReadLine(timeout time.Duration) (string, error) {
	if here, _ := p.lines.Peek(p.lines.Buffered()); bytes.IndexByte(here, '\n') < 0 {
		p.out.SetReadDeadline(time.Now().Add(timeout))
	}
	return ReadLine(p.lines)
}

// Buffered says how much has been said and not been read yet, as far as is known.
func (p *Process) Buffered() int { return p.lines.Buffered() }

// Drain reads the output to its end and returns how much there was.
func (p *Process) Drain(timeout time.Duration) (int64, error) {
	p.out.SetReadDeadline(time.Now().Add(timeout))
	return p.lines.WriteTo(io.Discard)
}

// Reap closes the input, waits for the program's end for the time given, then
// kills it, and whatever is left of its group in any case; it returns what was
// wrong with its end, "" if nothing was or it was reaped before.
func (p *Process) Reap(patience time.Duration) string {
	if p.reaped {
		return ""
	}
	p.reaped = true
	p.in.Close()
	kill := func() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
	timer := time.AfterFunc(patience, kill)
	err := p.cmd.Wait()
	timer.Stop()
	kill()
	p.out.Close()
	if err == nil {
		return ""
	}
	return err.Error()
}

// Reaped says whether Reap was called.
func (p *Process) Reaped() bool { return p.reaped }

// Stderr returns the end of what the program said on its standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

// tail is a writer that keeps the end of what was written.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const tailSize = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if n := len(t.data) - tailSize; n > 0 {
		t.data = append(t.data[:0], t.data[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.data)), "?")
}

var errLongLine = fmt.Errorf("a line of more than %d MB", MaxLine>>20)

// ReadLine returns the next line without its newline; with io.EOF, what stood
// after the last newline.
func ReadLine(r *bufio.Reader) (string, error) {
	part, err := r.ReadSlice('\n')
	if err == nil {
		return string(part[:len(part)-1]), nil
	}
	var b strings.Builder
	for {
		b.Write(part)
		switch {
		case err == nil:
			s := b.String()
			return s[:len(s)-1], nil
		case b.Len() > MaxLine:
			return "", errLongLine
		case !errors.Is(err, bufio.ErrBufferFull):
			return b.String(), err
		}
		part, err = r.ReadSlice('\n')
	}
}
