package ring

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// deep completes the paths of stacks that are larger than what the kernel copied of them, by two witnesses.
// One is the process, of which the end of the copy and what follows it are read as soon as the record
// is there: it's believed if the innermost frames that it has in common with the copy return to the
// same places. The other one is the path before of the same thread, or else that after it: it's believed if it
// has the frame that the copy ends in, at the same place of the stack and in the same call. A path on
// which they do not agree is partial, as is one that neither tells.
type deep struct {
	trails map[int]*trail  // by thread
	read   map[int]*live   // the last one read, by thread
	looks  map[int]int     // by process: stacks that were read though no path has needed it
	short  map[uint64]bool // events whose copies were too small for a path, of late
	until  time.Duration   // when we need not be woken at once any more
	frames []unwind.Frame
	room   []byte
	got    int      // bytes that were read and kept in this round
	free   [][]byte // memory of copies that are not used any more
}

// live is a part of a stack as it was some time after a sample.
type live struct {
	base uint64
	data []byte
}

const (
	common    = 16 << 10 // bytes at the end of a copy that are read of the process, too
	mostStack = 8 << 20  // bytes that are read of a stack at most
	mostRead  = 64 << 20 // and in a round
	mostLooks = 64       // of a process that no path has needed

	hasty = time.Second // time after a stack that was larger than its copy in which we are woken at once
)

// keep makes a copy of what is in the ring.
func (d *deep) keep(s *stack) {
	var to []byte
	if n := len(d.free); n > 0 {
		to, d.free = d.free[n-1], d.free[:n-1]
	}
	s.data = append(to[:0], s.data...)
}

// give takes back what a sample had that was used.
func (d *deep) give(s *stack) {
	const most = 1 << 8
	if s == nil || s.lent {
		return
	}
	s.lent = true
	if len(d.free) < most {
		d.free = append(d.free, s.data)
	}
}

// look reads what follows the copy of a stack, if it ends before the stack may. There it may have but the
// environment: if no path needs it, it's not read for ever.
func (d *deep) look(r record, s *stack) {
	if !s.cut || d.got > mostRead || d.looks[r.pid] >= mostLooks {
		return
	}
	d.looks[r.pid]++
	now := d.of(r.pid, s.end()-min(common, uint64(len(s.data))))
	was := d.read[r.tid]
	if was != nil && was.holds(now) {
		s.now = &live{now.base, was.data[now.base-was.base:]} // one memory for many samples
		return
	}
	s.now = &live{now.base, bytes.Clone(now.data)}
	d.got += len(now.data)
	d.read[r.tid] = s.now
}

// of reads the stack of a process from an address on, into memory that is good until the next call.
func (d *deep) of(pid int, base uint64) live {
	const chunk = 64 << 10
	memory := unwind.ProcessMemory(pid)
	d.room = d.room[:0]
	for more := true; more && len(d.room) < mostStack; {
		at := len(d.room)
		d.room = slices.Grow(d.room, chunk)[:at+chunk]
		n := memory.ReadAt(d.room[at:], base+uint64(at))
		d.room = d.room[:at+max(0, n)]
		more = n == chunk
	}
	return live{base, d.room}
}

// holds reports whether a part of a stack ends with another one.
func (l *live) holds(other live) bool {
	at := other.base - l.base
	return other.base >= l.base && at <= uint64(len(l.data)) && bytes.Equal(l.data[at:], other.data)
}

// end is where its last byte is, which parts that are the same share.
func (l *live) end() *byte { return &l.data[len(l.data)-1] }

// word is that at an address.
func (l *live) word(addr uint64) (uint64, bool) {
	if at := addr - l.base; addr >= l.base && at+8 <= uint64(len(l.data)) {
		return binary.NativeEndian.Uint64(l.data[at:]), true
	}
	return 0, false
}

// forget forgets a thread that has ended.
func (d *deep) forget(tid int) {
	delete(d.trails, tid)
	delete(d.read, tid)
}

// trail is the last whole path of a thread, the outermost frame first, so that the next one need not
// be looked up where it is the same.
type trail struct {
	frames []unwind.Frame
	ids    []data.NodeID // the nodes of so many outermost frames
	to     *samples      // that has them
	epoch  int           // of it
	by     *byte         // of the witness that told the outer frames, nil none

	waiting []hit // whose paths the next one may complete
}

// trail is the last path of a thread.
func (d *deep) trail(tid int) *trail {
	t := d.trails[tid]
	if t == nil {
		t = &trail{}
		d.trails[tid] = t
	}
	return t
}

// common is how many of the outermost frames of a path are those of the trail.
func (t *trail) common(path []unwind.Frame) (n int) {
	for n < min(len(path), len(t.frames)) && sameFrame(t.frames[n], path[len(path)-1-n]) {
		n++
	}
	return n
}

// outside appends to a path what the trail has outside of the path's last frame.
func (t *trail) outside(path []unwind.Frame) ([]unwind.Frame, bool) {
	last := path[len(path)-1]
	for i := len(t.frames) - 1; i >= 0 && last.CFA != 0; i-- {
		if sameFrame(t.frames[i], last) {
			for _, f := range slices.Backward(t.frames[:i]) {
				path = append(path, f)
			}
			return path, true
		}
	}
	return path, false
}

// path is the path of a sample's thread, and why it ends where it does.
func (d *deep) path(u *unwind.Unwinder, r record, t *trail, s *stack, room []unwind.Frame) ([]unwind.Frame, unwind.Reason) {
	frames, why := u.Unwind(s.regs, s, room)
	if why != unwind.BadMemory || !s.cut {
		t.by = nil
		return frames, why
	}
	d.short[r.id], d.looks[r.pid] = true, 0
	n := len(frames)
	agrees := s.agrees(frames)
	frames, known := t.outside(frames)
	switch {
	case !agrees && known, known && t.by != nil && t.by == s.now.end():
		return frames, unwind.Complete
	case !agrees:
		return frames, why
	}
	s.rest = s.now.data[s.end()-s.now.base:]
	d.frames = append(d.frames[:0], frames[n:]...)
	frames, why = u.Unwind(s.regs, s, frames[:0])
	switch {
	case why == unwind.TooDeep:
	case why != unwind.Complete, known && !slices.EqualFunc(frames[min(n, len(frames)):], d.frames, sameFrame):
		return frames[:min(n, len(frames))], unwind.BadMemory
	default:
		t.by = s.now.end()
	}
	return frames, why
}

func sameFrame(a, b unwind.Frame) bool { return a.PC == b.PC && a.CFA == b.CFA && a.Exact == b.Exact }

// agrees reports whether the process had the same frames as the copy at its end: the outermost of
// its return addresses, some of them if it can be, are the same in both.
func (s *stack) agrees(frames []unwind.Frame) bool {
	const most = 4
	if s.now == nil || uint64(len(s.now.data)) < s.end()-s.now.base {
		return false
	}
	looked := 0
	for i := len(frames) - 2; i >= 0 && looked < most; i-- {
		f, caller := frames[i], frames[i+1]
		now, known := s.now.word(f.CFA - 8)
		if !known || caller.Exact {
			break
		}
		if now != caller.PC {
			return false
		}
		looked++
	}
	return looked > 0
}

// end is the address after the copy.
func (s *stack) end() uint64 { return s.regs.SP + uint64(len(s.data)) }
