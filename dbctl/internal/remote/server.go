package remote

import (
	"io"
)

// Server serves one debugger that debugs one process.
type Server struct {
	conn io.ReadWriteCloser
	p    Process
}

// New makes a server for the debugger at the other end of conn, which Serve
// takes over. Stopped and Ended may be called from now on.
func New(conn io.ReadWriteCloser, p Process) *Server {
	return &Server{conn: conn, p: p}
}

// Serve answers the debugger until it detaches or hangs up, then takes out all
// breakpoints and watchpoints that it left, closes the connection and returns:
// nil after a detach, io.EOF after a hang-up, else what failed. To end it from
// outside, close the connection. It is called once.
func (s *Server) Serve() error { return s.conn.Close() }

// Stopped tells the debugger that a thread stands still. It may be called from
// any goroutine and never waits.
func (s *Server) Stopped(tid int, why Stop) {}

// Ended tells the debugger that a thread is gone, and, with the thread that
// bears the number of the process, that the process ended; status is the
// kernel's, as wait4 gives it. It may be called from any goroutine and never
// waits.
func (s *Server) Ended(tid int, status int) {}
