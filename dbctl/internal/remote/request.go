package remote

import (
	"bytes"
	"strconv"
)

// request is a packet that we know.
type request struct {
	// name is a letter, or a word that ends with the packet or before one of
	// the characters : , ;
	name string
	// do does it, and appends the answer to out; false: it has none.
	do func(s *Server, arg []byte) bool
}

// requests are all of them; to others the answer is empty, which says that we
// don't know. The most frequent come first.
var requests = []request{
	{"m", (*Server).readMemory},
	{"vCont", (*Server).resume},
	{"vStopped", (*Server).acknowledge},
	{"g", (*Server).readRegisters},
	{"p", (*Server).readRegister},
	{"H", (*Server).selectThread},
	{"P", (*Server).writeRegister},
	{"G", (*Server).writeRegisters},
	{"X", (*Server).writeBinary},
	{"M", (*Server).writeMemory},
	{"Z", (*Server).insert},
	{"z", (*Server).remove},
	{"T", (*Server).alive},
	{"qXfer:threads:read", (*Server).listThreads},
	{"qXfer:auxv:read", (*Server).readAuxv},
	{"qXfer:siginfo:read", (*Server).readSiginfo},
	{"qXfer:features:read", (*Server).readFeatures},
	{"?", (*Server).reason},
	{"D", (*Server).detach},
	{"k", func(*Server, []byte) bool { return false }},
	{"!", (*Server).accept},
	{"vCont?", says("vCont;c;C;s;S;t;r")},
	{"vCtrlC", (*Server).interrupt},
	{"vKill", says("E.a process that is traced for its profile is not killed from its debugger")},
	{"vAttach", says("E.this debugger has its process")},
	{"vRun", says("E.this debugger has its process")},
	{"qSupported", says("PacketSize=" + strconv.FormatInt(maxPacket, 16) + ";QStartNoAckMode+;QNonStop+;" +
		"multiprocess+;swbreak+;hwbreak+;exec-events+;vContSupported+;QPassSignals+;QCatchSyscalls+;QThreadEvents+;" +
		"qXfer:features:read+;qXfer:threads:read+;qXfer:auxv:read+;qXfer:siginfo:read+")},
	{"QStartNoAckMode", (*Server).stopAcks},
	{"QNonStop", (*Server).nonStop},
	{"QPassSignals", (*Server).accept}, // it is the owner who decides what stops
	{"QCatchSyscalls", (*Server).catchCalls},
	{"QThreadEvents", (*Server).threadEvents},
	{"qAttached", says("1")}, // so that a gdb that quits detaches and doesn't kill
	{"qC", (*Server).currentThread},
}

// takes gives the argument of a packet if it is one of this kind.
func (r *request) takes(data []byte) (arg []byte, ok bool) {
	if len(data) < len(r.name) || string(data[:len(r.name)]) != r.name {
		return nil, false
	}
	arg = data[len(r.name):]
	if len(r.name) == 1 {
		return arg, true
	}
	if len(arg) == 0 {
		return nil, true
	}
	switch arg[0] {
	case ':', ',', ';':
		return arg[1:], true
	}
	return nil, false
}

// says makes an answer that is always the same.
func says(answer string) func(*Server, []byte) bool {
	return func(s *Server, _ []byte) bool {
		s.out = append(s.out, answer...)
		return true
	}
}

// accept says that all is well.
func (s *Server) accept([]byte) bool { return s.done(true) }

// done says that something was done, or that it wasn't.
func (s *Server) done(ok bool) bool {
	if ok {
		s.out = append(s.out[:0], "OK"...)
	} else {
		s.out = append(s.out[:0], "E01"...)
	}
	return true
}

func (s *Server) stopAcks([]byte) bool {
	s.noAck = true
	return s.done(true)
}

func (s *Server) nonStop(arg []byte) bool {
	if string(arg) != "1" {
		s.out = append(s.out, "E.non-stop is all that there is"...)
		return true
	}
	return s.done(true)
}

// detach ends the debugging. Serve undoes what is left.
func (s *Server) detach([]byte) bool {
	s.detached = true
	return s.done(true)
}

// Ids of threads that are none.
const (
	anyThread  = 0
	allThreads = -1
)

// thread takes the id of a thread from the start of text: pPID.TID, where both
// may be -1 for all or 0 for any, or parts of it. ok is false if it is no such
// id, or one of another process.
func (s *Server) thread(text []byte) (tid int, rest []byte, ok bool) {
	rest = text
	if len(rest) > 0 && rest[0] == 'p' {
		pid, after, ok := signed(rest[1:])
		if !ok || pid > 0 && pid != s.p.Pid() {
			return 0, text, false
		}
		if len(after) == 0 || after[0] != '.' {
			return allThreads, after, true
		}
		rest = after[1:]
	}
	return signed(rest)
}

// signed takes a number, or -1, from the start of text.
func signed(text []byte) (n int, rest []byte, ok bool) {
	if after, found := bytes.CutPrefix(text, []byte("-1")); found {
		return -1, after, true
	}
	u, rest, ok := number(text)
	if !ok || u > 1<<30 {
		return 0, text, false
	}
	return int(u), rest, true
}

// appendThread appends an id.
func (s *Server) appendThread(to []byte, tid int) []byte {
	to = strconv.AppendInt(append(to, 'p'), int64(s.p.Pid()), 16)
	return strconv.AppendInt(append(to, '.'), int64(tid), 16)
}

// selectThread handles H: for registers (g); for resumption (c) it's obsolete.
func (s *Server) selectThread(arg []byte) bool {
	if len(arg) == 0 {
		return s.done(false)
	}
	tid, _, ok := s.thread(arg[1:])
	if !ok {
		return s.done(false)
	}
	if arg[0] == 'g' {
		s.general = tid
	}
	return s.done(true)
}

// current is the thread whose registers are asked for.
func (s *Server) current() int {
	if s.general > 0 {
		return s.general
	}
	return s.p.Pid()
}

func (s *Server) currentThread([]byte) bool {
	s.out = s.appendThread(append(s.out, "QC"...), s.current())
	return true
}

func (s *Server) alive(arg []byte) bool {
	tid, _, ok := s.thread(arg)
	if ok {
		ok = false
		for _, t := range s.p.Threads() {
			ok = ok || t == tid
		}
	}
	return s.done(ok)
}
