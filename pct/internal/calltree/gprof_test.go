package calltree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// reaches says which functions are reached from which along arcs of the stacks.
func reaches(stacks []stack) map[[2]string]bool {
	r := map[[2]string]bool{}
	var names []string
	for _, s := range stacks {
		for i, name := range s.names {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			if i > 0 {
				r[[2]string{s.names[i-1], name}] = true
			}
		}
	}
	for _, k := range names { // Warshall
		for _, i := range names {
			for _, j := range names {
				if r[[2]string{i, k}] && r[[2]string{k, j}] {
					r[[2]string{i, j}] = true
				}
			}
		}
	}
	return r
}

// A literal is a call graph by its definition, from the stacks themselves: for each name,
// or sorted names of a cycle, and for each line of it, self, children and samples.
type literal map[string][3]int

func (l literal) add(key string, w Weight, self bool) {
	v := l[key]
	if self {
		v[0] += int(w.Weight)
	} else {
		v[1] += int(w.Weight)
	}
	v[2] += w.Samples
	l[key] = v
}

// fromStacks computes it sample by sample.
func fromStacks(stacks []stack) literal {
	reach := reaches(stacks)
	cycle := func(name string) string { // its members
		var members []string
		for pair := range reach {
			if pair[0] == name && pair[1] != name && reach[[2]string{pair[1], name}] {
				members = append(members, pair[1])
			}
		}
		if members == nil {
			return ""
		}
		members = append(members, name)
		slices.Sort(members)
		return "{" + strings.Join(slices.Compact(members), " ") + "}"
	}
	l := literal{}
	for _, s := range stacks {
		if len(s.names) == 0 || s.weight.Samples == 0 {
			continue
		}
		innermost := s.names[len(s.names)-1]
		done := map[string]bool{}
		once := func(key string, self bool) {
			if !done[key] {
				done[key] = true
				l.add(key, s.weight, self)
			}
		}
		for i, name := range s.names {
			once(name, name == innermost)
			caller := "<spontaneous>"
			if i > 0 {
				caller = s.names[i-1]
			}
			in := cycle(name)
			if caller == name || in != "" && in == cycle(caller) {
				if key := caller + ">" + name; !done[key] {
					done[key] = true
					v := l[key]
					v[2] += s.weight.Samples // and no weight
					l[key] = v
				}
				continue
			}
			within := name == innermost || in != "" && in == cycle(innermost)
			once(caller+">"+name, within)
			if in != "" {
				once(in, within)
				once(caller+">"+in, within)
			}
		}
		for i, name := range s.names { // members of a cycle: where it is left, and where it is on the stack
			in := cycle(name)
			if in == "" {
				continue
			}
			key := in + ":" + name
			v := l[key]
			if slices.Index(s.names, name) == i {
				v[2] += s.weight.Samples
			}
			if i == len(s.names)-1 {
				v[0] += int(s.weight.Weight)
			} else if cycle(s.names[i+1]) != in {
				v[1] += int(s.weight.Weight)
			}
			l[key] = v
		}
	}
	return l
}

// fromGraph reads a CallGraph.
func fromGraph(t *testing.T, g *CallGraph) literal {
	l := literal{}
	names := make([]string, len(g.Entries))
	for i, e := range g.Entries {
		names[i] = e.Name
		if e.Whole() {
			var members []string
			for _, m := range e.Members {
				members = append(members, g.Entries[m.Entry].Name)
				if g.Entries[m.Entry].Cycle != e.Cycle {
					t.Errorf("a member of another cycle: %+v", g.Entries[m.Entry])
				}
			}
			slices.Sort(members)
			names[i] = "{" + strings.Join(members, " ") + "}"
		}
	}
	set := func(key string, self, children float64, samples int) {
		v := [3]int{int(self), int(children), samples}
		if old, ok := l[key]; ok && old != v {
			t.Errorf("%s is %v and %v", key, old, v)
		}
		l[key] = v
	}
	for i, e := range g.Entries {
		set(names[i], e.Self, e.Children, e.Samples)
		for _, c := range e.Callers {
			caller := "<spontaneous>"
			if c.Entry != Spontaneous {
				caller = names[c.Entry]
			}
			set(caller+">"+names[i], c.Self, c.Children, c.Samples)
		}
		for _, c := range e.Callees {
			set(names[i]+">"+names[c.Entry], c.Self, c.Children, c.Samples)
		}
		for _, m := range e.Members {
			set(names[i]+":"+names[m.Entry], m.Self, m.Children, m.Samples)
		}
	}
	return l
}

