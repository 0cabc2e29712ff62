package data

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The tree of a calls file: its header, by offsets there, and words of 32 bits, in which one
// chunk follows the other:
//
//	head   length << 24 | parent: words of the chunk, and the node that its first one is below
//	nodes  each below the one before: its place, and its activations if the tree counts them
//	count  samples in its last node; without nodes, in the one that is the parent
//
// or chunkLasting as the parent and several records, of a node with activations seen by two samples or more each: the
// node, and what Lasting says.
//
// A node is named by the number of its place's word. A place is object << 26 | address, or
// longPlace << 26 and two words, object << 48 | address, the lower one first.
const (
	contextsMagic      = "PCTtree4" // 16 bytes, NUL padded; absent while the file is being made
	contextsMagic3     = "PCTtree3" // the same without chunkLasting
	contextsHeaderSize = 96

	atTreeHeader   = 16 // u32
	atTreeCalls    = 20 // u32: words of a node for its activations, 0 or 1
	atTreeCount    = 24 // u32: words in use
	atTreeCapacity = 28 // u32
	atTreeLost     = 64 // u64

	treeWord         = 4
	chunkParentBits  = 24
	chunkText        = 1<<chunkParentBits - 1 // in place of a parent: the chunk is text, NULs are none
	chunkLasting     = 1<<chunkParentBits - 2
	lastingWords     = 10 // of a record there
	placeAddressBits = 26
	longPlace        = 63
	nodeObjectShift  = 48

	objectRoot    = 0xfff0 // the root of the tree, or of a thread whose number is the address
	objectPartial = 0xfff1 // above paths that do not reach their outermost frame
	objectGuessed = 0xfff2 // above paths with a frame that was left without call frame information
)

// context is a node of such a tree.
type context struct {
	where  uint64 // object << 48 | address
	parent uint32 // index of its parent
	self   uint32 // samples; a full counter stays full
	calls  uint32
}

func (c *context) object() uint16  { return uint16(c.where >> nodeObjectShift) }
func (c *context) address() uint64 { return c.where & (1<<nodeObjectShift - 1) }

// contextTree is what the words of a tree say.
type contextTree struct {
	made    bool               // it is there; its file may be just being made
	counted bool               // activations are
	lasting map[uint32]Lasting // by the index of the node; nil if that is not known
	node    []uint32           // index of the node, by the word of its place
	all     []context          // parents before children; the first is no node
	strange int                // chunks with samples that hang in no tree
	broken  string             // why it could not be read to its end
	text    string
}

// readTree reads the tree of a calls file.
func (t *callTree) readTree(f io.ReaderAt, at, size uint64) error {
	h, err := section(f, at, contextsHeaderSize)
	if err != nil {
		return err
	}
	if len(h) < contextsHeaderSize {
		t.torn = &Truncated{Path: t.path, Offset: int64(min(at, size)), Size: int64(size), Why: "its tree is cut off"}
		return nil
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	if magic := text0(h[:countMagicSize]); magic == "" {
		return nil // it is being made
	} else if magic != contextsMagic && magic != contextsMagic3 || u32(atTreeHeader) != contextsHeaderSize || u32(atTreeCalls) > 1 {
		return &NotCounts{t.path, "damaged file of call paths: its tree is of an unknown kind", false}
	}
	t.lost += binary.LittleEndian.Uint64(h[atTreeLost:])
	first, n := at+contextsHeaderSize, uint64(min(u32(atTreeCount), u32(atTreeCapacity)))
	b, err := section(f, first, min(n*treeWord, size-min(size, first)))
	if err != nil {
		return err
	}
	words := make([]uint32, len(b)/treeWord)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[i*treeWord:])
	}
	if uint64(len(words)) < n {
		t.torn = &Truncated{Path: t.path, Offset: int64(first) + int64(len(words)*treeWord), Size: int64(size), Why: "its nodes are cut off"}
	}
	t.contexts = readContexts(words, u32(atTreeCalls) == 1, t.torn != nil)
	if text0(h[:countMagicSize]) == contextsMagic3 {
		t.contexts.lasting = nil
	}
	return nil
}

