package debugger

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// ErrBusy says that as many debuggers run as may: use one that runs, wait for
// a Put, or do without.
var ErrBusy = errors.New("as many debuggers run as the limit allows")

// ErrPoolClosed says that Close was called.
var ErrPoolClosed = errors.New("the debuggers have been closed")

// readyTime is how long a debugger has to start and to be prepared.
const readyTime = 30 * time.Second

// PoolConfig says what debuggers a Pool gives.
type PoolConfig struct {
	Path  string // of gdb; "": searched in $PATH
	Limit int    // how many may run at once; 0: as memory and descriptors allow

	// Tap, if not nil, sees every line of every debugger, as mi.Config says.
	// Several goroutines call it at once.
	Tap func(toDebugger bool, line []byte)
}

// Pool gives prepared debuggers, each a process of its own, to any number of
// goroutines. None is left running when this process ends, however it ends.
type Pool struct {
	cfg   PoolConfig
	table *Table

	mu     sync.Mutex
	out    map[*mi.Client]bool // given by Get
	making int // Gets under way
	closed bool
}

// NewPool makes a pool. It starts nothing: the first Get does.
func NewPool(cfg PoolConfig) *Pool {
	table := GDB()
	if cfg.Path == "" {
		cfg.Path = table.Name
	}
	if cfg.Limit == 0 {
		cfg.Limit = 64
	}
	return &Pool{cfg: cfg, table: table, out: map[*mi.Client]bool{}}
}

// Limit returns how many debuggers may run at once.
func (p *Pool) Limit() int { return p.cfg.Limit }

// Note returns why the debuggers start slowly, "" if they don't: for the notes
// of a run.
func (p *Pool) Note() string { return "" }

// Get returns a debugger of the caller's own, prepared by the table's Setup,
// with no process yet. The error is ErrBusy, ErrPoolClosed, or says why there
// is no debugger that can be used.
func (p *Pool) Get() (*mi.Client, error) {
	p.mu.Lock()
	switch {
	case p.closed:
		p.mu.Unlock()
		return nil, ErrPoolClosed
	case len(p.out)+p.making >= p.cfg.Limit:
		p.mu.Unlock()
		return nil, ErrBusy
	}
	p.making++
	p.mu.Unlock()

	c, err := p.start()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.making--
	if err != nil {
		return nil, err
	}
	if p.closed {
		c.Kill()
		c.Close()
		return nil, ErrPoolClosed
	}
	p.out[c] = true
	return c, nil
}

// Put ends a debugger that Get gave. It must be the caller's alone; its place
// is then free.
func (p *Pool) Put(c *mi.Client) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.out, c)
}

// Close ends all debuggers. Those that Get gave are killed; their owners see
// them die, and Put them still. No Get succeeds any more.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for c := range p.out {
		c.Kill()
	}
}

// start starts a debugger and prepares it.
func (p *Pool) start() (*mi.Client, error) {
	c, err := mi.Start(mi.Config{Path: p.cfg.Path, Args: p.table.Args, Tap: p.cfg.Tap})
	if err != nil {
		return nil, fmt.Errorf("%w (apt-get install gdb, or name one with -gdb)", err)
	}
	if err := p.prepare(c); err != nil {
		c.Close()
		return nil, fmt.Errorf("%s is no debugger that can be used here: %w", p.cfg.Path, err)
	}
	return c, nil
}

// prepare checks a debugger's version and sets it up.
func (p *Pool) prepare(c *mi.Client) error {
	deadline := time.Now().Add(readyTime)
	text, err := ask(c, p.table.Version, deadline)
	if err != nil {
		return err
	}
	if err := p.table.Supported(text); err != nil {
		return err
	}
	_, err = c.DoAll(deadline, p.table.Setup...)
	return err
}

// ask returns what a debugger prints before its answer to a command.
func ask(c *mi.Client, command string, deadline time.Time) (string, error) {
	token, err := c.Send(command)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for {
		r, err := c.Next(deadline)
		switch {
		case err != nil:
			return "", err
		case r.Kind == mi.Console:
			text.WriteString(r.Text)
		case r.Kind == mi.Result && r.Token == token && r.Class == "error":
			return "", &mi.CommandError{Command: command, Message: r.Str("msg")}
		case r.Kind == mi.Result && r.Token == token:
			return text.String(), nil
		}
	}
}