// sums adds up the weights of lines.
func sums(lines []CallGraphLine) (self, children float64) {
	for _, l := range lines {
		self += l.Self
		children += l.Children
	}
	return self, children
}

// TestCallGraph compares thousands of call graphs with their definition, and adds up
// their columns.
func TestCallGraph(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	cycles, recursive := 0, 0
	for round := range 4000 {
		stacks := randomStacks(r, 2+round%7, 1+round%9, round%4 != 0)
		g := build(stacks).CallGraph()
		got, want := fromGraph(t, g), fromStacks(stacks)
		for key, v := range want {
			if got[key] != v {
				t.Errorf("%s is %v, want %v", key, got[key], v)
			}
			delete(got, key)
		}
		for key := range got {
			t.Errorf("%s is there", key)
		}
		for i, e := range g.Entries {
			for _, line := range e.Callers {
				if line.Recursion {
					recursive++
				}
			}
			self, children := sums(e.Callers)
			if (e.Cycle == 0 || e.Whole()) && (self != e.Self || children != e.Children) {
				t.Errorf("callers of %q have %v and %v of %v and %v", e.Name, self, children, e.Self, e.Children)
			}
			self, children = sums(e.Callees)
			if e.Cycle == 0 && self+children != e.Children {
				t.Errorf("callees of %q have %v of %v", e.Name, self+children, e.Children)
			}
			if self, children = sums(e.Members); e.Whole() {
				cycles++
				if self != e.Self || children != e.Children {
					t.Errorf("members of %d have %v and %v of %v and %v", e.Cycle, self, children, e.Self, e.Children)
				}
			}
			if i > 0 && e.Total() > g.Entries[i-1].Total() {
				t.Errorf("entry %d is heavier than the one before", i)
			}
		}
		if t.Failed() {
			t.Fatalf("stacks:\n%s", text(stacks))
		}
	}
	if cycles < 1000 || recursive < 1000 {
		t.Errorf("only %d cycles and %d arcs of recursion", cycles, recursive)
	}
}

// TestCycles checks the components of random graphs against what is reached from what.
func TestCycles(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		n := 1 + r.IntN(9)
		callees := make([][]int32, n)
		reach := make([][]bool, n)
		for v := range reach {
			reach[v] = make([]bool, n)
		}
		for range r.IntN(2 * n) {
			v, w := r.IntN(n), r.IntN(n)
			callees[v] = append(callees[v], int32(w))
			reach[v][w] = true
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		cycle := Cycles(callees)
		for i := range n {
			alone := true
			for j := range n {
				together := i != j && reach[i][j] && reach[j][i]
				alone = alone && !together
				if together && cycle[i] != cycle[j] || i != j && !together && cycle[i] != 0 && cycle[i] == cycle[j] {
					t.Fatalf("%v: %v", callees, cycle)
				}
			}
			if alone != (cycle[i] == 0) {
				t.Fatalf("%v: %v", callees, cycle)
			}
		}
	}
}

// TestDeepCallGraph: stacks of 10,000 frames take no time that grows with their square.
func TestDeepCallGraph(t *testing.T) {
	const deep, many = 10_000, 100
	var stacks []stack
	names := make([]string, deep)
	for i := range names {
		names[i] = []string{"a", "b"}[i%2]
	}
	for i := range many {
		stacks = append(stacks, stack{append(names[:deep-1:deep-1], fmt.Sprint(i)), Weight{1, 1}})
	}
	g := build(stacks).CallGraph()
	e := g.Entries[0]
	if !e.Whole() || e.Children != many || len(e.Members) != 2 {
		t.Errorf("%+v", e)
	}
}
