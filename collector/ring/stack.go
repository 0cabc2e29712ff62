package ring

import (
	"bytes"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// stackBytes is how much of a stack the kernel copies for each sample: that of most
// programs is whole in it.
const stackBytes = 32 << 10

// userRegs are the registers that the kernel copies, PERF_REG_X86_AX to IP and R8 to R15.
const userRegs = 0x1ff | 0xff<<16

// dwarfNumbers are those of the registers, in the order of userRegs.
var dwarfNumbers = [...]int{0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15}

// allKnown is unwind.Regs.Known if all are.
const allKnown = 1<<17 - 1

// stack is what the kernel copied of a thread.
type stack struct {
	regs unwind.Regs
	data []byte // from the stack pointer on
	cut  bool   // the stack may be larger than what was copied
}

// readStack takes a thread's registers and most bytes of its stack from a record; nil if it
// had none.
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
			s.data = append([]byte(nil), all[:min(there, uint64(len(all)))]...)
			s.cut = len(s.data) == most
		}
		return s
	}
	return nil
}

const (
	overlap   = 512     // bytes at the end of the kernel's copy that the process must still have
	mostStack = 8 << 20 // bytes of a stack that are read at most
)

// extend reads the rest of a stack that is larger than what the kernel copied, as soon as the
// record is there. The thread goes on meanwhile; but frames so far out are seldom left, and
// not without the end of the copy changing, too: then the path stays partial.
func (s *stack) extend(pid int) {
	if !s.cut {
		return
	}
	copied := len(s.data)
	memory := unwind.ProcessMemory(pid)
	end := s.regs.SP + uint64(len(s.data))
	now := make([]byte, overlap)
	same := func() bool {
		return memory.ReadAt(now, end-overlap) == overlap && bytes.Equal(now, s.data[copied-overlap:copied])
	}
	if !same() {
		return
	}
	rest := make([]byte, 64<<10)
	for size := 0; size < mostStack; size += len(rest) {
		n := memory.ReadAt(rest, end+uint64(size))
		s.data = append(s.data, rest[:max(0, n)]...)
		if n < len(rest) {
			break
		}
	}
	if !same() {
		s.data = s.data[:copied]
	}
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

// path is the node of a sample with a stack, and whether its path is known up to its
// outermost frame.
func (t *table) path(p *process, to *run, s sample) (id data.NodeID, whole bool) {
	if s.stack != nil && s.stack.regs.PC != 0 {
		if p.unwinder == nil {
			p.unwinder = unwind.NewFollowed(p.pid, t.cache)
			p.followed = false
		}
		if !p.followed {
			p.follow()
		}
		saved := &unwind.Saved{Base: s.stack.regs.SP, Data: s.stack.data}
		frames, why := p.unwinder.Unwind(s.stack.regs, saved, t.frames[:0])
		t.frames, whole = frames, why == unwind.Complete
		for i := len(frames) - 1; i >= 0; i-- {
			addr := frames[i].PC
			if !frames[i].Exact {
				addr--
			}
			id = t.called(p, to, id, addr)
		}
	} else {
		whole = s.kernel // a thread of the kernel, or one that has no memory any more
	}
	if s.kernel && t.cfg.Kernel {
		chain := s.chain
		if len(chain) == 0 {
			chain = []uint64{s.ip}
		}
		for i := len(chain) - 1; i >= 0; i-- {
			id = t.kernelNode(to, id, chain[i])
		}
	}
	return id, whole
}

// called is the node of an instruction of the program, called from another one.
func (t *table) called(p *process, to *run, parent data.NodeID, addr uint64) data.NodeID {
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
