package remote

import "strconv"

// readRegisters handles g.
func (s *Server) readRegisters([]byte) bool {
	r, ok := s.p.Registers(s.current())
	if !ok {
		return s.done(false)
	}
	for i := range s.layout.regs {
		s.out = s.layout.append(s.out, i, &r)
	}
	return true
}

// readRegister handles p NUMBER.
func (s *Server) readRegister(arg []byte) bool {
	n, _, ok := number(arg)
	if !ok || n >= uint64(len(s.layout.regs)) {
		return s.done(false)
	}
	r, ok := s.p.Registers(s.current())
	if !ok {
		return s.done(false)
	}
	s.out = s.layout.append(s.out, int(n), &r)
	return true
}

// writeRegisters handles G.
func (s *Server) writeRegisters(arg []byte) bool {
	r, ok := s.p.Registers(s.current())
	for i := 0; ok && i < len(s.layout.regs) && len(arg) > 0; i++ {
		arg, ok = s.layout.set(&r, i, arg)
	}
	return s.done(ok && s.p.SetRegisters(s.current(), r) == nil)
}

// writeRegister handles P NUMBER=DIGITS.
func (s *Server) writeRegister(arg []byte) bool {
	n, rest, ok := number(arg)
	if !ok || n >= uint64(len(s.layout.regs)) || len(rest) == 0 || rest[0] != '=' {
		return s.done(false)
	}
	r, ok := s.p.Registers(s.current())
	if ok {
		_, ok = s.layout.set(&r, int(n), rest[1:])
	}
	return s.done(ok && s.p.SetRegisters(s.current(), r) == nil)
}

// readMemory handles m ADDRESS,LENGTH. Less than was asked for is fine.
func (s *Server) readMemory(arg []byte) bool {
	addr, length, _, ok := span(arg)
	if !ok {
		return s.done(false)
	}
	if length == 0 {
		return true
	}
	b := make([]byte, min(length, maxPacket/2-16))
	n := s.p.ReadMemory(b, addr)
	if n <= 0 || n > len(b) {
		return s.done(false)
	}
	s.out = appendHex(s.out, b[:n])
	return true
}

// writeMemory handles M ADDRESS,LENGTH:DIGITS.
func (s *Server) writeMemory(arg []byte) bool {
	addr, length, rest, ok := span(arg)
	if !ok || len(rest) == 0 || rest[0] != ':' {
		return s.done(false)
	}
	b, ok := decodeHex(nil, rest[1:])
	return s.done(ok && s.write(b, addr, length))
}

// writeBinary handles X ADDRESS,LENGTH:BYTES.
func (s *Server) writeBinary(arg []byte) bool {
	addr, length, rest, ok := span(arg)
	return s.done(ok && len(rest) > 0 && rest[0] == ':' && s.write(rest[1:], addr, length))
}

func (s *Server) write(b []byte, addr, length uint64) bool {
	return uint64(len(b)) == length && (length == 0 || s.p.WriteMemory(b, addr) == nil)
}

// transfer answers a part of some data, which arg asks for as OFFSET,LENGTH.
func (s *Server) transfer(data, arg []byte) bool {
	offset, length, _, ok := span(arg)
	if !ok || offset > uint64(len(data)) {
		return s.done(false)
	}
	part := data[offset:]
	more := byte('l')
	if n := min(length, maxPacket/2-16); uint64(len(part)) > n { // escaped, it may double
		part, more = part[:n], 'm'
	}
	s.out = appendEscaped(append(s.out, more), part)
	return true
}

// annex cuts the word before the colon from the argument of a transfer.
func annex(arg []byte) (word string, rest []byte) {
	for i, c := range arg {
		if c == ':' {
			return string(arg[:i]), arg[i+1:]
		}
	}
	return "", nil
}

func (s *Server) readFeatures(arg []byte) bool {
	file, rest := annex(arg)
	if file != "target.xml" {
		return s.done(false)
	}
	return s.transfer(s.layout.description, rest)
}

func (s *Server) readAuxv(arg []byte) bool {
	_, rest := annex(arg)
	return s.transfer(s.p.Auxv(), rest)
}

func (s *Server) readSiginfo(arg []byte) bool {
	_, rest := annex(arg)
	info := s.p.Siginfo(s.current())
	if info == nil {
		return s.done(false)
	}
	return s.transfer(info, rest)
}

func (s *Server) listThreads(arg []byte) bool {
	_, rest := annex(arg)
	if offset, _, _, ok := span(rest); ok && offset == 0 {
		s.threads = append(s.threads[:0], "<threads>"...)
		for _, tid := range s.p.Threads() {
			s.threads = append(s.threads, `<thread id="`...)
			s.threads = s.appendThread(s.threads, tid)
			s.threads = append(s.threads, `"/>`...)
		}
		s.threads = append(s.threads, "</threads>"...)
	}
	return s.transfer(s.threads, rest)
}

// watchpoint is a hardware watchpoint that the debugger has set.
type watchpoint struct {
	kind         WatchKind
	addr, length uint64
}

// point takes TYPE,ADDRESS,LENGTH; type 0 is a software breakpoint.
func point(arg []byte) (w watchpoint, ok bool) {
	if len(arg) < 2 || arg[0] < '0' || arg[0] > '4' || arg[1] != ',' {
		return w, false
	}
	w.kind = WatchKind(arg[0] - '0')
	w.addr, w.length, _, ok = span(arg[2:])
	return w, ok
}

// insert handles Z.
func (s *Server) insert(arg []byte) bool {
	w, ok := point(arg)
	switch {
	case !ok:
	case w.kind == 0:
		if ok = s.p.Insert(w.addr) == nil; ok {
			s.broken[w.addr] = true
		}
	case w.kind == WatchRead:
		return true // an x86 has none that no write meets: gdb takes one for both, and compares
	default:
		if ok = s.p.Watch(w.kind, w.addr, w.length) == nil; ok {
			s.watched[w] = true
		}
	}
	return s.done(ok)
}

// remove handles z.
func (s *Server) remove(arg []byte) bool {
	w, ok := point(arg)
	switch {
	case !ok:
	case w.kind == 0:
		if ok = s.p.Remove(w.addr) == nil; ok {
			delete(s.broken, w.addr)
		}
	default:
		if ok = s.p.Unwatch(w.kind, w.addr, w.length) == nil; ok {
			delete(s.watched, w)
		}
	}
	return s.done(ok)
}

// catchCalls handles QCatchSyscalls, 0 or 1 and the numbers.
func (s *Server) catchCalls(arg []byte) bool {
	if len(arg) == 0 || arg[0] != '0' && arg[0] != '1' {
		return s.done(false)
	}
	var numbers []int
	on, rest := arg[0] == '1', arg[1:]
	for on && len(rest) > 0 {
		n, after, ok := number(rest[1:])
		if rest[0] != ';' || !ok || n > 1<<30 {
			return s.done(false)
		}
		numbers = append(numbers, int(n))
		rest = after
	}
	s.p.CatchCalls(numbers, on)
	s.calls = on
	return s.done(true)
}

// appendNumber appends a number as the protocol writes it.
func appendNumber(to []byte, n uint64) []byte { return strconv.AppendUint(to, n, 16) }
