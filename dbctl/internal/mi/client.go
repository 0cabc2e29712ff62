package mi

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Config says how to start a debugger.
type Config struct {
	Path string   // the program; searched in $PATH if it holds no slash
	Args []string // its arguments, --interpreter=mi3 among them
	Env  []string // nil: os.Environ()

	// Files are its descriptors from 3 on. They stay the caller's.
	Files []*os.File

	// Spawn, if not nil, starts the debugger in place of all of the above, with
	// stdio as its standard input, output and error, as the leader of a process
	// group. It is no child of ours: wait, called once when it has ended or was
	// killed, ends what is left of its group, frees its number and returns how
	// it ended.
	Spawn func(stdio [3]*os.File) (pid int, wait func() string, err error)

	// Tap, if not nil, sees every line without its newline, in order: what
	// is sent when it is handed to Send, what is read when it is parsed. It
	// must not keep line.
	Tap func(toDebugger bool, line []byte)
}

// Client talks to one debugger. One goroutine uses it; Wake alone may be
// called from others.
type Client struct {
	tap     func(toDebugger bool, line []byte)
	wire    wire
	proc    process
	token   int       // of the last command sent
	parser  parser    // reused by Next
	rec     Record    // what Next returned last
	kept    []*Record // read by Do while it waited for something else
	keptLen int       // bytes of the lines in kept
	batch   []byte    // reused by Send
	woken   atomic.Bool
	greeted bool   // a record came: the other end speaks MI
	strange int    // lines that were no MI, before greeted
	first   []byte // the first command sent, until greeted
	died    *Died
	closed  bool
}

const (
	// maxStrange is the number of lines without MI that a debugger may say
	// before its first record.
	maxStrange = 100
	// maxKept bounds what Do and DoAll keep for Next, in bytes.
	maxKept = 256 << 20
)

// Start starts a debugger in a process group of its own, with pipes as its
// standard input, output and error. The error says why that was not possible.
func Start(cfg Config) (*Client, error) {
	c := &Client{tap: cfg.Tap}
	c.wire.init()
	if err := c.start(cfg); err != nil {
		c.wire.close()
		return nil, fmt.Errorf("cannot start the debugger: %w", err)
	}
	return c, nil
}

// Over talks to a debugger that somebody else started: in is what it reads,
// out is what it writes, both pipes or FIFOs, which Over takes over. The
// caller reaps pid if it is its child. A pid of 0 is unknown: the debugger has
// then died when out ends. If the files can't be used the client is born dead:
// every call returns a *Died that says why. Of cfg, only Tap is used.
func Over(in, out *os.File, pid int, cfg Config) *Client {
	c := &Client{tap: cfg.Tap}
	c.wire.init()
	if err := c.over(in, out, pid); err != nil {
		c.died = &Died{Status: "cannot talk to it: " + err.Error()}
	}
	return c
}

// Pid returns the process number of the debugger.
func (c *Client) Pid() int { return c.proc.pid }

// Send sends commands in one write(2) and returns the token of the first; the
// others follow. It never waits: what the debugger has no room for is written
// by the next Send or Next. The error is a *Died, or says that a command holds
// a newline.
func (c *Client) Send(cmds ...string) (first int, err error) {
	if c.died != nil {
		return 0, c.died
	}
	for _, cmd := range cmds {
		if strings.ContainsAny(cmd, "\n\r\x00") {
			return 0, fmt.Errorf("a debugger command holds a line break or a NUL: %q", cmd)
		}
	}
	first = c.token + 1
	c.batch = c.batch[:0]
	for _, cmd := range cmds {
		from := len(c.batch)
		c.token++
		c.batch = strconv.AppendInt(c.batch, int64(c.token), 10)
		if cmd == "" || '0' <= cmd[0] && cmd[0] <= '9' {
			c.batch = append(c.batch, ' ')
		}
		c.batch = append(c.batch, cmd...)
		if c.tap != nil {
			c.tap(true, c.batch[from:])
		}
		if c.first == nil && !c.greeted {
			c.first = bytes.Clone(c.batch[from:])
		}
		c.batch = append(c.batch, '\n')
	}
	if !c.wire.write(c.batch) {
		return 0, c.die()
	}
	return first, nil
}

