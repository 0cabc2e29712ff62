package data

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/resource"
)

// LostCounts is the key in Run.Lost of the samples that are missing from count files.
const LostCounts = "not stored: a counter was full, there was no room, or they came too late"

// fold adds the samples of a count file to the run. Their call paths are one frame
// deep.
func (r *Run) fold(c *Counts) error {
	r.adopt(c)
	if c.Resource != r.Header.Resource {
		return errors.New(c.Path + " measured " + c.Resource + " and the run " + r.Header.Resource + ", which cannot be added up")
	}
	object := ObjectID(len(r.Objects))
	r.Counts = append(r.Counts, c)
	r.Objects = append(r.Objects, Object{
		Path: c.Object, BuildID: c.BuildID, Kind: c.ObjectKind, Translator: c.Translator,
		Start: c.Low + c.Bias, End: c.Low + c.Bias + c.Size, Bias: c.Bias,
	})
	if c.Lost > 0 {
		r.Lost[LostCounts] += c.Lost
	}
	r.Full += c.Full
	if c.Refused != "" {
		r.Damage = append(r.Damage, fmt.Errorf("%s: its translator %q is not started because the file belongs to another user", c.Path, c.Refused))
	}
	node := func(vaddr uint64) NodeID {
		r.Nodes = append(r.Nodes, Node{Object: object, Vaddr: vaddr})
		return NodeID(len(r.Nodes) - 1)
	}
	if c.Kind != Log && c.Kind != Circular {
		return c.Each(func(vaddr, count uint64) {
			r.Packed.Add(&Sample{Node: node(vaddr), Weight: weigh(count, c.Period), Count: count, Untimed: true})
		})
	}
	all, err := c.records()
	late := c.Start.Sub(r.Header.Start)
	weight := weigh(1, c.Period)
	nodes := map[uint32]NodeID{}
	for _, rec := range all {
		id, ok := nodes[rec.offset]
		if !ok {
			id = node(c.Low + uint64(rec.offset))
			nodes[rec.offset] = id
		}
		r.Packed.Add(&Sample{Time: late + time.Duration(rec.time), Thread: rec.thread, Node: id, Weight: weight, Count: 1})
	}
	return err
}

// weigh is the weight of samples in µs.
func weigh(count uint64, period time.Duration) uint64 {
	high, low := bits.Mul64(count, uint64(period))
	if high >= uint64(time.Microsecond) {
		return 1<<64 - 1
	}
	weight, _ := bits.Div64(high, low, uint64(time.Microsecond))
	return weight
}

// adopt takes what the run does not know yet from a count file.
func (r *Run) adopt(c *Counts) {
	h, m := &r.Header, &r.Meta
	if h.Unit == "" {
		*h = Header{Resource: c.Resource, Unit: resource.Microsecond, Clock: c.Clock, Period: c.Period, Start: m.Start}
		if h.Start.IsZero() {
			h.Start = c.Start
		}
	}
	if m.Version == 0 { // there is no meta
		m.Pid, m.Clock, m.Period = c.Pid, c.Clock, c.Period
		if m.Start.IsZero() || c.Start.Before(m.Start) {
			m.Start = c.Start
		}
	}
}

// settle completes the meta of a run of count files: a process that was killed
// could not say so.
func (r *Run) settle() {
	m := &r.Meta
	m.Samples, m.Lost, m.Partial = r.Packed.Count, 0, r.Packed.Partial
	for _, n := range r.Lost {
		m.Lost += n
	}
	if m.State == stateRunning && m.Started > 0 {
		if alive(*m) {
			r.Writing = true
		} else {
			m.State = stateKilled
		}
	}
}

// alive reports whether a process still runs the program of a meta.
func alive(m Meta) bool {
	stat, err := proc.ReadStat(m.Pid)
	if err != nil || stat.Ended() || stat.Started != m.Started {
		return false
	}
	exe, err := proc.Exe(m.Pid)
	return err != nil || m.Exe == "" || exe == m.Exe
}
