package calltree

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A stack is the names on a call path, outermost first, and its weight.
type stack struct {
	names  []string
	weight Weight
}

// build makes the tree of some stacks.
func build(stacks []stack) *Tree {
	b := NewBuilder()
	self := map[int32]Weight{}
	for _, s := range stacks {
		frames := make([]int32, len(s.names))
		for i, name := range s.names {
			frames[len(frames)-1-i] = b.Frame(Frame{Name: name, Function: name})
		}
		node := b.Insert(frames)
		self[node] = self[node].Plus(s.weight)
	}
	return b.Compact(self)
}

// list is the list of the appendix: cons, first and rest are its only operations.
type list struct {
	first string
	rest  *list
}

func cons(name string, rest *list) *list { return &list{name, rest} }

func (l *list) String() string {
	if l == nil {
		return ""
	}
	return l.first + "/" + l.rest.String()
}

// sampleTree is that of the paper, section 5.3.
type sampleTree struct {
	name     string
	weight   Weight
	children []*sampleTree
}

func (t *sampleTree) insert(names []string, w Weight) {
	t.weight = t.weight.Plus(w)
	if len(names) == 0 {
		return
	}
	for _, child := range t.children {
		if child.name == names[0] {
			child.insert(names[1:], w)
			return
		}
	}
	child := &sampleTree{name: names[0]}
	t.children = append(t.children, child)
	child.insert(names[1:], w)
}

// pathHash is PATH-HASH, by paths that are written as text.
type pathHash map[string]*pathRecord

type pathRecord struct {
	ticks  Weight
	locked bool
}

func (h pathHash) getRecord(path *list) *pathRecord {
	key := path.String()
	if h[key] == nil {
		h[key] = &pathRecord{}
	}
	return h[key]
}

// downwardCPProfile, summarizeBelowRoot, cppRec and canonicalizeName are the
// procedures of the appendix, line by line.
func downwardCPProfile(tree *sampleTree, roots []string) pathHash {
	hash := pathHash{}
	for _, outermost := range tree.children { // the tree has no name: its samples may begin in several functions
		hash.summarizeBelowRoot(outermost, roots)
	}
	return hash
}

func (h pathHash) summarizeBelowRoot(node *sampleTree, roots []string) {
	if slices.Contains(roots, node.name) {
		h.cppRec(node, nil)
	} else {
		for _, child := range node.children {
			h.summarizeBelowRoot(child, roots)
		}
	}
}

func (h pathHash) cppRec(node *sampleTree, parent *list) {
	name := node.name
	cp := cons(name, parent)
	nextParent := canonicalizeName(cp, name)
	record := h.getRecord(cp)
	locked := record.locked
	if !locked {
		record.locked = true
		record.ticks = record.ticks.Plus(node.weight)
	}
	for _, child := range node.children {
		h.cppRec(child, nextParent)
	}
	if !locked {
		record.locked = false
	}
}

func canonicalizeName(path *list, name string) *list {
	for ptr := path.rest; ptr != nil; ptr = ptr.rest {
		if ptr.first == name {
			return ptr
		}
	}
	return path
}

// reversed returns the reversed part of each stack from its innermost root outwards.
func reversed(stacks []stack, roots []string) []stack {
	var all []stack
	for _, s := range stacks {
		names := slices.Clone(s.names)
		slices.Reverse(names)
		if i := slices.IndexFunc(names, func(n string) bool { return slices.Contains(roots, n) }); i >= 0 {
			all = append(all, stack{names[i:], s.weight})
		}
	}
	return all
}

func reference(stacks []stack, roots []string) pathHash {
	tree := &sampleTree{}
	for _, s := range stacks {
		tree.insert(s.names, s.weight)
	}
	return downwardCPProfile(tree, roots)
}

// randomStacks are samples of a program with so many functions. Where it is not
// recursive, functions call later ones only.
func randomStacks(r *rand.Rand, functions, deepest int, recursive bool) []stack {
	var stacks []stack
	for range 1 + r.IntN(40) {
		s := stack{weight: Weight{uint64(r.IntN(1000)), 1 + r.IntN(9)}}
		at := -1
		for range r.IntN(deepest + 1) {
			if recursive {
				at = r.IntN(functions)
			} else if at += 1 + r.IntN(3); at >= functions {
				break
			}
			s.names = append(s.names, string(rune('a'+at)))
		}
		stacks = append(stacks, s)
	}
	return stacks
}

// byPath are the rows of a profile by their paths as the reference writes them.
func byPath(t *testing.T, tree *Tree, p *CallPaths, inward bool) map[string]Weight {
	t.Helper()
	all := map[string]Weight{}
	for i, row := range p.Rows {
		var path *list
		frames := slices.Clone(row.Frames)
		if inward {
			slices.Reverse(frames)
		}
		for _, f := range frames {
			path = cons(tree.Frames[f].Name, path)
		}
		if _, twice := all[path.String()]; twice {
			t.Fatalf("%v has two rows", path)
		}
		all[path.String()] = row.Weight
		if i > 0 && tree.compare(&p.Rows[i-1], &p.Rows[i], inward) >= 0 {
			t.Fatalf("rows %d and %d are not in order", i-1, i)
		}
	}
	return all
}

