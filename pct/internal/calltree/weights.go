package calltree

import (
	"iter"
	"maps"
)

// Weights add up the samples at nodes of a Builder: all of a selection, which are at many of
// its nodes, or a part of them, which are at few. A part takes memory for these alone.
type Weights struct {
	ofAll  []Weight // by node
	ofPart map[int32]Weight
}

// NewWeights returns weights of no samples.
func NewWeights(part bool) *Weights {
	if part {
		return &Weights{ofPart: map[int32]Weight{}}
	}
	return &Weights{}
}

// Add adds samples at a node.
func (ws *Weights) Add(node int32, w Weight) {
	if ws.ofPart != nil {
		ws.ofPart[node] = ws.ofPart[node].Plus(w)
		return
	}
	if lack := int(node) + 1 - len(ws.ofAll); lack > 0 {
		ws.ofAll = append(ws.ofAll, make([]Weight, lack)...)
	}
	ws.ofAll[node] = ws.ofAll[node].Plus(w)
}

// All are the nodes that have samples, in any order.
func (ws *Weights) All() iter.Seq2[int32, Weight] {
	return func(yield func(int32, Weight) bool) {
		for node, w := range ws.ofPart {
			if !yield(node, w) {
				return
			}
		}
		for node, w := range ws.ofAll {
			if w.Samples > 0 && !yield(int32(node), w) {
				return
			}
		}
	}
}

// Keep leaves out the samples at nodes that are not kept.
func (ws *Weights) Keep(kept []bool) {
	maps.DeleteFunc(ws.ofPart, func(node int32, _ Weight) bool { return !kept[node] })
	for node := range ws.ofAll {
		if !kept[node] {
			ws.ofAll[node] = Weight{}
		}
	}
}

// Move puts the samples at other nodes, which are few: to leads to them.
func (ws *Weights) Move(to func(node int32) int32) {
	if ws.ofPart == nil {
		moved := NewWeights(true)
		for node, w := range ws.All() {
			moved.Add(to(node), w)
		}
		*ws = *moved
		return
	}
	type at struct {
		node int32
		Weight
	}
	all := make([]at, 0, len(ws.ofPart))
	for node, w := range ws.ofPart {
		all = append(all, at{node, w})
	}
	clear(ws.ofPart) // a small part has room for them: there may be very many
	for _, a := range all {
		ws.Add(to(a.node), a.Weight)
	}
}

// Cover makes room for the nodes that a Builder has, if the weights are of all samples.
func (ws *Weights) Cover(b *Builder) {
	if ws.ofPart == nil {
		ws.ofAll = append(ws.ofAll, make([]Weight, len(b.Nodes)-len(ws.ofAll))...)
	}
}

// Tree returns the tree of a Builder in which the nodes have these weights. It has all nodes, or of
// a part those that it needs.
func (ws *Weights) Tree(b *Builder) *Tree {
	if ws.ofPart != nil {
		return b.Compact(ws.ofPart)
	}
	ws.Cover(b)
	return &Tree{Frames: b.Frames, Nodes: b.Nodes, Self: ws.ofAll}
}
