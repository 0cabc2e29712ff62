package imported

import (
	"encoding/binary"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/pct/data"
)

// mappedObject is a mapped file, or what stands for one.
type mappedObject struct {
	path, buildID    string
	kind             byte // as in data.Object
	start, end, bias uint64
}

// place is an instruction with what the file says of it.
type place struct {
	object int32 // 0 none
	addr   uint64
	names  []data.Name // innermost first
	named  bool        // the file has said what there is to say, names or none
}

// node is a call path: a place called from another node, 0 the root.
type node struct{ parent, place int32 }

// A table gives numbers to the objects, places and call paths of a file; 0 is none.
type table struct {
	objects []mappedObject
	places  []place
	nodes   []node

	objectIDs map[mappedObject]int32
	placeIDs  map[string]int32
	nodeIDs   map[node]int32
	taken     map[instruction]bool
	made      map[int32]uint64 // addresses made up in each object
	texts     map[string]string
}

type instruction struct {
	object int32
	addr   uint64
}

func newTable() *table {
	return &table{
		objects: make([]mappedObject, 1), places: make([]place, 1), nodes: make([]node, 1),
		objectIDs: map[mappedObject]int32{}, placeIDs: map[string]int32{}, nodeIDs: map[node]int32{},
		taken: map[instruction]bool{}, made: map[int32]uint64{}, texts: map[string]string{},
	}
}

// text returns a string that shares its memory with equal ones, and with nothing else.
func (t *table) text(s string) string {
	known, ok := t.texts[s]
	if !ok {
		known = strings.Clone(s)
		t.texts[known] = known
	}
	return known
}

func (t *table) object(o mappedObject) int32 {
	id, ok := t.objectIDs[o]
	if !ok {
		id = int32(len(t.objects))
		o.path, o.buildID = t.text(o.path), t.text(o.buildID)
		t.objects = append(t.objects, o)
		t.objectIDs[o] = id
	}
	return id
}

// kernelFirst is where addresses of the kernel begin.
const kernelFirst = 1 << 63

// mapped returns the object of a file as perf and pprof name it: [kernel.kallsyms], a
// module of the kernel in brackets, or a path.
func (t *table) mapped(path string, addr uint64) int32 {
	switch {
	case path == "" || path == "[unknown]":
		return 0
	case strings.HasPrefix(path, "[kernel.") || strings.HasPrefix(path, "[guest.kernel.") || path == "[kernel]":
		return t.object(mappedObject{path: "[kernel]", kind: data.ObjectKernel})
	case path[0] == '[' && path[len(path)-1] == ']' && addr >= kernelFirst && path != "[vsyscall]":
		return t.object(mappedObject{path: "[kernel:" + path[1:len(path)-1] + "]", kind: data.ObjectKernel})
	}
	return t.object(mappedObject{path: path})
}

// madeUp begins the addresses of places of which the file has none, or the same one as
// of another.
const madeUp = 1 << 62

// place returns the number of a place. Equal ones are one; without an address (known
// false), or where another place has the same one, it gets one that is made up.
func (t *table) place(p place, known bool) int32 {
	key := binary.AppendUvarint(nil, uint64(p.object))
	if known {
		key = binary.AppendUvarint(append(key, 'a'), p.addr)
	}
	if p.named {
		key = append(key, 'n')
	}
	for _, n := range p.names {
		key = append(binary.AppendUvarint(key, uint64(len(n.Function))), n.Function...)
		key = append(binary.AppendUvarint(key, uint64(len(n.File))), n.File...)
		key = binary.AppendUvarint(key, uint64(n.Line))
	}
	if id, ok := t.placeIDs[string(key)]; ok {
		return id
	}
	for !known || t.taken[instruction{p.object, p.addr}] {
		t.made[p.object]++
		p.addr, known = t.made[p.object], true
		if len(t.objects[p.object].path) > 0 && t.objects[p.object].path[0] == '/' {
			p.addr += madeUp
		}
	}
	t.taken[instruction{p.object, p.addr}] = true
	names := make([]data.Name, len(p.names))
	for i, n := range p.names {
		names[i] = data.Name{Function: t.text(n.Function), File: t.text(n.File), Line: n.Line}
	}
	p.names = names
	id := int32(len(t.places))
	t.places = append(t.places, p)
	t.placeIDs[string(key)] = id
	return id
}

// child returns the node of a place called from parent.
func (t *table) child(parent, place int32) int32 {
	key := node{parent, place}
	id, ok := t.nodeIDs[key]
	if !ok {
		id = int32(len(t.nodes))
		t.nodes = append(t.nodes, key)
		t.nodeIDs[key] = id
	}
	return id
}

// stem is a file's name without directory and endings, for the program in it.
func stem(name string) string {
	base := filepath.Base(name)
	for _, ending := range []string{".gz", ".txt", ".folded", ".collapsed", ".pb", ".pprof", ".prof", ".perf", ".script"} {
		if short := strings.TrimSuffix(base, ending); short != "" {
			base = short
		}
	}
	return base
}
