package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A calls file is a calling context tree, mapped and counted in by the process that is
// sampled: a header, text that tells of the objects, and at its offset a tree with a
// header of its own. All of it is little-endian. Offsets in the header:
const (
	callsMagic      = "PCTcalls1\n" // 16 bytes, NUL padded
	callsHeaderSize = 512

	atCallsObjects  = 20  // u32: where the text begins
	atCallsUsed     = 28  // u32: its bytes
	atCallsTree     = 32  // u64: where the tree begins
	atCallsPeriod   = 40  // u64
	atCallsStart    = 48  // u64
	atCallsInterval = 56  // u64
	atCallsLost     = 64  // u64
	atCallsPid      = 72  // u32
	atCallsClock    = 80  // char[16]
	atCallsResource = 96  // char[16]
	atCallsUnit     = 112 // char[16]
)

// The tree's header and its nodes, by their offsets there.
const (
	contextsMagic      = "PCTtree2" // 16 bytes, NUL padded; absent while the file is being made
	contextsHeaderSize = 240
	contextSize        = 16 // of a node
	countedContextSize = 24 // of one with the number of its activations

	atTreeHeader    = 16 // u32
	atTreeNode      = 20 // u32
	atTreeCount     = 24 // u32: nodes, with those that found no room
	atTreeCapacity  = 28 // u32
	atTreeLost      = 64 // u64
	atNodeWhere     = 0  // u64: object << 48 | address
	atNodeParent    = 8  // u32
	atNodeSelf      = 12 // u32
	atNodeCalls     = 16 // u32
	nodeObjectShift = 48

	objectRoot    = 0xfff0 // the root of the tree, or of a thread whose number is the address
	objectPartial = 0xfff1 // above paths that do not reach their outermost frame
	objectGuessed = 0xfff2 // above paths with a frame that was left without call frame information
)

// callTree is a calls file.
type callTree struct {
	path    string
	header  Header
	pid     int
	lost    uint64
	objects string
	nodes   []byte
	node    int   // bytes of one
	torn    error // what is missing at the end
}

// isCalls reports whether a file is a calls file, of any version.
func isCalls(path string) bool {
	f, _, err := openRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	first := make([]byte, len("PCTcalls"))
	_, err = io.ReadFull(f, first)
	return err == nil && string(first) == "PCTcalls"
}

// readCallTree reads a calls file. Of one that is being made there may be no tree yet.
func readCallTree(path string) (*callTree, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	damaged := func(why string) (*callTree, error) {
		return nil, &NotCounts{path, "damaged file of call paths: " + why, false}
	}
	h, err := section(f, 0, callsHeaderSize)
	if err != nil {
		return nil, err
	}
	if len(h) < callsHeaderSize {
		return damaged(fmt.Sprintf("its header is cut off at byte %d of %d", len(h), callsHeaderSize))
	}
	if text0(h[:countMagicSize]) != callsMagic {
		return damaged("it is of a version that is not known here")
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(h[at:]) }
	t := &callTree{
		path: path,
		header: Header{
			Resource: text0(h[atCallsResource : atCallsResource+wordSize]),
			Unit:     text0(h[atCallsUnit : atCallsUnit+wordSize]),
			Clock:    text0(h[atCallsClock : atCallsClock+wordSize]),
			Start:    time.Unix(0, int64(u64(atCallsStart))),
			Interval: u64(atCallsInterval),
		},
		pid:  int(int32(u32(atCallsPid))),
		lost: u64(atCallsLost),
	}
	objects, used, tree := uint64(u32(atCallsObjects)), uint64(u32(atCallsUsed)), u64(atCallsTree)
	switch period := u64(atCallsPeriod); {
	case period > math.MaxInt64:
		return damaged(fmt.Sprintf("a period of %d ns", period))
	case objects < callsHeaderSize || objects+used > tree:
		return damaged(fmt.Sprintf("%d bytes about objects at byte %d", used, objects))
	case tree > mostHeader:
		return damaged(fmt.Sprintf("a tree at byte %d", tree))
	default:
		t.header.Period = time.Duration(period)
	}
	text, err := section(f, objects, used)
	if err != nil {
		return nil, err
	}
	t.objects = string(text)
	if err := t.readTree(f, tree, uint64(size)); err != nil {
		return nil, err
	}
	return t, nil
}

// readTree reads the tree's header and nodes.
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
	} else if size := u32(atTreeNode); magic != contextsMagic || u32(atTreeHeader) != contextsHeaderSize || size != contextSize && size != countedContextSize {
		return &NotCounts{t.path, "damaged file of call paths: its tree is of a sort that is not known here", false}
	}
	t.lost += binary.LittleEndian.Uint64(h[atTreeLost:])
	t.node = int(u32(atTreeNode))
	node := uint64(t.node)
	first, n := at+contextsHeaderSize, uint64(min(u32(atTreeCount), u32(atTreeCapacity)))
	if t.nodes, err = section(f, first, min(n*node, size-min(size, first))); err != nil {
		return err
	}
	whole := uint64(len(t.nodes)) / node
	t.nodes = t.nodes[:whole*node]
	if whole < n {
		t.torn = &Truncated{Path: t.path, Offset: int64(first + whole*node), Size: int64(size), Why: "its nodes are cut off"}
	}
	return nil
}

// section reads what there is of n bytes at an offset.
func section(f io.ReaderAt, at, n uint64) ([]byte, error) {
	b, err := io.ReadAll(io.NewSectionReader(f, int64(at), int64(n)))
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return nil, err
	}
	return b, nil
}

