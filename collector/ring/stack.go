package ring

import (
	"slices"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// How much of a stack the kernel copies for each sample: that of most programs is whole in the first.
// The record takes so much room in the ring whatever the stack has; so the last, the most that
// the kernel does, is where rings have room, or for programs of which a stack was larger. Of events, which come in bursts, it's less.
const (
	stackBytes = 16 << 10
	eventStack = 8 << 10
	deepEvent  = 32 << 10
	deepBytes  = 65528
)

// mostFrames is the length of a path at most, as within programs.
const mostFrames = 1 << 15

// userRegs are the registers that the kernel copies, PERF_REG_X86_AX to IP and R8 to R15.
const userRegs = 0x1ff | 0xff<<16

// dwarfNumbers are those of the registers, in the order of userRegs.
var dwarfNumbers = [...]int{0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15}

// allKnown is unwind.Regs.Known if all are.
const allKnown = 1<<17 - 1

// stack is that of a thread.
type stack struct {
	regs unwind.Regs
	data []byte // what the kernel copied, from the stack pointer on
	cut  bool   // the stack may be larger
	now  *live  // what the process had from before the end of data on, read later
	rest []byte // what follows data, if it is believed
	lent bool   // data must not be used for another one
}

// readStack takes a thread's registers and most bytes of its stack from a record; nil if it
// had none. The bytes are the record's.
func readStack(f *fields, most int) *stack {
	if abi := f.u64(); abi != 0 {
		s := &stack{}
		for _, r := range dwarfNumbers {
			s.regs.Other[r] = f.u64()
		}
		s.regs.Known = allKnown
		s.regs.PC, s.regs.SP, s.regs.BP = s.regs.Other[16], s.regs.Other[7], s.regs.Other[6]
		size := f.u64()
		all := f.bytes(int(min(size, uint64(most))))
		if size > 0 {
			there := f.u64()
			s.data = all[:min(there, uint64(len(all)))]
			s.cut = len(s.data) == len(all)
		}
		return s
	}
	return nil
}

// ReadAt reads the stack, as unwind.Memory says.
func (s *stack) ReadAt(p []byte, addr uint64) (n int) {
	if addr < s.regs.SP {
		return 0
	}
	at := addr - s.regs.SP
	for _, part := range [][]byte{s.data, s.rest} {
		if size := uint64(len(part)); at < size {
			n += copy(p[n:], part[at:])
			at = 0
		} else {
			at -= size
		}
		if n == len(p) {
			break
		}
	}
	return n
}

// The kernel's call paths have markers of where a part of them begins.
const (
	contextMax  = ^uint64(0) - 4095 + 1 // PERF_CONTEXT_MAX
	contextKern = ^uint64(0) - 128 + 1  // PERF_CONTEXT_KERNEL
	mostChain   = 1 << 10               // more than any kernel gives
)

// readChain takes the kernel's call path from a record, innermost first.
func readChain(f *fields) []uint64 {
	var chain []uint64
	kernel := true
	for n := min(f.u64(), mostChain); n > 0; n-- {
		ip := f.u64()
		if ip >= contextMax {
			kernel = ip == contextKern
			continue
		}
		if kernel {
			chain = append(chain, ip)
		}
	}
	return chain
}

// call is a node as it is looked up: an instruction, called from another node.
type call struct {
	parent data.NodeID
	addr   uint64
}

// placePath writes a hit at the end of its call path; one that only the next path of its thread may
// complete waits for that.
func (t *table) placePath(h hit) {
	h.to.begin()
	at := h.s.stack
	if at == nil || at.regs.PC == 0 || h.s.kernel && len(at.data) == 0 && h.p.find(at.regs.PC) == nil {
		h.partial = !h.s.kernel // else a thread of the kernel, or one that has no memory any more, or not yet that of what it executes
		t.write(h, t.withKernel(h, 0))
		return
	}
	p := h.p
	if p.unwinder == nil {
		p.unwinder = unwind.NewFollowed(p.pid, t.cache)
		p.unwinder.Limit = mostFrames
		p.followed = false
	}
	if !p.followed {
		p.follow()
	}
	trail := t.deep.trail(h.r.tid)
	frames, why := t.deep.path(p.unwinder, h.r, trail, at, t.frames[:0])
	t.frames = frames
	t.deep.give(at)
	if why == unwind.BadMemory && at.cut {
		h.frames, h.s.stack = slices.Clone(frames), nil
		trail.waiting = append(trail.waiting, h)
		return
	}
	h.partial = why != unwind.Complete
	id := t.follow(h, trail, frames)
	if !h.partial {
		t.settle(trail)
	}
	t.write(h, t.withKernel(h, id))
}

// settle writes the hits that waited for another path of their thread.
func (t *table) settle(of *trail) {
	waited := of.waiting
	of.waiting = nil
	for _, h := range waited {
		frames, known := of.outside(h.frames)
		h.partial = true
		id := t.follow(h, of, frames)
		h.partial = !known
		t.write(h, t.withKernel(h, id))
	}
}

// settleThread does that for a thread that ends, or executes another program.
func (t *table) settleThread(tid int) {
	if of := t.deep.trails[tid]; of != nil {
		t.settle(of)
	}
	t.deep.forget(tid)
}

// withKernel is the node of a sample in the kernel, below that of the program's instruction.
func (t *table) withKernel(h hit, id data.NodeID) data.NodeID {
	if h.s.kernel && t.cfg.Kernel {
		chain := h.s.chain
		if len(chain) == 0 {
			chain = []uint64{h.s.ip}
		}
		for _, addr := range slices.Backward(chain) {
			id = t.kernelNode(h.to, id, addr)
		}
	}
	return id
}

// begin makes room for nodes.
func (to *samples) begin() {
	if to.nodes == nil {
		to.nodes = map[call]data.NodeID{}
	}
}

// follow is the node of a path, which may be like the trail of its thread, and becomes it if it's whole.
func (t *table) follow(h hit, of *trail, path []unwind.Frame) (id data.NodeID) {
	to, whole := h.to, !h.partial
	if of.to != to || of.epoch != to.epoch {
		of.to, of.epoch, of.ids = to, to.epoch, of.ids[:0]
	}
	common := of.common(path)
	known := min(common, len(of.ids))
	if known > 0 {
		id = of.ids[known-1]
	}
	if whole {
		of.frames, of.ids = of.frames[:common], of.ids[:known]
	}
	for i, f := range slices.Backward(path[:len(path)-known]) {
		addr := f.PC
		if !f.Exact {
			addr--
		}
		id = t.called(h.p, to, id, addr)
		if whole {
			of.ids = append(of.ids, id)
			if len(path)-1-i >= common {
				of.frames = append(of.frames, f)
			}
		}
	}
	return id
}

// called is the node of an instruction of the program, called from another one.
func (t *table) called(p *process, to *samples, parent data.NodeID, addr uint64) data.NodeID {
	key := call{parent, addr}
	if id, known := to.nodes[key]; known {
		return id
	}
	w := to.w
	var id data.NodeID
	if m := p.find(addr); m == nil {
		id = w.Node(parent, 0, addr)
	} else {
		at := t.images.place(p.pid, m)
		id = w.Node(parent, w.Object(at.path, at.buildID, at.kind, m.start, m.end, at.bias), addr-at.bias)
	}
	to.nodes[key] = id
	return id
}

// follow tells the process's unwinder what it has mapped.
func (p *process) follow() {
	maps := make([]unwind.Mapping, len(p.maps))
	for i, m := range p.maps {
		maps[i] = unwind.Mapping{Start: m.start, End: m.end, Offset: m.offset, Path: m.path, BuildID: m.buildID}
	}
	p.unwinder.Follow(maps)
	p.followed = true
}

// forget ends the unwinder, as the process has ended or executes another program.
func (p *process) forget() {
	if p.unwinder != nil {
		p.unwinder.Close()
		p.unwinder = nil
	}
}
