package remote

import (
	"io"
	"sync"
)

// Server serves one debugger that debugs one process.
//
// Two goroutines work for it: Serve's answers packets, the other sends the
// notifications. Whichever calls the Process or writes holds serving; mu is
// never held while something may wait, so that Stopped and Ended don't.
type Server struct {
	conn   io.ReadWriteCloser
	p      Process
	in     *reader
	layout *layout
	events events
	view   *view // what an lldb is shown; nil: it's a gdb

	serving  sync.Mutex
	noAck    bool
	attached bool   // it asked what stands still, and is to be notified from now on
	detached bool   // it has let the process go
	general  int    // the thread that registers are asked of; 0: any
	calls    bool   // system calls are caught
	out      []byte // the answer that is being made
	frame    []byte // the last packet, framed
	threads  []byte // the list, from its first part to its last
	broken   map[uint64]bool
	watched  map[watchpoint]bool
}

// New makes a server for the debugger at the other end of conn, which Serve
// takes over. Stopped and Ended may be called from now on.
func New(conn io.ReadWriteCloser, p Process) *Server {
	s := &Server{
		conn: conn, p: p, in: newReader(conn), layout: newLayout(),
		broken: map[uint64]bool{}, watched: map[watchpoint]bool{},
	}
	s.events.init()
	return s
}

// Serve answers the debugger until it detaches or hangs up, then takes out all
// breakpoints and watchpoints that it left, closes the connection and returns:
// nil after a detach, io.EOF after a hang-up, else what failed. To end it from
// outside, close the connection. It is called once.
func (s *Server) Serve() error {
	over := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.notify(over)
	}()
	err := s.answer()
	close(over)
	s.conn.Close() // so that nobody waits for it
	<-done
	s.undo()
	return err
}

// answer answers packets until there are no more.
func (s *Server) answer() error {
	for {
		kind, data, err := s.in.next()
		if err != nil {
			return err
		}
		s.serving.Lock()
		switch kind {
		case packet:
			err = s.reply(data)
		case damaged:
			if !s.noAck {
				_, err = s.conn.Write([]byte{'-'})
			}
		case nack:
			if !s.noAck {
				_, err = s.conn.Write(s.frame)
			}
		case halt:
			if s.view != nil && s.view.running {
				s.p.Halt(s.view.tid)
			}
		}
		over := s.detached
		s.serving.Unlock()
		if err != nil || over {
			return err
		}
	}
}

// reply does what a packet asks, and answers it.
func (s *Server) reply(data []byte) error {
	s.frame = s.frame[:0]
	if !s.noAck {
		s.frame = append(s.frame, '+')
	}
	s.out = s.out[:0]
	if r, arg := s.request(data); r != nil && !r.do(s, arg) { // no answer to this one
		if len(s.frame) == 0 {
			return nil
		}
		_, err := s.conn.Write(s.frame)
		return err
	}
	s.frame = appendPacket(s.frame, '$', s.out)
	_, err := s.conn.Write(s.frame)
	return err
}

// request finds the packet's kind, and its argument; nil if it's none that we know.
func (s *Server) request(data []byte) (*request, []byte) {
	known := [][]request{requests}
	if s.view != nil {
		known = [][]request{viewRequests, requests}
	}
	for _, list := range known {
		for i := range list {
			if arg, ok := list[i].takes(data); ok {
				return &list[i], arg
			}
		}
	}
	return nil, nil
}

// notify tells the debugger of stops, each when the one before was taken.
func (s *Server) notify(over <-chan struct{}) {
	for {
		select {
		case <-over:
			return
		case <-s.events.wake:
		}
		s.serving.Lock()
		if s.view != nil {
			s.stopView()
		} else if s.attached && !s.detached {
			if e, ok := s.next(); ok {
				s.out = append(s.out[:0], "Stop:"...)
				s.tell(&e)
				s.frame = appendPacket(s.frame[:0], '%', s.out)
				// If this fails, reading does too.
				_, _ = s.conn.Write(s.frame)
			}
		}
		s.serving.Unlock()
	}
}

// undo takes out what the debugger left in the process.
func (s *Server) undo() {
	s.serving.Lock()
	defer s.serving.Unlock()
	if s.events.processEnded() {
		return
	}
	for addr := range s.broken {
		_ = s.p.Remove(addr) // it may be gone meanwhile
	}
	for w := range s.watched {
		_ = s.p.Unwatch(w.kind, w.addr, w.length)
	}
	if s.calls {
		s.p.CatchCalls(nil, false)
	}
}

// Stopped tells the debugger that a thread stands still. It may be called from
// any goroutine and never waits.
func (s *Server) Stopped(tid int, why Stop) { s.events.add(event{tid: tid, why: why}) }

// Ended tells the debugger that a thread is gone, and, with the thread that
// bears the number of the process, that the process ended; status is the
// kernel's, as wait4 gives it. It may be called from any goroutine and never
// waits.
func (s *Server) Ended(tid int, status int) {
	s.events.add(event{tid: tid, ended: true, process: tid == s.p.Pid(), status: status})
}
