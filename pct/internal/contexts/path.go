package contexts

import (
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// A passage is a node whose path passes a call path: the samples of the node, and
// the node of the path's outermost frame.
type passage struct{ node, top int32 }

// passages returns the nodes with samples whose path passes a function.
func (s *search) passages(frame int32, free bool) []passage {
	where := make([]int32, len(s.Nodes)) // of the function on the path, 0 if it is not
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

// caller returns the frame that calls the outermost one of a passage, none if none does.
func (s *search) caller(p passage) int32 {
	if parent := s.Nodes[p.top].Parent; parent != 0 {
		return s.Nodes[parent].Frame
	}
	return none
}

func (s *search) callers(all []passage) tally {
	t := tally{}
	for _, p := range all {
		t.add(s.caller(p), s.Self[p.node])
	}
	return t
}

// extend returns the passages whose outermost function was called by frame.
func (s *search) extend(all []passage, frame int32) []passage {
	var longer []passage
	for _, p := range all {
		if s.caller(p) == frame {
			longer = append(longer, passage{p.node, s.Nodes[p.top].Parent})
		}
	}
	return longer
}

// own returns the weight of passages that have a frame as their place.
func (s *search) own(all []passage, frame int32) calltree.Weight {
	return s.weigh(s.placed(all, frame))
}

func (s *search) placed(all []passage, frame int32) []passage {
	return slices.DeleteFunc(slices.Clone(all), func(p passage) bool { return s.place[p.node] != frame })
}

// context finds the context of a head, and takes its samples.
func (s *search) context(head int32, number int) Context {
	last := s.inner(head)
	start := s.passages(last, true)
	var c Context
	if own := s.own(start, last); part(own, s.weigh(start)) < united && last == head {
		c.Itself = true
		start = s.placed(start, last)
	}
	path := s.outer(last, start)
	through := start
	whole := s.passages(last, false)
	for _, f := range path[1:] {
		through, whole = s.extend(through, f), s.extend(whole, f)
	}
	c.Weight, c.Fresh, c.Function = s.weigh(whole), s.weigh(through), s.totals[last]
	c.Callers = s.parts(s.callers(through))
	bodies := tally{}
	for _, p := range through {
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

// inner returns the function that a context ends with: its head, or the callers that
// work for little but that.
func (s *search) inner(head int32) int32 {
	for seen := map[int32]bool{}; !seen[head]; {
		seen[head] = true
		at := s.passages(head, true)
		weight, callers := s.weigh(at), s.callers(at)
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
func (s *search) outer(last int32, at []passage) []int32 {
	path := []int32{last}
	for weight := s.weigh(at); ; weight = s.weigh(at) {
		callers := s.callers(at)
		all := s.sorted(callers)
		if len(all) == 0 || s.root[all[0]] && len(path) > 1 ||
			part(callers[all[0]], weight) < dominant || callers[all[0]].Weight < s.least {
			break
		}
		at, path = s.extend(at, all[0]), append(path, all[0])
	}
	whole := s.passages(last, false)
	weights := []calltree.Weight{s.weigh(whole)}
	for _, f := range path[1:] {
		whole = s.extend(whole, f)
		weights = append(weights, s.weigh(whole))
	}
	for n := len(path); n > 2 && part(weights[n-1], weights[n-2]) >= same; n-- {
		path = path[:n-1]
	}
	return path
}
