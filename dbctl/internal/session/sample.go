package session

import (
	"time"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// taken is a sample whose thread may already run again.
type taken struct {
	ok      bool
	node    data.NodeID
	at      time.Time
	cpu     time.Duration
	tid     int
	periods uint64
	partial bool
}

// path takes the call path of the event's thread, which stands still.
func (s *Session) path() {
	s.taken = taken{}
	frames := s.callPath()
	if frames == nil {
		return
	}
	s.taken = taken{
		ok: true, at: time.Now(), cpu: processTime(s.pid), tid: s.tid(s.now.Thread),
		periods: s.weight, partial: s.reason != unwind.Complete,
		node: s.run.node(frames),
	}
}

// sampled writes the sample that path took, with its fields.
func (s *Session) sampled(fields []field) {
	if !s.taken.ok {
		s.run.lost(1, "no registers")
		return
	}
	s.run.sample(s.taken, s.period, fields)
}

// callPath is the call path of the event that is being acted on; nil if its
// thread does not stand still.
func (s *Session) callPath() []unwind.Frame {
	if s.frames != nil || s.now == nil {
		return s.frames
	}
	regs, ok := s.registers()
	if !ok {
		return nil
	}
	s.frames, s.reason = s.unwinder.Unwind(regs, s.memory, s.buffer[:0])
	if s.reason == unwind.NoRecipe && s.allRegisters(&regs) {
		s.frames, s.reason = s.unwinder.Unwind(regs, s.memory, s.buffer[:0])
	}
	s.buffer = s.frames
	return s.frames
}

// allRegisters asks for the rest of the registers, which few functions need to
// be left: a tick would be a third dearer if it always brought them.
func (s *Session) allRegisters(regs *unwind.Regs) bool {
	text, _, err := s.ask(time.Now().Add(answerTime), s.table.AllRegisters(s.now.Thread))
	if err != nil {
		return false
	}
	values, ok := s.table.ReadRegisters(text)
	if ok {
		regs.Other, regs.Known = values, 1<<len(values)-1
	}
	return ok
}

// registers are those of the event's thread. A tick brings its own.
func (s *Session) registers() (unwind.Regs, bool) {
	ev := s.now
	if ev.Kind != debugger.Tick {
		t := s.threads[ev.Thread]
		if t == nil || !t.standing {
			return unwind.Regs{}, false
		}
		waiting := len(s.queue)
		if _, _, err := s.ask(time.Now().Add(answerTime), s.table.Registers(ev.Thread)); err != nil {
			return unwind.Regs{}, false
		}
		i := waiting
		for i < len(s.queue) && !(s.queue[i].Kind == debugger.Tick && s.queue[i].Thread == ev.Thread) {
			i++
		}
		if i == len(s.queue) {
			return unwind.Regs{}, false
		}
		tick := s.queue[i]
		s.queue = append(s.queue[:i], s.queue[i+1:]...)
		return unwind.Regs{PC: tick.PC, SP: tick.SP, BP: tick.BP}, true
	}
	return unwind.Regs{PC: ev.PC, SP: ev.SP, BP: ev.BP}, true
}
