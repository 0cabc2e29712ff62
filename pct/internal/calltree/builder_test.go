package calltree

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestCompact has samples at a few nodes of a tree: the compact tree has these paths
// with these weights, and no others.
func TestCompact(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		b := NewBuilder()
		for range 1 + r.IntN(200) {
			frame := b.Frame(Frame{Name: string(rune('a' + r.IntN(9)))})
			if got := b.Child(int32(r.IntN(len(b.Nodes))), frame); b.Nodes[got].Frame != frame {
				t.Fatalf("node %d is of frame %d, want %d", got, b.Nodes[got].Frame, frame)
			}
		}
		self := map[int32]Weight{}
		needed := map[int32]bool{}
		for range r.IntN(5) {
			node := int32(r.IntN(len(b.Nodes)))
			self[node] = Weight{uint64(r.IntN(100)), 1}
			for ; node != 0; node = b.Nodes[node].Parent {
				needed[node] = true
			}
		}
		ofAll, ofPart := NewWeights(false), NewWeights(true)
		for node, w := range self {
			ofAll.Add(node, w)
			ofPart.Add(node, w)
		}
		whole, compact := ofAll.Tree(b), ofPart.Tree(b)
		if got, want := pathsOf(compact), pathsOf(whole); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		if got := len(compact.Nodes) - 1; got != len(needed) {
			t.Fatalf("%d nodes, want %d", got, len(needed))
		}
		for n := 1; n < len(compact.Nodes); n++ {
			if int(compact.Nodes[n].Parent) >= n {
				t.Fatalf("the parent of %d is %d, which stands behind it", n, compact.Nodes[n].Parent)
			}
		}
	}
}

// TestWeights leaves out nodes, and moves samples to their parents, of all samples and of a part.
func TestWeights(t *testing.T) {
	for _, part := range []bool{false, true} {
		ws := NewWeights(part)
		for node := range int32(5) {
			ws.Add(node, Weight{uint64(node), 1})
			ws.Add(node, Weight{10, 1})
		}
		ws.Keep([]bool{true, true, false, true, false})
		if got, want := maps.Collect(ws.All()), map[int32]Weight{0: {10, 2}, 1: {11, 2}, 3: {13, 2}}; !maps.Equal(got, want) {
			t.Errorf("part %v: kept %v, want %v", part, got, want)
		}
		ws.Move(func(node int32) int32 { return node / 2 })
		if got, want := maps.Collect(ws.All()), map[int32]Weight{0: {21, 4}, 1: {13, 2}}; !maps.Equal(got, want) {
			t.Errorf("part %v: moved %v, want %v", part, got, want)
		}
	}
}

// pathsOf are the paths that have samples.
func pathsOf(t *Tree) map[string]Weight {
	all := map[string]Weight{}
	for n, w := range t.Self {
		if w.Samples > 0 {
			all[t.names(t.Path(int32(n)))] = w
		}
	}
	return all
}
