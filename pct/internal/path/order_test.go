package path

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// TestOrder compares the orders of call paths, frame by frame and by ranks, with that of their names.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		tr := newTree()
		nodes := []int32{0}
		for range 1 + r.IntN(60) {
			name := fmt.Sprint("f", r.IntN(4))
			parent := nodes[len(nodes)-1]
			if r.IntN(3) == 0 {
				parent = nodes[r.IntN(len(nodes))]
			}
			nodes = append(nodes, tr.Child(parent, tr.Frame(calltree.Frame{Name: name})))
		}
		for _, looked := range []int{0, 1 << 30} {
			for range 100 {
				a, b := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
				tr.ranked.looked = looked
				want := slices.Compare(CallPath{tr, a}.Names(), CallPath{tr, b}.Names())
				if got := cmp.Compare(tr.compare(a, b), 0); got != want {
					t.Fatalf("%q and %q, after %d frames: %d", CallPath{tr, a}.Names(), CallPath{tr, b}.Names(), looked, got)
				}
			}
		}
	}
}
