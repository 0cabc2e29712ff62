package session

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/unwind"
)

// link is a process's debugger: one that does not trace it, but asks us. It's
// made when a script first needs it, and the process never notices; nor does it
// when the debugger dies.
type link struct {
	p       *process
	gdb     *mi.Client
	table   *debugger.Table
	server  *remote.Server
	conn    net.Conn
	served  chan struct{}
	queue   []debugger.Event // events that came while an answer was awaited
	resumed map[int]int      // tokens of the commands that let threads go on last, by the debugger's numbers of these
	steps   bool             // it steps each instruction where a watchpoint is
	stuck   error            // why it does not let threads go on
	stray   bool             // a thread ended before the debugger knew that it stood
	viewed  *thread          // the thread that one sees which sees one at a time
	points  map[uint64]bool  // where it has us put breakpoints
}

// connectTime is how long a debugger may take to connect.
const connectTime = 30 * time.Second

// tellEnded tells the debugger of the end of a thread, for which it may be waiting.
func (p *process) tellEnded(tid int, status unix.WaitStatus) {
	if l := p.listener; l != nil && l.server != nil {
		l.server.Ended(tid, int(status))
	}
}

// needDebugger makes the process's debugger, if it has none. There is none, and
// it's said, where it can't be made.
//
// The objects are those whose symbols it's to have read.
func (p *process) needDebugger(objects []*unwind.Object) bool {
	if p.link != nil || p.noDebugger {
		return p.link != nil
	}
	th := p.anyStanding()
	if th == nil && !p.free.Load() {
		p.tree.sayOnce("cannot ask the debugger about process %d: none of its threads is stopped", p.pid)
		return false
	}
	l, err := p.connect(th, objects)
	switch {
	case errors.Is(err, debugger.ErrBusy):
		// Next time one may be free.
		p.waitedFor++
		return false
	case err != nil && !p.stands(th):
		return false // it's ending, or let go
	case err != nil:
		p.noDebugger = true
		p.tree.sayOnce("no debugger for process %d: %v", p.pid, err)
		p.run.note("no debugger: " + err.Error())
		return false
	}
	p.link = l
	return true
}

// connect makes a debugger, which knows from the beginning that a thread stands
// still: gdb takes the first stop that it's told for its own. For a process that
// has ended it's a debugger of nothing.
func (p *process) connect(th *thread, objects []*unwind.Object) (*link, error) {
	var files []*debugger.Object
	for _, o := range objects {
		if o.Kind == unwind.File {
			files = append(files, &debugger.Object{Path: o.Path, Bias: o.Bias})
		}
	}
	gdb, all, err := p.tree.debugger(files)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		p.symbols[o] = p.symbols[o] || all && o.Kind == unwind.File
	}
	l := &link{p: p, gdb: gdb, table: p.tree.pool.Table(), resumed: make(map[int]int), served: make(chan struct{})}
	if th == nil {
		close(l.served)
		p.tracing(func() { p.listener = l })
		return l, nil
	}
	err = errGone
	p.tracing(func() {
		if !p.free.Load() {
			p.connecting, err = gdb, nil
		}
	})
	if err == nil {
		err = l.connect(th)
	}
	p.tracing(func() {
		p.connecting = nil
		if err == nil {
			p.listener = l
		}
	})
	if err != nil {
		if l.conn != nil {
			l.conn.Close()
		}
		th.show(false)
		p.tree.pool.Put(gdb)
		return nil, fmt.Errorf("%s cannot connect: %w", l.table.Name, err)
	}
	return l, nil
}

