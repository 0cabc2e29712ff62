package pprof

import (
	"encoding/binary"

	"github.com/google/pprof/profile"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// A builder makes the locations of a profile.
type builder struct {
	p         *profile.Profile
	frames    []calltree.Frame
	nodes     []calltree.Node // of the tree whose paths are being added
	objects   *objects
	functions map[function]*profile.Function
	locations map[string]*profile.Location // by the numbers of their frames
}

// function is what tells functions apart.
type function struct{ name, file string }

func newBuilder(frames []calltree.Frame, mapped []data.Object) *builder {
	return &builder{
		p: &profile.Profile{}, frames: frames, objects: newObjects(mapped),
		functions: map[function]*profile.Function{}, locations: map[string]*profile.Location{},
	}
}

// over sets the tree whose nodes stack takes.
func (b *builder) over(nodes []calltree.Node) { b.nodes = nodes }

// stack returns the locations of a node's call path, innermost first. A function and
// those that were inlined into it are one.
func (b *builder) stack(node int32) []*profile.Location {
	var stack []*profile.Location
	var key []byte
	first := node
	for n := node; n != 0; n = b.nodes[n].Parent {
		frame := b.nodes[n].Frame
		key = binary.AppendUvarint(key, uint64(frame))
		if b.frames[frame].Inlined && b.nodes[n].Parent != 0 {
			continue
		}
		l, ok := b.locations[string(key)]
		if !ok {
			l = b.location(first, n)
			b.locations[string(key)] = l
		}
		stack = append(stack, l)
		key, first = key[:0], b.nodes[n].Parent
	}
	return stack
}

// location makes the location of the frames from a node to one of those that call it.
func (b *builder) location(from, to int32) *profile.Location {
	at := &b.frames[b.nodes[to].Frame]
	l := &profile.Location{ID: id(len(b.p.Location)), Address: at.Addr}
	if at.Object != "" {
		b.objects.use(l, at.Object, at.Addr)
	}
	for n := from; ; n = b.nodes[n].Parent {
		f := &b.frames[b.nodes[n].Frame]
		// What has no name is shown by its address.
		if f.Function != "" || f.File != "" || f.Object == "" && f.Addr == 0 {
			l.Line = append(l.Line, profile.Line{Function: b.function(f), Line: int64(f.Line)})
		}
		if n == to {
			break
		}
	}
	b.p.Location = append(b.p.Location, l)
	return l
}

func (b *builder) function(f *calltree.Frame) *profile.Function {
	key := function{f.Function, f.File}
	if key.name == "" {
		key.name = f.Name
	}
	made, ok := b.functions[key]
	if !ok {
		made = &profile.Function{ID: id(len(b.p.Function)), Name: valid(key.name), SystemName: valid(key.name), Filename: valid(key.file)}
		b.functions[key] = made
		b.p.Function = append(b.p.Function, made)
	}
	return made
}

// finish gives the locations their mappings.
func (b *builder) finish(program string) { b.p.Mapping = b.objects.place(program) }
