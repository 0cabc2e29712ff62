package session

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// allocator tells how many bytes a call of a function asks for, by the registers of its
// arguments. passes says that it may leave the work to malloc: that is one allocation.
type allocator struct {
	bytes  func(*unix.PtraceRegs) uint64
	passes func(*unix.PtraceRegs) bool
}

func first(r *unix.PtraceRegs) uint64  { return r.Rdi }
func second(r *unix.PtraceRegs) uint64 { return r.Rsi }
func third(r *unix.PtraceRegs) uint64  { return r.Rdx }

// Memory as aligned as malloc's is malloc's in the C library.
const mallocAlignment = 16

var (
	malloc  = &allocator{bytes: first}
	aligned = &allocator{bytes: second, passes: func(r *unix.PtraceRegs) bool { return r.Rdi <= mallocAlignment }}
	page    = &allocator{bytes: first}
	mapping = &allocator{bytes: func(r *unix.PtraceRegs) uint64 {
		if r.Rcx&unix.MAP_ANONYMOUS == 0 || r.Rdx == unix.PROT_NONE {
			return 0
		}
		return r.Rsi
	}}
)

// allocators are those that libpctalloc.so stands before, too.
var allocators = map[string]*allocator{
	"malloc": malloc,
	"calloc": {bytes: func(r *unix.PtraceRegs) uint64 {
		if n := r.Rdi * r.Rsi; r.Rdi == 0 || n/r.Rdi == r.Rsi {
			return n
		}
		return 0
	}},
	"realloc": {bytes: second, passes: func(r *unix.PtraceRegs) bool { return r.Rdi == 0 }},
	"posix_memalign": {
		bytes: third, passes: func(r *unix.PtraceRegs) bool { return r.Rsi <= mallocAlignment },
	},
	"memalign": aligned, "aligned_alloc": aligned,
	"valloc": page, "pvalloc": page,
	"mmap": mapping, "mmap64": mapping,
}

// allocation is one that malloc may be asked for next by the function which was asked for
// it, and counted.
type allocation struct {
	bytes, sp, back uint64
}

// passedOn bounds the stack of a function that calls malloc for its caller.
const passedOn = 256

// asked is how many bytes a call asks for, 0 if they were counted already: of a
// reallocation of nothing, say, or of pages for the heap.
func (c *callClock) asked(th *thread, s *callSite) uint64 {
	r := &th.regs
	n := s.asks.bytes(r)
	before, passed := c.last[th.tid]
	delete(c.last, th.tid)
	switch {
	case s.asks == mapping:
		if n > 0 && s.object.has(c.caller(r)) {
			return 0
		}
	case s.asks == malloc && passed && before.bytes == n && r.Rsp <= before.sp && before.sp-r.Rsp < passedOn:
		// A jump leaves the stack as it is; a call is one from the allocator's own code.
		if back := c.caller(r); r.Rsp == before.sp && back == before.back || r.Rsp < before.sp && s.object.has(back) {
			return 0
		}
	case s.asks.passes != nil && s.asks.passes(r):
		c.last[th.tid] = allocation{bytes: n, sp: r.Rsp, back: c.caller(r)}
	}
	return n
}

// caller is where a function returns to whose first instruction is still to come.
func (c *callClock) caller(r *unix.PtraceRegs) uint64 {
	var b [8]byte
	c.p.memory.ReadAt(b[:], r.Rsp)
	return binary.LittleEndian.Uint64(b[:])
}