// addCalls adds a calls file to the run.
func (r *Run) addCalls(t *callTree) error {
	h, m := &r.Header, &r.Meta
	if h.Unit == "" {
		*h = t.header
	} else if h.Resource != t.header.Resource || h.Unit != t.header.Unit {
		return errors.New(t.path + " measured " + t.header.Resource + " and the run " + h.Resource + ", which can't be added up")
	}
	if m.Version == 0 { // there is no meta
		m.Pid, m.Clock, m.Period, m.Start = t.pid, t.header.Clock, t.header.Period, t.header.Start
	}
	if t.lost > 0 {
		r.Lost[LostCounts] += t.lost
	}
	objects, err := r.addMapped(t)
	return errors.Join(err, r.addContexts(t, objects), t.torn)
}

// addMapped adds the objects that a calls file tells of; by their numbers there.
func (r *Run) addMapped(t *callTree) (map[uint16]ObjectID, error) {
	var bad error
	objects := map[uint16]ObjectID{}
	for line := range strings.Lines(t.objects) {
		id, o, ok := decodeMapped(line)
		if !ok {
			bad = fmt.Errorf("%s: a line about objects is damaged: %.80q", t.path, line)
			continue
		}
		objects[id] = ObjectID(len(r.Objects))
		r.Objects = append(r.Objects, o)
	}
	return objects, bad
}

// decodeMapped reads a line about an object: number, kind, start, end, bias, build-id and path.
func decodeMapped(line string) (id uint16, o Object, ok bool) {
	text, whole := strings.CutSuffix(line, "\n")
	f := strings.Split(text, "\t")
	if !whole || len(f) < 7 {
		return 0, o, false
	}
	bad := false
	number := func(s string, base, bits int) uint64 {
		v, err := strconv.ParseUint(s, base, bits)
		bad = bad || err != nil
		return v
	}
	id = uint16(number(f[0], 10, 16))
	o = Object{Kind: byte(number(f[1], 10, 8)), Start: number(f[2], 16, 64), End: number(f[3], 16, 64), Bias: number(f[4], 16, 64), BuildID: f[5]}
	path, err := unescape(f[6])
	o.Path = path
	return id, o, !bad && err == nil && id > 0 && id < objectRoot && o.Kind <= ObjectKernel
}

// addContexts adds the nodes and samples of a calls file.
func (r *Run) addContexts(t *callTree, objects map[uint16]ObjectID) error {
	type context struct {
		node    NodeID
		thread  uint32
		partial bool
		guessed bool
		known   bool // it hangs in the tree
	}
	if t.node == 0 {
		return nil // there is no tree yet
	}
	n := uint32(len(t.nodes) / t.node)
	all := make([]context, n)
	counted := t.node == countedContextSize
	if counted {
		r.Calls = append(r.Calls, make([]uint32, len(r.Nodes)-len(r.Calls))...)
	}
	r.Nodes, r.Samples = slices.Grow(r.Nodes, int(n)), slices.Grow(r.Samples, t.withSamples())
	strange, unknown, guessed := 0, 0, uint64(0)
	for i := uint32(1); i < n; i++ {
		b := t.nodes[int(i)*t.node:][:t.node]
		where, parent := binary.LittleEndian.Uint64(b[atNodeWhere:]), binary.LittleEndian.Uint32(b[atNodeParent:])
		self := binary.LittleEndian.Uint32(b[atNodeSelf:])
		object, address := uint16(where>>nodeObjectShift), where&(1<<nodeObjectShift-1)
		if parent >= i || parent > 0 && !all[parent].known || parent == 0 && (object != objectRoot || address != 0) {
			if self > 0 {
				strange++
			}
			continue // of two threads that made the same node one was late
		}
		c := all[parent]
		c.known = true
		switch {
		case object == objectRoot:
			c.thread = uint32(address)
		case object == objectPartial:
			c.partial = true
		case object == objectGuessed:
			c.guessed = true
		default:
			id, ok := objects[object]
			if !ok && object > 0 {
				unknown++
			}
			r.Nodes = append(r.Nodes, Node{Parent: c.node, Object: id, Vaddr: address})
			c.node = NodeID(len(r.Nodes) - 1)
			if counted {
				r.Calls = append(r.Calls, binary.LittleEndian.Uint32(b[atNodeCalls:]))
			}
		}
		all[i] = c
		if self == 0 {
			continue
		}
		if c.guessed {
			guessed += uint64(self)
		}
		if self == math.MaxUint32 {
			r.Full++
		}
		r.Samples = append(r.Samples, Sample{
			Thread: c.thread, Node: c.node, Weight: multiply(uint64(self), t.header.Interval), Count: uint64(self),
			Partial: c.partial, Untimed: true,
		})
	}
	if guessed > 0 {
		r.Meta.Notes = append(r.Meta.Notes, fmt.Sprintf("call paths through code without call frame information, followed by its frame pointers: %d", guessed))
	}
	switch {
	case strange > 0:
		return fmt.Errorf("%s: damaged: %d of its %d nodes with samples hang in no tree", t.path, strange, n)
	case unknown > 0:
		return fmt.Errorf("%s: damaged: %d of its %d nodes are in objects that it does not tell of", t.path, unknown, n)
	}
	return nil
}

// withSamples is the number of nodes that have samples.
func (t *callTree) withSamples() (n int) {
	for b := t.nodes; len(b) >= t.node; b = b[t.node:] {
		if binary.LittleEndian.Uint32(b[atNodeSelf:]) > 0 {
			n++
		}
	}
	return n
}

// multiply is a product, or the greatest number if it is too great.
func multiply(a, b uint64) uint64 {
	if b > 0 && a > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a * b
}

// readCalls adds the calls file at a path.
func (r *Run) readCalls(path string) error {
	t, err := readCallTree(path)
	if err != nil {
		return err
	}
	return r.addCalls(t)
}