// readContexts reads the words of a tree, of which the last can be cut off.
func readContexts(words []uint32, counted, cut bool) contextTree {
	t := contextTree{made: true, counted: counted, all: make([]context, 1, 1+len(words)/2), lasting: map[uint32]Lasting{}}
	node := make([]uint32, len(words))
	t.node = node
	var text, lasting []uint32
	for at := 1; at < len(words); {
		length, parent := int(words[at]>>chunkParentBits), words[at]&chunkText
		if length < 2 || length > len(words)-at {
			if !cut || length < 2 {
				t.broken = fmt.Sprintf("a chunk of %d words at word %d of %d", length, at, len(words))
			}
			break
		}
		body := words[at+1 : at+length]
		switch parent {
		case chunkText:
			text = append(text, body...)
		case chunkLasting:
			lasting = append(lasting, body[:len(body)/lastingWords*lastingWords]...)
		default:
			t.addChunk(body, node, at+1, parent)
		}
		at += length
	}
	for record := range slices.Chunk(lasting, lastingWords) {
		t.addLasting(record, node)
	}
	var b []byte
	for _, word := range text {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	t.text = strings.ReplaceAll(string(b), "\x00", "")
	return t
}

// addLasting adds what a record says of a node.
func (t *contextTree) addLasting(record, node []uint32) {
	if record[0] == 0 || int(record[0]) >= len(node) {
		return // one that is not used or being made, or of a node that was made after the words were counted
	}
	if node[record[0]] == 0 {
		t.strange++
		return
	}
	t.lasting[node[record[0]]] = Lasting{
		Twice: record[1], Thrice: record[2], Most: record[3], Next: record[4], Near: record[5],
		Alone: record[6], Heavy: record[7], Heavier: record[8], Squares: record[9],
	}
}

// addChunk adds the nodes of a chunk, whose body begins at a word, and its samples.
func (t *contextTree) addChunk(body, node []uint32, at int, parent uint32) {
	count := body[len(body)-1]
	nodes := body[:len(body)-1]
	last := uint32(0)
	if int(parent) < at {
		last = node[parent]
	}
	hangs := last > 0
	for i := 0; i < len(nodes); {
		c, size := context{parent: last}, 1
		switch word := nodes[i]; {
		case word == 0: // it is being made
			size = 0
		case word>>placeAddressBits != longPlace:
			c.where = uint64(word>>placeAddressBits)<<nodeObjectShift | uint64(word&(1<<placeAddressBits-1))
		case len(nodes)-i < 3:
			size = 0
		default:
			c.where, size = uint64(nodes[i+1])|uint64(nodes[i+2])<<32, 3
		}
		if t.counted && size > 0 && len(nodes)-i > size {
			c.calls = nodes[i+size]
			size++
		} else if t.counted {
			size = 0
		}
		if size == 0 {
			hangs = false
			break
		}
		if !hangs {
			// Of two threads that made the same nodes one was late: theirs are below 0, as the root is.
			if hangs = parent == 0 && c.where == objectRoot<<nodeObjectShift; !hangs {
				break
			}
		}
		t.all = append(t.all, c)
		last = uint32(len(t.all) - 1)
		node[at+i] = last
		i += size
	}
	switch {
	case count == 0:
	case !hangs:
		t.strange++
	default:
		self := &t.all[last].self
		*self += min(count, math.MaxUint32-*self)
	}
}

// addContexts adds the nodes and samples of a calls file.
func (r *Run) addContexts(t *callTree, objects map[uint16]ObjectID) error {
	type place struct {
		node    NodeID
		thread  uint32
		partial bool
		guessed bool
	}
	tree := &t.contexts
	if !tree.made {
		return nil
	}
	if tree.counted {
		r.Calls = append(r.Calls, make([]uint32, len(r.Nodes)-len(r.Calls))...)
		if tree.lasting != nil && r.Lasting == nil {
			r.Lasting = map[NodeID]Lasting{}
		}
	}
	r.Nodes = slices.Grow(r.Nodes, len(tree.all))
	unknown, guessed := 0, uint64(0)
	places := make([]place, len(tree.all))
	for i, c := range tree.all {
		if i == 0 {
			continue
		}
		p := places[c.parent]
		switch object := c.object(); object {
		case objectRoot:
			p.thread = uint32(c.address())
		case objectPartial:
			p.partial = true
		case objectGuessed:
			p.guessed = true
		default:
			id, ok := objects[object]
			if !ok && object > 0 {
				unknown++
			}
			r.Nodes = append(r.Nodes, Node{Parent: p.node, Object: id, Vaddr: c.address()})
			p.node = NodeID(len(r.Nodes) - 1)
			if tree.counted {
				r.Calls = append(r.Calls, c.calls)
				if l, ok := tree.lasting[uint32(i)]; ok {
					r.Lasting[p.node] = l
				}
			}
		}
		places[i] = p
	}
	rest := make([]uint32, len(tree.all)) // samples that are not in the run yet
	sample := func(i, thread, count uint32) (Sample, bool) {
		p := places[i]
		count = min(count, rest[i])
		rest[i] -= count
		return Sample{
			Thread: cmp.Or(p.thread, thread), Node: p.node, Weight: multiply(uint64(count), t.header.Interval), Count: uint64(count),
			Partial: p.partial, Untimed: true,
		}, count > 0
	}
	for i, c := range tree.all {
		rest[i] = c.self
		if places[i].guessed {
			guessed += uint64(c.self)
		}
		if c.self == math.MaxUint32 {
			r.Full++
		}
	}
	values := valuesReader{run: r, node: tree.node, sample: sample, path: valuesBeside(t.path), failed: map[string]uint64{}}
	if values.path != "" {
		if err := values.read(); err != nil {
			r.Damage = append(r.Damage, err)
		}
	}
	for i := range tree.all {
		if s, ok := sample(uint32(i), 0, rest[i]); ok {
			r.Packed.Add(&s)
		}
	}
	if guessed > 0 {
		r.Meta.Notes = append(r.Meta.Notes, fmt.Sprintf("call paths through code without call frame information, followed by its frame pointers: %d", guessed))
	}
	switch {
	case tree.broken != "":
		return fmt.Errorf("%s: damaged: %s", t.path, tree.broken)
	case tree.strange > 0:
		return fmt.Errorf("%s: damaged: %d counters belong to no tree", t.path, tree.strange)
	case unknown > 0:
		return fmt.Errorf("%s: damaged: %d of its %d nodes are in unknown objects", t.path, unknown, len(tree.all)-1)
	}
	return nil
}