// compare orders rows: heavier first, then shorter, then by names from the root on.
func (t *Tree) compare(a, b *PathWeight, inward bool) int {
	names := func(p *PathWeight) []string {
		names := strings.Fields(t.names(p.Frames))
		if inward {
			slices.Reverse(names)
		}
		return names
	}
	return cmp.Or(cmp.Compare(b.Weight.Weight, a.Weight.Weight), cmp.Compare(b.Samples, a.Samples),
		cmp.Compare(len(a.Frames), len(b.Frames)), slices.Compare(names(a), names(b)))
}

func weights(h pathHash) map[string]Weight {
	all := map[string]Weight{}
	for path, r := range h {
		all[path] = r.ticks
	}
	return all
}

// isOneOf is a predicate on frames.
func isOneOf(roots []string) func(*Frame) bool {
	return func(f *Frame) bool { return slices.Contains(roots, f.Name) }
}

// text describes stacks for those who look for what went wrong.
func text(stacks []stack) string {
	var b strings.Builder
	for _, s := range stacks {
		fmt.Fprintf(&b, "%v %d\n", s.names, s.weight.Weight)
	}
	return b.String()
}

// TestAppendix compares profiles of random trees with the appendix of the 1993 paper,
// taken literally: downward ones of the stacks, upward ones of the reversed stacks.
func TestAppendix(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 93))
	for i := range 6000 {
		functions := 2 + r.IntN(8)
		deepest := 12
		if i%50 == 0 {
			deepest = 200
		}
		stacks := randomStacks(r, functions, deepest, i%3 > 0)
		roots := []string{string(rune('a' + r.IntN(functions))), string(rune('a' + r.IntN(functions)))}[:1+i%2]
		tree := build(stacks)
		for _, direction := range []struct {
			name    string
			profile func(func(*Frame) bool, float64) *CallPaths
			stacks  []stack
			inward  bool
		}{
			{"downward", tree.Downward, stacks, false},
			{"upward", tree.Upward, reversed(stacks, roots), true},
		} {
			got := byPath(t, tree, direction.profile(isOneOf(roots), 0), direction.inward)
			want := weights(reference(direction.stacks, roots))
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s from %v: %v, want %v; stacks:\n%s", direction.name, roots, got, want, text(stacks))
			}
		}
	}
}

// TestContiguous compares profiles of programs without recursion with what section 4
// means: the weight of the samples on whose stack the path is found.
func TestContiguous(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range 1500 {
		functions := 3 + r.IntN(20)
		stacks := randomStacks(r, functions, 12, false)
		tree := build(stacks)
		root := string(rune('a' + r.IntN(functions)))
		down, up := map[string]Weight{}, map[string]Weight{}
		whole := Weight{}
		for _, s := range stacks {
			whole = whole.Plus(s.weight)
			at := slices.Index(s.names, root)
			for i := at + 1; at >= 0 && i <= len(s.names); i++ {
				key := strings.Join(s.names[at:i], " ")
				down[key] = down[key].Plus(s.weight)
			}
			for i := at; i >= 0; i-- {
				key := strings.Join(s.names[i:at+1], " ")
				up[key] = up[key].Plus(s.weight)
			}
		}
		for _, direction := range []struct {
			profile func(func(*Frame) bool, float64) *CallPaths
			want    map[string]Weight
		}{{tree.Downward, down}, {tree.Upward, up}} {
			got := map[string]Weight{}
			p := direction.profile(isOneOf([]string{root}), 0)
			for _, row := range p.Rows {
				got[tree.names(row.Frames)] = row.Weight
			}
			if !reflect.DeepEqual(got, direction.want) || p.Whole != whole || p.Hidden != 0 {
				t.Fatalf("from %s: %v, want %v; stacks:\n%s", root, got, direction.want, text(stacks))
			}
		}
	}
}

func (t *Tree) names(frames []int32) string {
	var names []string
	for _, f := range frames {
		names = append(names, t.Frames[f].Name)
	}
	return strings.Join(names, " ")
}

// TestFunctions holds function and body profiles against their definitions.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for i := range 2000 {
		stacks := randomStacks(r, 2+r.IntN(9), 15, i%2 == 0)
		tree := build(stacks)
		functions, bodies := map[string]Weight{}, map[string]Weight{}
		for _, s := range stacks {
			for j, name := range s.names {
				if slices.Index(s.names, name) == j {
					functions[name] = functions[name].Plus(s.weight)
				}
			}
			if n := len(s.names); n > 0 {
				bodies[s.names[n-1]] = bodies[s.names[n-1]].Plus(s.weight)
			}
		}
		if got := byName(tree, tree.Functions()); !reflect.DeepEqual(got, functions) {
			t.Fatalf("functions %v, want %v; stacks:\n%s", got, functions, text(stacks))
		}
		if got := byName(tree, tree.Bodies()); !reflect.DeepEqual(got, bodies) {
			t.Fatalf("bodies %v, want %v; stacks:\n%s", got, bodies, text(stacks))
		}
		for name, w := range functions { // section 4.4: all call paths of length 1
			p := tree.Downward(isOneOf([]string{name}), 0)
			i := slices.IndexFunc(p.Rows, func(row PathWeight) bool { return len(row.Frames) == 1 })
			if p.Rows[i].Weight != w {
				t.Fatalf("(%s) has %v downward, %v as a function; stacks:\n%s", name, p.Rows[i].Weight, w, text(stacks))
			}
		}
	}
}

