package debugger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// ErrBusy says that as many debuggers run as may: wait for a Put, or do
// without.
var ErrBusy = errors.New("as many debuggers run as the limit allows")

// ErrPoolClosed says that Close was called.
var ErrPoolClosed = errors.New("the debuggers have been closed")

// readyTime is how long a debugger has to start and to be prepared.
const readyTime = 30 * time.Second

// PoolConfig says what debuggers a Pool gives.
type PoolConfig struct {
	Path  string // of the debugger; a name is searched in $PATH; "": gdb
	Limit int    // how many may run at once; 0: as memory and descriptors allow

	// Tap, if not nil, sees every line of every debugger, as mi.Config says, one
	// call at a time.
	Tap func(toDebugger bool, line []byte)
}

// Pool gives prepared debuggers, each a process of its own, to any number of
// goroutines. They are copies of one, the zygote; where gdb can't be copied,
// or the zygote has died, each is started anew. None of them is left running
// when this process ends, however it ends.
type Pool struct {
	table *Table
	cfg   mi.Config // of a debugger that is started anew
	limit int

	mu     sync.Mutex
	life   *life // nil: no Get yet, or closed
	given  map[*mi.Client]bool
	making int // Gets under way
	closed bool
	note   string

	zygoteMu sync.Mutex // held while the zygote is started and ended
	zygote   *zygote
	tried    bool // to start the zygote: it's not tried again
}

// inUTF8 is an environment in which a debugger shows texts as it does in UTF-8, whatever the user's character set.
func inUTF8(environ []string) []string {
	environ = slices.DeleteFunc(environ, func(pair string) bool { return strings.HasPrefix(pair, "LC_ALL=") })
	return append(environ, "LC_ALL=C.UTF-8")
}

// NewPool makes a pool. It starts nothing: the first Get does.
func NewPool(cfg PoolConfig) *Pool {
	p := &Pool{table: Of(cfg.Path), limit: cfg.Limit, given: map[*mi.Client]bool{}}
	p.cfg = mi.Config{Path: cfg.Path, Args: p.table.Args, Env: inUTF8(os.Environ())}
	if p.cfg.Path == "" {
		p.cfg.Path = p.table.Name
	}
	if p.table.Environ != nil {
		p.cfg.Env = p.table.Environ(p.cfg.Path, p.cfg.Env)
	}
	if p.limit == 0 {
		p.limit = defaultLimit(p.table.Memory)
	}
	if cfg.Tap != nil {
		var mu sync.Mutex
		p.cfg.Tap = func(toDebugger bool, line []byte) {
			mu.Lock()
			defer mu.Unlock()
			cfg.Tap(toDebugger, line)
		}
	}
	return p
}

// Table is that of its debuggers.
func (p *Pool) Table() *Table { return p.table }

// Limit returns how many debuggers may run at once.
func (p *Pool) Limit() int { return p.limit }

// Note returns why debuggers are started anew, a tenth of a second each, for
// the notes of a run; "" if they aren't.
func (p *Pool) Note() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.note
}

// Object is a mapped file whose symbols a debugger is to read.
type Object struct {
	Path string
	Bias uint64 // what is to be added to the addresses in the file
	Err  error  // set by Get: why it could not be read
}

// Get returns a debugger of the caller's own, prepared by the table's Setup,
// with no process yet, which has read the objects: those that the pool has met
// before take it less than a millisecond. The error is ErrBusy, ErrPoolClosed,
// or says why there is no debugger that can be used.
func (p *Pool) Get(objects ...*Object) (*mi.Client, error) {
	life, err := p.reserve()
	if err != nil {
		return nil, err
	}
	c, err := p.make(life, objects)

	p.mu.Lock()
	defer p.mu.Unlock()
	p.making--
	if err == nil && !p.closed {
		p.given[c] = true
		return c, nil
	}
	if err == nil {
		c.Kill()
		c.Close()
	}
	if p.closed {
		err = ErrPoolClosed
	}
	return nil, err
}

// reserve takes a place.
func (p *Pool) reserve() (*life, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, ErrPoolClosed
	case len(p.given)+p.making >= p.limit:
		return nil, ErrBusy
	}
	if p.life == nil {
		var err error
		if p.life, err = newLife(); err != nil {
			return nil, err
		}
	}
	p.making++
	return p.life, nil
}

// Put ends a debugger that Get gave, and frees its place. Nobody may use it
// any more.
func (p *Pool) Put(c *mi.Client) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.given, c)
}

// Close kills all debuggers. Owners of what Get gave see it die, and Put it
// as ever. No Get succeeds any more.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	if p.life != nil {
		p.life.end()
		p.life = nil
	}
	p.mu.Unlock()

	p.zygoteMu.Lock()
	defer p.zygoteMu.Unlock()
	p.tried = true
	if p.zygote != nil {
		p.zygote.close()
		p.zygote = nil
	}
}

// make copies a debugger, or starts one.
func (p *Pool) make(life *life, objects []*Object) (*mi.Client, error) {
	if z := p.prepared(life); z != nil {
		c, err := z.fork(p.cfg, p.table, life, objects)
		if err == nil {
			return c, nil
		}
		p.noteWhy(err)
	}
	c, err := p.start(life)
	if err != nil {
		return nil, fmt.Errorf("%w (apt-get install %s, or name one with -debugger)", err, p.table.Name)
	}
	err = prepare(c, p.table, p.table.Setup, time.Now().Add(readyTime))
	if err == nil && len(objects) > 0 {
		err = readAll(c, p.table, objects)
	}
	if err != nil {
		c.Kill()
		c.Close()
		return nil, fmt.Errorf("%s cannot be used as debugger: %w", p.cfg.Path, err)
	}
	return c, nil
}

// start starts a debugger, with its program.
func (p *Pool) start(life *life) (*mi.Client, error) {
	if p.table.Program == "" {
		return life.start(p.cfg)
	}
	fd, err := unix.MemfdCreate("pct-debugger", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	program := os.NewFile(uintptr(fd), "program")
	defer program.Close()
	if _, err = program.WriteString(p.table.Program); err == nil {
		_, err = program.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	cfg := p.cfg
	cfg.Files = []*os.File{program}
	return life.start(cfg)
}

// prepared returns the zygote, started by the first call; nil if there can't
// be one.
func (p *Pool) prepared(life *life) *zygote {
	p.zygoteMu.Lock()
	defer p.zygoteMu.Unlock()
	if !p.tried && p.table.Copied {
		p.tried = true
		z, err := startZygote(p.cfg, p.table, life)
		if err != nil {
			p.noteWhy(err)
			return nil
		}
		p.zygote = z
	}
	return p.zygote
}

func (p *Pool) noteWhy(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.note == "" && !p.closed {
		p.note = fmt.Sprintf("debuggers were started slowly, one by one: %v", err)
	}
}
