package translators

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// DefaultTimeout is how long a translator may be silent while it owes answers.
const DefaultTimeout = 60 * time.Second

// closeTimeout bounds how long a translator may take to end at the end of its
// input.
const closeTimeout = 30 * time.Second

// A Client runs one translator and asks it. It is for one goroutine at a time.
type Client struct {
	// Timeout bounds the time between two answers; DefaultTimeout at first.
	// It may be set between calls.
	Timeout time.Duration

	cmd    *exec.Cmd
	in     *os.File // requests
	out    *os.File // answers
	lines  *bufio.Reader
	stderr tail
	failed error // why it can't be asked any more
	reaped bool
}

// An Error says how a translator failed. Nothing that it answered in the failed
// call was returned, and it cannot be asked again.
type Error struct {
	Argv   []string
	What   string // what went wrong
	Stderr string // the end of its standard error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("translator %s: %s", e.Argv[0], e.What)
	if e.Stderr != "" {
		s += "; it says: " + e.Stderr
	}
	return s
}

// Start starts the translator argv in a process group of its own. An error says
// that it can't be run; that it is no translator shows at the first Translate.
func Start(argv []string) (*Client, error) {
	if len(argv) == 0 {
		return nil, errors.New("no translator named")
	}
	c := &Client{Timeout: DefaultTimeout, cmd: exec.Command(argv[0], argv[1:]...)}
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
	c.in, c.out, c.lines = w, r, bufio.NewReaderSize(r, 64<<10)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = in, out, &c.stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A grandchild that holds on to standard error must not hold up Wait.
	c.cmd.WaitDelay = closeTimeout
	if err := c.cmd.Start(); err != nil {
		w.Close()
		r.Close()
		return nil, fmt.Errorf("translator %s: %w", argv[0], err)
	}
	return c, nil
}

// Translate returns the frames of each address of object, in the order of
// vaddrs, innermost first and at least one each. All errors but the caller's own
// are of type *Error: then there are no frames at all, and the translator is dead.
func (c *Client) Translate(object string, vaddrs []uint64) ([][]Location, error) {
	return c.TranslateBuild(object, "", vaddrs)
}

// TranslateBuild is Translate of an object that must have the given build-id
// (hexadecimal, "" any): where the file has another one by now, its addresses
// are unknown rather than wrong.
func (c *Client) TranslateBuild(object, buildID string, vaddrs []uint64) ([][]Location, error) {
	if object == "" {
		return nil, errors.New("no object named")
	}
	if c.failed != nil {
		return nil, c.failed
	}
	if c.lines.Buffered() > 0 {
		return nil, c.fail("it answered more than it was asked")
	}
	// Requests are written beside the reading of answers: with both pipes full
	// the two processes would wait for each other for ever.
	var wg sync.WaitGroup
	c.in.SetWriteDeadline(time.Time{})
	wg.Go(func() { c.ask(object, buildID, vaddrs) })
	answers, what := c.answers(len(vaddrs))
	if what != "" {
		c.in.SetWriteDeadline(time.Now())
		wg.Wait()
		return nil, c.fail(what)
	}
	wg.Wait()
	return answers, nil
}

// ask writes the requests. What goes wrong here shows in the answers.
func (c *Client) ask(object, buildID string, vaddrs []uint64) {
	const chunk = 32 << 10
	b := make([]byte, 0, chunk+len(object))
	for i, v := range vaddrs {
		b = appendRequest(b, object, buildID, v)
		if len(b) >= chunk || i == len(vaddrs)-1 {
			if _, err := c.in.Write(b); err != nil {
				return
			}
			b = b[:0]
		}
	}
}

// answers reads n answers, or says what is wrong with them.
func (c *Client) answers(n int) (all [][]Location, what string) {
	all = make([][]Location, 0, n)
	for len(all) < n {
		c.out.SetReadDeadline(time.Now().Add(c.Timeout))
		line, err := readLine(c.lines)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, fmt.Sprintf("no answer for %v (%d of %d came)", c.Timeout, len(all), n)
		case err != nil && err != io.EOF:
			return nil, err.Error()
		case err == io.EOF:
			return nil, fmt.Sprintf("it ended after %d of %d answers", len(all), n)
		}
		frames, err := parseAnswer(line)
		if err != nil {
			return nil, fmt.Sprintf("answer %d of %d: %v", len(all)+1, n, err)
		}
		all = append(all, frames)
	}
	return all, ""
}

// fail kills the translator and makes the error out of what happened and what
// it said on its standard error.
func (c *Client) fail(what string) error {
	// Give one that is ending of its own accord, as after a closed output, the
	// time to finish its last words and to have a status.
	c.in.Close()
	status := c.reap(time.Second)
	if strings.HasPrefix(what, "it ended") && status != "" {
		what += " (" + status + ")"
	}
	c.failed = &Error{Argv: c.cmd.Args, What: what, Stderr: c.stderr.String()}
	return c.failed
}

// Close ends the translator, waits for it, and returns an *Error where it failed
// at the end: it said more than it was asked, did not end, or had a status other
// than 0. It may be called again, and after an error.
func (c *Client) Close() error {
	if c.reaped {
		return nil
	}
	c.in.Close()
	what, patience := "", min(closeTimeout, c.Timeout)
	c.out.SetReadDeadline(time.Now().Add(patience))
	if n, err := c.lines.WriteTo(io.Discard); n > 0 {
		what = "it answered more than it was asked"
	} else if err != nil {
		what, patience = "it did not end at the end of its input", 0
	}
	if status := c.reap(patience); what == "" {
		what = status
	}
	if what != "" {
		c.failed = &Error{Argv: c.cmd.Args, What: what, Stderr: c.stderr.String()}
		return c.failed
	}
	c.failed = errors.New("translator is closed")
	return nil
}

// reap waits for the process for the time given, then kills it, and whatever is
// left of its group in any case; it returns what was wrong with its end, "" if
// nothing was.
func (c *Client) reap(patience time.Duration) string {
	if c.reaped {
		return ""
	}
	c.reaped = true
	kill := func() { syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }
	timer := time.AfterFunc(patience, kill)
	err := c.cmd.Wait()
	timer.Stop()
	kill()
	c.out.Close()
	if err == nil {
		return ""
	}
	return err.Error()
}

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