// Next returns the next record but prompts, waiting for it until deadline; the
// zero deadline waits for ever. Records that Do kept come first. The record
// and its Items are valid until the next call of a method; strings in it stay
// valid. The error is ErrTimeout, ErrWoken, ErrLineTooLong, *NotMI or *Died;
// after a *Died there is nothing more to come.
func (c *Client) Next(deadline time.Time) (*Record, error) {
	if len(c.kept) > 0 {
		r := c.kept[0]
		c.kept[0] = nil
		c.kept = c.kept[1:]
		c.keptLen -= len(r.Raw)
		return r, nil
	}
	for {
		line, err := c.line(deadline, true)
		if err != nil {
			return nil, err
		}
		c.parser.record(&c.rec, line)
		if skip, err := c.check(&c.rec); err != nil {
			return nil, err
		} else if !skip {
			return &c.rec, nil
		}
	}
}

// Do sends one command and returns its result. Records that come meanwhile are
// kept for Next. The errors are those of Send and Next but ErrWoken, which is
// left for Next, and *CommandError if the debugger refuses.
func (c *Client) Do(cmd string, deadline time.Time) (*Record, error) {
	rs, err := c.DoAll(deadline, cmd)
	if len(rs) == 0 {
		return nil, err
	}
	return rs[0], err
}

// DoAll sends commands in one write and returns their results, in order. If
// the debugger refuses some, the results are complete all the same and the
// error is the first *CommandError. On any other error the results are those
// that came before it. A reply that comes after ErrTimeout is left to Next.
func (c *Client) DoAll(deadline time.Time, cmds ...string) ([]*Record, error) {
	first, err := c.Send(cmds...)
	if err != nil {
		return nil, err
	}
	var refused error
	results := make([]*Record, 0, len(cmds))
	for len(results) < len(cmds) {
		line, err := c.line(deadline, false)
		if err != nil {
			return results, err
		}
		r := Parse(line)
		if skip, err := c.check(&r); err != nil {
			return results, err
		} else if skip {
			continue
		}
		i := len(results)
		if r.Kind != Result || r.Token != first+i {
			if err := c.keep(&r); err != nil {
				return results, err
			}
			if late(deadline) { // it may go on talking for ever
				return results, ErrTimeout
			}
			continue
		}
		if r.Class == "error" && refused == nil {
			refused = &CommandError{Command: cmds[i], Message: r.Str("msg")}
		}
		results = append(results, &r)
	}
	return results, refused
}

// keep keeps a record for Next.
func (c *Client) keep(r *Record) error {
	c.kept = append(c.kept, r)
	c.keptLen += len(r.Raw)
	if c.keptLen > maxKept {
		return fmt.Errorf("the debugger wrote %d MB and no answer", c.keptLen>>20)
	}
	return nil
}

// Wake makes the Next that waits, or else the next one, return ErrWoken, once
// for any number of calls before it. It may be called from any goroutine until
// Close.
func (c *Client) Wake() {
	if !c.woken.Swap(true) {
		c.wire.wakeUp()
	}
}

// check looks at a record before anybody else. skip is true of prompts.
func (c *Client) check(r *Record) (skip bool, err error) {
	if c.greeted {
		return r.Kind == Prompt, nil
	}
	if r.Kind != Other {
		c.greeted, c.first = true, nil
		return r.Kind == Prompt, nil
	}
	c.strange++
	if c.strange > maxStrange || c.first != nil && bytes.Equal(r.Raw, c.first) {
		return false, &NotMI{Line: string(r.Raw)}
	}
	return false, nil
}

// line returns the next line, valid until the next call.
func (c *Client) line(deadline time.Time, wakeable bool) ([]byte, error) {
	for tries := 0; ; tries++ {
		if wakeable && c.woken.Load() {
			// In this order: a Wake between the two leaves the flag set.
			c.woken.Store(false)
			c.wire.unwake()
			return nil, ErrWoken
		}
		line, err := c.wire.line()
		if err != nil {
			return nil, err
		}
		if line != nil {
			if c.tap != nil {
				c.tap(false, line)
			}
			return line, nil
		}
		if c.died != nil {
			return nil, c.died
		}
		if tries > 0 && late(deadline) {
			return nil, ErrTimeout
		}
		switch c.wire.fill(deadline, wakeable) {
		case ended:
			c.die()
		case timedOut:
			return nil, ErrTimeout
		}
	}
}

// late reports whether deadline has passed.
func late(deadline time.Time) bool {
	return !deadline.IsZero() && !time.Now().Before(deadline)
}
