package remote

import (
	"io"
	"strconv"

	"golang.org/x/sys/unix"
)

// lldb speaks a form of the protocol in which all threads stand or all run. So it's shown one thread
// that stands still, as a process of that thread alone: its owner says which, by Look. When it next
// resumes that process, it's told of the thread instead, at once; nothing runs. It does resume the
// thread that it was told of, to have it call functions.

// view is what an lldb is shown.
type view struct {
	tid     int    // the thread
	untold  bool   // of which lldb hasn't been told
	pc, sp  uint64 // where it stood when lldb was told
	running bool   // lldb has resumed it, and is to be told of its stop
}

// NewView is New for an lldb.
func NewView(conn io.ReadWriteCloser, p Process, tid int) *Server {
	s := New(conn, p)
	s.view = &view{tid: tid}
	s.general = tid
	s.events.tellExits(true)
	return s
}

// Look has an lldb be told of another thread when it next resumes the process, which it does for
// that reason.
func (s *Server) Look(tid int) {
	s.serving.Lock()
	defer s.serving.Unlock()
	*s.view = view{tid: tid, untold: true}
	s.general = tid
}

// viewRequests are the packets that lldb has an answer of its own for.
var viewRequests = []request{
	{"vCont", (*Server).resumeView},
	{"c", func(s *Server, _ []byte) bool { return s.goOn(false) }},
	{"s", func(s *Server, _ []byte) bool { return s.goOn(true) }},
	{"?", func(s *Server, _ []byte) bool { return s.tellView() }},
	{"T", func(s *Server, arg []byte) bool {
		tid, _, ok := s.thread(arg)
		return s.done(ok && tid == s.view.tid)
	}},
	{"vCont?", says("vCont;c;C;s;S")},
	{"qSupported", says("PacketSize=" + strconv.FormatInt(maxPacket, 16) + ";QStartNoAckMode+;qXfer:features:read+")},
	{"qHostInfo", says("triple:7838365f36342d70632d6c696e75782d676e75;ptrsize:8;endian:little;")}, // x86_64-pc-linux-gnu
	{"qProcessInfo", says("")},
	{"qfThreadInfo", (*Server).listView},
	{"qsThreadInfo", says("l")},
	{"qXfer:auxv:read", says("")},
	{"qC", func(s *Server, _ []byte) bool {
		s.out = appendNumber(append(s.out, "QC"...), uint64(s.view.tid))
		return true
	}},
}

func (s *Server) listView([]byte) bool {
	s.out = appendNumber(append(s.out, 'm'), uint64(s.view.tid))
	return true
}

// resumeView handles vCont;c and vCont;s, with or without a thread. Signals are not lldb's to send.
func (s *Server) resumeView(arg []byte) bool {
	if len(arg) == 0 {
		return s.done(false)
	}
	return s.goOn(arg[0] == 's' || arg[0] == 'S')
}

// goOn lets the thread go on, whose stop is the answer, or tells of another one.
func (s *Server) goOn(step bool) bool {
	v := s.view
	if v.untold {
		return s.tellView()
	}
	if r, ok := s.p.Registers(v.tid); !ok || r.General.Rip == v.pc && r.General.Rsp == v.sp {
		return s.done(false) // that would be no call
	}
	s.stopView() // an older stop is not the answer
	v.running = true
	s.p.Resume(v.tid, step, 0)
	return false
}

// tellView tells that the thread stands still.
func (s *Server) tellView() bool {
	v := s.view
	v.untold = false
	if r, ok := s.p.Registers(v.tid); ok {
		v.pc, v.sp = r.General.Rip, r.General.Rsp
	}
	s.appendStop(&event{tid: v.tid, why: Stop{Signal: int(unix.SIGTRAP)}})
	return true
}

// stopView tells of a stop of the thread that lldb has resumed. Nothing else is told.
func (s *Server) stopView() {
	for {
		e, _, ok := s.events.take()
		if !ok {
			return
		}
		s.events.acknowledge()
		if s.view.running && (e.tid == s.view.tid || e.process) {
			s.view.running = false
			s.sendStop(&e)
		}
	}
}

func (s *Server) sendStop(e *event) {
	s.out = s.out[:0]
	s.appendStop(e)
	s.frame = appendPacket(s.frame[:0], '$', s.out)
	_, _ = s.conn.Write(s.frame) // if this fails, reading does too
}

// appendStop appends a stop reply as lldb wants it: signals are the kernel's.
func (s *Server) appendStop(e *event) {
	if e.ended {
		s.out = appendHex(append(s.out, 'X'), []byte{byte(unix.SIGKILL)}) // it's all that lldb sees of the process
		return
	}
	signal := e.why.Signal
	if signal == 0 { // it was halted
		signal = int(unix.SIGINT)
	}
	s.out = appendHex(append(s.out, 'T'), []byte{byte(signal)})
	s.out = append(appendNumber(append(s.out, "thread:"...), uint64(e.tid)), ';')
	s.out = append(appendNumber(append(s.out, "threads:"...), uint64(e.tid)), ';')
	s.appendGeneral(e.tid)
}
