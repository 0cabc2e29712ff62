package ring

import (
	"time"

	"github.com/profilecollection/pct/internal/gtick"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// record writes a sample to the run of its program, if it's a hit of the resource's timer.
func (t *table) record(p *process, r record, s sample) {
	if t.cfg.Samples > 0 && t.samples >= t.cfg.Samples {
		return
	}
	hits, weight := t.weigh(p, s)
	if hits == 0 {
		t.deep.give(s.stack)
		return
	}
	t.samples += hits
	p.samples += hits
	if s.spec.resource == t.cfg.clock() {
		p.cpu += s.period
	}
	which := s.spec.resource
	t.weights[which] += weight
	if !t.out.open(p.prog, which) {
		return
	}
	h := hit{p: p, to: p.prog.samples(which), r: r, s: s, hits: hits, weight: weight}
	if t.cfg.Paths {
		t.placePath(h)
	} else {
		t.write(h, t.place(h))
	}
}

// hit is a sample that counts.
type hit struct {
	p            *process
	to           *samples
	r            record
	s            sample
	hits, weight uint64
	partial      bool // its call path is not whole
	frames       []unwind.Frame
}

// write writes a hit at its node.
func (t *table) write(h hit, node data.NodeID) {
	if h.s.absent {
		node = h.to.away(node, t.reason(h.s))
	}
	t.out.write(h.to, data.Sample{
		Time:    max(0, h.r.time-h.p.prog.start),
		Thread:  uint32(h.r.tid),
		Node:    node,
		Partial: h.partial,
		Weight:  h.weight,
		Count:   h.hits,
	})
}

// weigh says how many intervals a sample ends, and how many gticks they are.
func (t *table) weigh(p *process, s sample) (hits, weight uint64) {
	if s.spec.clock {
		return 1, uint64(s.period / time.Microsecond)
	}
	if p.timers == nil {
		p.timers = make([]gtick.Timer, len(t.cfg.measured))
	}
	timer := &p.timers[s.spec.resource]
	timer.Interval = s.spec.timed
	hits = timer.Advance(s.amount)
	weight = hits * (1 + s.beside)
	if of := t.cfg.measured[s.spec.resource]; of.IsTime() {
		return hits, weight * uint64(of.period()) / uint64(time.Microsecond)
	}
	return hits, weight * s.spec.timed
}

// place is where a sample was taken: an address in a mapped object or the kernel.
func (t *table) place(h hit) data.NodeID {
	h.to.begin()
	addr := h.s.ip
	if h.s.kernel {
		if t.cfg.Kernel && !h.s.absent {
			return t.kernelNode(h.to, 0, addr)
		}
		addr = h.s.user
	}
	if addr == 0 {
		return 0
	}
	return t.called(h.p, h.to, 0, addr)
}

// kernelNode is the node of an instruction of the kernel.
func (t *table) kernelNode(to *samples, parent data.NodeID, addr uint64) data.NodeID {
	key := call{parent, addr}
	if id, known := to.nodes[key]; known {
		return id
	}
	s, ok := t.kernelSymbols().find(addr)
	if ok {
		to.run.hits.add(s)
	}
	w := to.w
	id := w.Node(parent, w.Object(s.object(), "", data.ObjectKernel, 0, 0, 0), addr)
	to.nodes[key] = id
	return id
}

// kernelSymbols are read at the first need.
func (t *table) kernelSymbols() *kernel {
	if t.kernel == nil {
		t.kernel = readKernel(kallsyms, t.cfg.SystemMap)
		if t.kernel.note != "" {
			t.out.note(t.kernel.note)
		}
	}
	return t.kernel
}
