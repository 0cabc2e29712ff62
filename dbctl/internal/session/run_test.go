package session

import (
	"math/rand/v2"
	"testing"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// TestNodes: what is kept of the path before changes no context.
func TestNodes(t *testing.T) {
	root, err := data.Create(t.TempDir(), "prog", 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := root.NewWriter(data.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	kept := &run{w: w, objects: make(map[*unwind.Object]data.ObjectID)}
	random := rand.New(rand.NewPCG(1, 2))
	objects := []*unwind.Object{nil, {Path: "a"}, {Path: "b"}}
	for range 10000 {
		frames := make([]unwind.Frame, random.IntN(6))
		for i := range frames {
			frames[i] = unwind.Frame{PC: random.Uint64N(2) + 1, Object: objects[random.IntN(len(objects))], Exact: i == 0}
		}
		anew := &run{w: w, objects: kept.objects}
		if got, want := kept.node(frames), anew.node(frames); got != want {
			t.Fatalf("%+v: node %d, want %d", frames, got, want)
		}
	}
}
