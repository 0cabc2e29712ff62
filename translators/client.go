package translators

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/profilecollection/pct/translators/internal/coproc"
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

	process *coproc.Process
	failed  error // why it can't be asked any more
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
	p, err := coproc.Start(argv, nil)
	if err != nil {
		return nil, fmt.Errorf("translator %s: %w", argv[0], err)
	}
	return &Client{Timeout: DefaultTimeout, process: p}, nil
}

// Translate returns the frames of each address of object, in the order of
// vaddrs, innermost first and at least one each; equal ones may share memory. All errors but the caller's own
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
	if c.process.Buffered() > 0 {
		return nil, c.fail("it printed more answers than requests")
	}
	// Requests are written beside the reading of answers: with both pipes full
	// the two processes would wait for each other for ever.
	var wg sync.WaitGroup
	c.process.SetWriteDeadline(time.Time{})
	wg.Go(func() { c.ask(object, buildID, vaddrs) })
	answers, what := c.answers(len(vaddrs))
	if what != "" {
		c.process.SetWriteDeadline(time.Now())
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
			if _, err := c.process.Write(b); err != nil {
				return
			}
			b = b[:0]
		}
	}
}

// answers reads n answers, or says what is wrong with them.
func (c *Client) answers(n int) (all [][]Location, what string) {
	all = make([][]Location, 0, n)
	last := ""
	for len(all) < n {
		line, err := c.process.ReadLine(c.Timeout)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, fmt.Sprintf("no answer for %v (%d of %d came)", c.Timeout, len(all), n)
		case err != nil && err != io.EOF:
			return nil, err.Error()
		case err == io.EOF:
			return nil, fmt.Sprintf("it ended after %d of %d answers", len(all), n)
		}
		if line == last && len(all) > 0 {
			all = append(all, all[len(all)-1]) // neighbours are often of one function or line
			continue
		}
		last = line
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
	status := c.process.Reap(time.Second)
	if strings.HasPrefix(what, "it ended") && status != "" {
		what += " (" + status + ")"
	}
	c.failed = &Error{Argv: c.process.Argv(), What: what, Stderr: c.process.Stderr()}
	return c.failed
}

// Close ends the translator, waits for it, and returns an *Error where it failed
// at the end: it said more than it was asked, did not end, or had a status other
// than 0. It may be called again, and after an error.
func (c *Client) Close() error {
	if c.process.Reaped() {
		return nil
	}
	c.process.CloseInput()
	what, patience := "", min(closeTimeout, c.Timeout)
	if n, err := c.process.Drain(patience); n > 0 {
		what = "it printed more answers than requests"
	} else if err != nil {
		what, patience = "it did not end at the end of its input", 0
	}
	if status := c.process.Reap(patience); what == "" {
		what = status
	}
	if what != "" {
		c.failed = &Error{Argv: c.process.Argv(), What: what, Stderr: c.process.Stderr()}
		return c.failed
	}
	c.failed = errors.New("translator is closed")
	return nil
}
