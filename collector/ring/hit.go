package ring

import (
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// record writes a sample to the run of its program, if it's a hit of the resource's timer.
func (t *table) record(p *process, r record, s sample) {
	if t.cfg.Samples > 0 && t.samples >= t.cfg.Samples {
		return
	}
	hits, weight := t.weigh(p, s)
	if hits == 0 {
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
	to := p.prog.run(which)
	node, partial := t.node(p, to, s)
	if s.absent {
		node = to.away(node, t.reason(s))
	}
	t.out.write(to, data.Sample{
		Time:    max(0, r.time-p.prog.start),
		Thread:  uint32(r.tid),
		Node:    node,
		Partial: partial,
		Weight:  weight,
		Count:   hits,
	})
}

// weigh says how many intervals a sample ends, and how many gticks they are.
func (t *table) weigh(p *process, s sample) (hits, weight uint64) {
	if s.spec.clock {
		return 1, uint64(s.period / time.Microsecond)
	}
	if p.timers == nil {
		p.timers = make([]timer, len(t.cfg.Resources))
	}
	timer := &p.timers[s.spec.resource]
	timer.interval = s.spec.timed
	hits = timer.advance(s.amount)
	if of := t.cfg.Resources[s.spec.resource]; of.isTime() {
		return hits, hits * uint64(of.period()) / uint64(time.Microsecond)
	}
	return hits, hits * s.spec.timed
}

// node is where a sample was taken: an address in a mapped object or the kernel, at
// the end of its call path if that is wanted; partial says that the path is not whole.
func (t *table) node(p *process, to *run, s sample) (id data.NodeID, partial bool) {
	if to.nodes == nil {
		to.nodes = map[call]data.NodeID{}
	}
	if t.cfg.Paths {
		id, whole := t.path(p, to, s)
		return id, !whole
	}
	addr := s.ip
	if s.kernel {
		if t.cfg.Kernel && !s.absent {
			return t.kernelNode(to, 0, addr), false
		}
		addr = s.user
	}
	if addr == 0 {
		return 0, false
	}
	return t.called(p, to, 0, addr), false
}

// kernelNode is the node of an instruction of the kernel.
func (t *table) kernelNode(to *run, parent data.NodeID, addr uint64) data.NodeID {
	key := call{parent, addr}
	if id, known := to.nodes[key]; known {
		return id
	}
	s, ok := t.kernelSymbols().find(addr)
	if ok {
		to.hits.add(s)
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
