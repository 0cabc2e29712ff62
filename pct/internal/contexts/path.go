package contexts

import (
	"iter"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// A passage is a node whose path passes a function: the samples of the node, and
// the node of the function.
type passage struct{ node, top int32 }

// passages returns the nodes with samples whose path passes a function.
func (s *search) passages(frame int32, free bool) []passage {
	where := s.number // of the function on the path, 0 if it is not
	defer clear(where)
	var all []passage
	for n := 1; n < len(s.Nodes); n++ {
		where[n] = where[s.Nodes[n].Parent]
		if s.Nodes[n].Frame == frame {
			where[n] = int32(n)
		}
		if where[n] != 0 && s.Self[n].Samples > 0 && (!free || s.free(n)) {
			all = append(all, passage{int32(n), where[n]})
		}
	}
	return all
}

func (s *search) weigh(all []passage) (sum calltree.Weight) {
	for _, p := range all {
		sum = sum.Plus(s.Self[p.node])
	}
	return sum
}

// own returns the weight of passages that have a frame as their place.
func (s *search) own(all []passage, frame int32) (sum calltree.Weight) {
	for _, p := range all {
		if s.place[p.node] == frame {
			sum = sum.Plus(s.Self[p.node])
		}
	}
	return sum
}

// A top is the samples that pass a call path from one node of its outermost frame on. Making the path longer takes one
// step for each of these nodes, not for each sample.
type top struct {
	node int32
	calltree.Weight
}

type tops []top

// sum adds up weights by nodes.
func (s *search) sum(each iter.Seq2[int32, calltree.Weight]) (all tops) {
	for node, w := range each {
		if s.number[node] == 0 {
			all = append(all, top{node: node})
			s.number[node] = int32(len(all))
		}
		at := &all[s.number[node]-1]
		at.Weight = at.Plus(w)
	}
	for _, t := range all {
		s.number[t.node] = 0
	}
	return all
}

// tops returns the tops of passages, for the path that is their function alone.
func (s *search) tops(all []passage) tops {
	return s.sum(func(yield func(int32, calltree.Weight) bool) {
		for _, p := range all {
			yield(p.top, s.Self[p.node])
		}
	})
}

func (t tops) weigh() (sum calltree.Weight) {
	for _, at := range t {
		sum = sum.Plus(at.Weight)
	}
	return sum
}

// caller returns the frame that calls a node, none if none does.
func (s *search) caller(node int32) int32 {
	if parent := s.Nodes[node].Parent; parent != 0 {
		return s.Nodes[parent].Frame
	}
	return none
}

func (s *search) callers(of tops) tally {
	t := tally{}
	for _, at := range of {
		t.add(s.caller(at.node), at.Weight)
	}
	return t
}

// extend returns the tops of the path that is longer by a caller.
func (s *search) extend(of tops, caller int32) tops {
	return s.sum(func(yield func(int32, calltree.Weight) bool) {
		for _, at := range of {
			if s.caller(at.node) == caller {
				yield(s.Nodes[at.node].Parent, at.Weight)
			}
		}
	})
}

// along returns the tops of a path from each of its frames on, the innermost first.
func (s *search) along(path []int32, of tops) []tops {
	all := []tops{of}
	for _, f := range path[1:] {
		of = s.extend(of, f)
		all = append(all, of)
	}
	return all
}

// through keeps those passages whose top, after all steps, is on the path that along found. It takes all and the steps apart.
func (s *search) through(all []passage, steps []tops) []passage {
	for i := len(steps) - 2; i >= 0; i-- {
		outer := steps[i+1]
		s.mark(outer, 1)
		steps[i] = slices.DeleteFunc(steps[i], func(t top) bool { return s.number[s.Nodes[t.node].Parent] == 0 })
		s.mark(outer, 0)
	}
	s.mark(steps[0], 1)
	all = slices.DeleteFunc(all, func(p passage) bool { return s.number[p.top] == 0 })
	s.mark(steps[0], 0)
	return all
}

func (s *search) mark(all tops, number int32) {
	for _, t := range all {
		s.number[t.node] = number
	}
}

// context finds the context of a head, and takes its samples.
func (s *search) context(head int32, number int32) Context {
	last := s.inner(head)
	start := s.passages(last, true)
	var c Context
	if own := s.own(start, last); part(own, s.weigh(start)) < united && last == head {
		c.Itself = true
		start = slices.DeleteFunc(start, func(p passage) bool { return s.place[p.node] != last })
	}
	path := s.outer(last, s.tops(start))
	steps := s.along(path, s.tops(start))
	outermost := steps[len(steps)-1]
	whole := s.along(path, s.tops(s.passages(last, false)))
	c.Weight, c.Fresh, c.Function = whole[len(whole)-1].weigh(), outermost.weigh(), s.totals[last]
	c.Callers = s.parts(s.callers(outermost))
	bodies := tally{}
	for _, p := range s.through(start, steps) {
		bodies.add(s.Nodes[p.node].Frame, s.Self[p.node])
		s.taken[p.node] = number
	}
	c.Bodies = s.parts(bodies)
	for _, f := range slices.Backward(path) {
		c.Path = append(c.Path, s.Frames[f].Name)
	}
	return c
}

// part is a fraction of a weight, 0 of nothing.
func part(a, of calltree.Weight) float64 {
	if of.Weight == 0 {
		return 0
	}
	return float64(a.Weight) / float64(of.Weight)
}

// inner returns the function that a context ends with: its head, or a caller with work of its own,
// most of whose weight is that of the head.
func (s *search) inner(head int32) int32 {
	for seen := map[int32]bool{}; !seen[head]; {
		seen[head] = true
		at := s.passages(head, true)
		weight, callers := s.weigh(at), s.callers(s.tops(at))
		all := s.sorted(callers)
		if len(all) == 0 || s.root[all[0]] || part(callers[all[0]], weight) < only {
			return head
		}
		around := s.passages(all[0], true)
		total := s.weigh(around)
		if part(s.own(around, all[0]), total) < worker || part(weight, total) < most {
			return head
		}
		head = all[0]
	}
	return head
}

// outer returns the frames of a context's path, the innermost first.
func (s *search) outer(last int32, at tops) []int32 {
	path := []int32{last}
	for weight := at.weigh(); ; weight = at.weigh() {
		callers := s.callers(at)
		all := s.sorted(callers)
		if len(all) == 0 || s.root[all[0]] && len(path) > 1 ||
			part(callers[all[0]], weight) < dominant || callers[all[0]].Weight < s.least {
			break
		}
		at, path = s.extend(at, all[0]), append(path, all[0])
	}
	steps := s.along(path, s.tops(s.passages(last, false)))
	for n := len(path); n > 2 && part(steps[n-1].weigh(), steps[n-2].weigh()) >= same; n-- {
		path = path[:n-1]
	}
	return path
}