func byName(t *Tree, all []FrameWeight) map[string]Weight {
	weights := map[string]Weight{}
	for _, f := range all {
		weights[t.Frames[f.Frame].Name] = f.Weight
	}
	return weights
}

// TestRecursion shows what the appendix makes of recursive programs.
func TestRecursion(t *testing.T) {
	tree := build([]stack{
		{strings.Fields("main a b a c"), Weight{3, 3}},
		{strings.Fields("main a c"), Weight{2, 2}},
		{strings.Fields("main a a a a"), Weight{1, 1}},
	})
	for _, test := range []struct {
		name string
		got  *CallPaths
		want []string
	}{
		{"down", tree.Downward(isOneOf([]string{"main"}), 0), []string{
			"6 main", "6 main a", "5 main a c", "3 main a b", "3 main a b a", "1 main a a",
		}},
		{"down from a", tree.Downward(isOneOf([]string{"a"}), 0), []string{
			"6 a", "5 a c", "3 a b", "3 a b a", "1 a a",
		}},
		{"up", tree.Upward(isOneOf([]string{"a"}), 0), []string{
			"6 a", "6 main a", "3 b a", "3 a b a", "1 a a",
		}},
		{"up to c", tree.Upward(isOneOf([]string{"c"}), 0), []string{
			"5 c", "5 a c", "5 main a c", "3 b a c", "3 a b a c",
		}},
		{"up, half", tree.Upward(isOneOf([]string{"a"}), 0.5), []string{"6 a", "6 main a", "3 b a", "3 a b a"}},
		{"nothing", tree.Upward(isOneOf(nil), 0), nil},
	} {
		var got []string
		for _, row := range test.got.Rows {
			got = append(got, fmt.Sprintf("%d %s", row.Weight.Weight, tree.names(row.Frames)))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if p := tree.Upward(isOneOf([]string{"a"}), 0.5); p.Hidden != 1 || p.Whole != (Weight{6, 6}) {
		t.Errorf("%d hidden of %v, want 1 of 6", p.Hidden, p.Whole)
	}
}

// TestDeep has stacks of 10,000 frames, of one function, of two that call each other,
// and of as many functions.
func TestDeep(t *testing.T) {
	const depth = 10_000
	for _, functions := range []int{1, 2, 7, depth} {
		var stacks []stack
		names := make([]string, depth)
		for i := range names {
			names[i] = fmt.Sprint("f", i%functions)
		}
		for _, length := range []int{depth, depth - 1, depth / 2, 1, 0} {
			stacks = append(stacks, stack{names[:length], Weight{1, 1}})
		}
		tree := build(stacks)
		f0 := isOneOf([]string{"f0"})
		down, up := tree.Downward(f0, 0), tree.Upward(f0, 0)
		if down.Whole.Samples != 5 || down.Rows[0].Weight.Samples != 4 || up.Rows[0].Weight.Samples != 4 {
			t.Errorf("%d functions: %v of %v downward, %v upward", functions, down.Rows[0], down.Whole, up.Rows[0])
		}
		if got := tree.Functions(); len(got) != functions || got[0].Samples != 4 {
			t.Errorf("%d functions: %d, %v", functions, len(got), got[0])
		}
		want := functions + 1 // a path to each, and to the first called again by the last
		if functions == depth {
			want = depth
		}
		if n := len(down.Rows) + down.After; n != want {
			t.Errorf("%d functions: %d paths downward, want %d", functions, n, want)
		}
		// Paths of some hundred frames each are as many as want room for no more than some million.
		if (functions == depth) != (down.After > 0) || len(down.Rows) < min(want, 1000) {
			t.Errorf("%d functions: room for %d rows of %d", functions, len(down.Rows), want)
		}
	}
}

// TestNothing has trees with little in them.
func TestNothing(t *testing.T) {
	for name, stacks := range map[string][]stack{
		"no sample":            nil,
		"a sample without any": {{nil, Weight{1, 1}}},
		"no weight":            {{[]string{"a"}, Weight{0, 1}}},
		"names":                {{[]string{"", "\x00\xff", strings.Repeat("<", 10_000)}, Weight{1, 1}}},
	} {
		tree := build(stacks)
		all := func(*Frame) bool { return true }
		for _, p := range []*CallPaths{tree.Downward(all, 0), tree.Upward(all, 0)} {
			longest := 0
			for _, s := range stacks {
				longest = max(longest, len(s.names))
			}
			if len(p.Rows) != longest || p.Whole.Samples != len(stacks) || p.Hidden != 0 {
				t.Errorf("%s: %v", name, p)
			}
		}
	}
}