func (l *link) connect(th *thread) error {
	dir, err := os.MkdirTemp("", "pct-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	defer listener.Close()
	deadline := time.Now().Add(connectTime)
	listener.SetDeadline(deadline)
	accepted := make(chan error, 1)
	go func() {
		defer close(l.served)
		conn, err := listener.Accept()
		if err == nil {
			l.conn = conn
			th.show(true)
			if l.views() {
				l.server = remote.NewView(conn, l.p, th.tid)
			} else {
				l.server = remote.New(conn, l.p)
				l.server.Stopped(th.tid, remote.Stop{})
			}
		}
		accepted <- err
		if err == nil {
			l.server.Serve()
		}
	}()
	_, err = l.gdb.DoAll(deadline, l.table.Connect(socket)...)
	if err != nil {
		listener.Close() // ends a wait that nobody will answer
	}
	if e := <-accepted; err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if l.views() {
		l.sees(th)
		return nil
	}
	return l.met(th, deadline)
}

// abandon ends a connection that is being made to a process which is let go.
func (p *process) abandon() {
	if p.connecting != nil {
		unix.Kill(p.connecting.Pid(), unix.SIGKILL)
	}
}

var errGone = errors.New("the thread has ended")

// met waits until the debugger has seen the thread that stands still.
func (l *link) met(th *thread, deadline time.Time) error {
	for {
		r, err := l.gdb.Next(deadline)
		if errors.Is(err, mi.ErrWoken) {
			if !l.p.stands(th) {
				return errGone
			}
			continue
		}
		if err != nil {
			return err
		}
		if ev := l.table.Decode(r); ev.Kind == debugger.Stopped {
			th.name = ev.Thread
			th.lend()
			return nil
		}
	}
}

// anyStanding is the event's thread, or else any that stands still.
func (p *process) anyStanding() *thread {
	if p.now != nil && p.now.thread != nil && p.now.held {
		return p.now.thread
	}
	for _, th := range p.threads.all() {
		if th.stands() {
			return th
		}
	}
	return nil
}

// unlink ends the debugger. What it put into the process is taken out, and
// threads that it knew to stand still, which are returned, are ours again.
func (p *process) unlink() (shown []*thread) {
	l := p.link
	if l == nil {
		return nil
	}
	p.link = nil
	if l.conn != nil {
		l.conn.Close()
	}
	p.tracing(func() { p.listener = nil })
	p.tree.pool.Put(l.gdb)
	<-l.served
	for _, th := range p.threads.all() {
		if th.isShown() {
			shown = append(shown, th)
		}
		th.show(false)
		th.name = 0
	}
	p.tracing(p.dropBreakpoints)
	return shown
}

// show lets the debugger know that the event's thread stands still, and returns
// its name for it. Events of the whole process have any thread.
func (p *process) show(objects []*unwind.Object) int {
	if !p.needDebugger(objects) {
		return 0
	}
	th := p.now.thread
	if th == nil || !p.now.held {
		return p.anyName()
	}
	if p.link.views() {
		return p.link.look(th)
	}
	if th.isShown() {
		th.lend()
		return th.name
	}
	th.show(true)
	p.link.server.Stopped(th.tid, remote.Stop{Signal: int(unix.SignalNum(debugger.ShowSignal))})
	deadline := time.Now().Add(answerTime)
	for p.stands(th) {
		r, err := p.link.gdb.Next(deadline)
		if errors.Is(err, mi.ErrWoken) {
			continue // the thread may be gone
		}
		if err != nil {
			return 0
		}
		if r.Kind == mi.Result {
			p.answered(r)
			continue
		}
		switch ev := p.link.table.Decode(r); ev.Kind {
		case debugger.Tick:
			if p.link.known(ev.Thread, th) {
				th.name = ev.Thread
				th.lend()
				return ev.Thread
			}
		case debugger.None:
		default:
			p.link.queue = append(p.link.queue, ev)
		}
	}
	p.link.stray = true
	th.show(false)
	return 0
}

// stands reports whether a thread stands still and is ours.
func (p *process) stands(th *thread) bool {
	return th.stands() && !p.free.Load()
}

// known reports whether a name is that of a thread, and not of one that ended
// before the debugger said that it stands.
func (l *link) known(name int, th *thread) bool {
	if th.name != 0 || !l.stray {
		return th.name == 0 || th.name == name
	}
	_, r, err := l.p.ask(time.Now().Add(answerTime), l.table.Threads)
	return err == nil && l.table.ReadThreads(r)[name] == th.tid
}

// anyShown is a thread of which the debugger knows that it stands still, the event's if it can be;
// 0: there is none.
func (p *process) anyShown() int {
	threads := p.threads.all()
	if p.now != nil && p.now.thread != nil {
		threads = append([]*thread{p.now.thread}, threads...)
	}
	for _, th := range threads {
		if th.name != 0 && th.stays() {
			return th.name
		}
	}
	return 0
}

// anyName is a thread that the debugger knows, 0 if none.
func (p *process) anyName() int {
	least := 0
	for _, th := range p.threads.all() {
		if th.name != 0 && (least == 0 || th.name < least) {
			least = th.name
		}
	}
	return least
}

func (l *link) threadOf(name int) *thread {
	if name == 0 {
		return nil
	}
	threads := l.p.threads.all()
	for _, th := range threads {
		if th.name == name {
			return th
		}
	}
	// One that the debugger has met by itself.
	_, r, err := l.p.ask(time.Now().Add(answerTime), l.table.Threads)
	if err != nil {
		return nil
	}
	for name, tid := range l.table.ReadThreads(r) {
		for _, th := range threads {
			if th.tid == tid {
				th.name = name
			}
		}
	}
	for _, th := range threads {
		if th.name == name {
			return th
		}
	}
	return nil
}

// resume has the debugger let a thread go on.
func (l *link) resume(th *thread) {
	if l.views() {
		l.letGo(th)
		return
	}
	th.unlend()
	if token, err := l.gdb.Send(l.table.Continue(th.name)); err == nil {
		l.p.pending[token] = command{name: th.name, ours: true}
	}
}

// showStop tells the debugger of a stop that is its affair: at once, because it
// may wait for it.
func (t *tree) showStop(th *thread, stop remote.Stop) {
	p := th.p
	l := p.listener
	if l == nil || l.server == nil {
		t.goOnIf(th)
		return
	}
	if l.views() && !th.inCall() {
		if stop.Breakpoint {
			t.metView(th)
		} else {
			t.goOnIf(th)
		}
		return
	}
	th.show(true)
	l.server.Stopped(th.tid, stop)
}
