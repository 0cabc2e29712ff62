package data

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/profilecollection/pct/internal/value"
)

// Lasting tells of the activations of a context that were first seen there by how many samples they were seen.
type Lasting struct {
	Twice  uint32 // by two samples or more
	Thrice uint32 // by three or more
	Most   uint32 // weight in samples of one that has ended, if three or more saw it
	// Next and Near are those of Twice before which the sample before, or the one before that but not that, was in the
	// same function called in the same context.
	Next, Near uint32
	// Samples of a clock can weigh more than one, for time that no sample saw. Alone is the weight above one of those that were the only
	// ones of their activations. Heavy are those in the node itself, Heavier is the sum of their weights, Squares that of the squares of these.
	Alone, Heavy, Heavier, Squares uint32
}

// Run is what was read of a run directory.
//
// Objects, Nodes and Fields are indexed by their ids; entry 0 is unused. Every
// id in a Run is in its table, and a node's parent has a smaller id than the
// node.
type Run struct {
	Dir     string
	Meta    Meta // zero if there is no meta file
	Header  Header
	Objects []Object
	Nodes   []Node
	Calls   []uint32 // of each node, activations that were seen by a sample; nil if they were not counted
	// Lasting tells of nodes with activations that more samples saw how many these are; nil if that is not known.
	Lasting map[NodeID]Lasting
	Fields  []string
	// Types are those of fields whose values were stored as they were in the program. Their values are
	// texts here, too: what gdb shows of them.
	Types   map[FieldID][]*value.Type
	Packed  Packed            // the samples
	Names   map[Place][]Name  // of the places that came with their names, innermost first; nil if none did
	Lost    map[string]uint64 // samples not taken, by reason
	Counts  []*Counts         // the headers of the count files among them
	Full    uint64            // counters that are at their greatest value, and may stand for more samples
	Writing bool              // a collector has the file paths open for writing, or samples into count files

	// Damage tells of files that could not be read, or only in part: *NotCounts,
	// *Truncated, *fs.PathError.
	Damage []error

	forms forms // while it is read
}

// Samples are those of the run as a slice, made anew, of several times the memory that Packed takes.
func (r *Run) Samples() []Sample { return r.Packed.unpacked() }

// ReadMeta reads the meta of a run directory alone. Of a damaged one, what stands
// before the damage is returned together with the error.
func ReadMeta(dir string) (Meta, error) {
	path := filepath.Join(dir, metaFile)
	src, err := readRegular(path)
	if err != nil {
		return Meta{}, err
	}
	m, err := decodeMeta(src)
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

var (
	errForeign = errors.New("is not a paths file of a known version")
	errTail    = errors.New("the last record is incomplete")
	errDamaged = errors.New("damaged record")
	errRead    = errors.New("cannot be read")
)

// decode reads a paths file into r and returns where its whole frames end.
func (r *Run) decode(src io.ReadSeeker) (whole int, err error) {
	first := make([]byte, len(magic))
	n, err := io.ReadFull(src, first)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return 0, err
	case string(first[:n]) != magic[:n]:
		return 0, errForeign
	case n < len(magic):
		return 0, errTail
	}
	// Growing the nodes bit by bit takes several times the memory.
	nodes := 0
	from := buffered(src)
	if _, err := eachFrame(from, func(payload string) error { nodes += countNodes(payload); return nil }); errors.Is(err, errRead) {
		return 0, err
	}
	r.Nodes = slices.Grow(r.Nodes, nodes)
	if _, err := src.Seek(int64(len(magic)), io.SeekStart); err != nil {
		return 0, err
	}
	from.Reset(src)
	var last Sample
	n, err = eachFrame(from, func(payload string) error { return r.payload(payload, &last) })
	return len(magic) + n, err
}

// window is how much of a file is read at once: many are small.
const window = 4 << 10

// buffered is for eachFrame.
func buffered(src io.Reader) *bufio.Reader {
	if in, ok := src.(interface{ Len() int }); ok { // in memory
		return bufio.NewReaderSize(src, min(window, in.Len()))
	}
	return bufio.NewReaderSize(src, window)
}

// eachFrame calls do for the payload of each frame, which is there until do returns, and returns where the whole frames end that do takes.
func eachFrame(from *bufio.Reader, do func(payload string) error) (whole int, err error) {
	var large bytes.Buffer // a payload for which the window is too small
	for {
		head, err := from.Peek(binary.MaxVarintLen64)
		if len(head) == 0 && errors.Is(err, io.EOF) {
			return whole, nil
		}
		n, size := binary.Uvarint(head)
		if size <= 0 || n > math.MaxInt64-crc32.Size {
			return whole, tail(err)
		}
		if _, err := from.Discard(size); err != nil {
			return whole, err // cannot be: they are there, as those further down
		}
		length := int(n) + crc32.Size
		var frame []byte
		if length <= from.Size() {
			frame, err = from.Peek(length)
		} else {
			large.Reset()
			_, err = io.CopyN(&large, from, int64(length))
			frame = large.Bytes()
		}
		if err != nil {
			return whole, tail(err)
		}
		payload := frame[:n]
		if checksum(payload) != binary.LittleEndian.Uint32(frame[n:]) {
			return whole, errDamaged
		}
		if err := do(unsafe.String(unsafe.SliceData(payload), len(payload))); err != nil {
			return whole, err
		}
		if length <= from.Size() {
			if _, err := from.Discard(length); err != nil {
				return whole, err
			}
		}
		whole += size + length
	}
}

// tail says why a frame ends early: the file does, or it can't be read.
func tail(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Errorf("%w: %w", errRead, err)
	}
	return errTail
}

// countNodes returns the number of nodes in a payload.
func countNodes(payload string) (nodes int) {
	for items := (cursor{rest: payload}); items.rest != ""; {
		kind := items.byte()
		if n := len(items.string()); kind == itemNode && n > 0 && !items.bad {
			nodes++
		}
	}
	return nodes
}

// payload reads the items of a frame. last is the sample before.
func (r *Run) payload(src string, last *Sample) error {
	for c := (cursor{rest: src}); c.rest != ""; {
		kind := c.byte()
		body := cursor{rest: c.string()}
		if c.bad || !r.item(kind, &body, last) || body.bad {
			return errDamaged
		}
	}
	return nil
}

// item reads one item. If it or the cursor is bad, nothing was added to r.
func (r *Run) item(kind byte, c *cursor, last *Sample) bool {
	switch kind {
	case itemHeader:
		h := Header{Resource: c.kept(), Unit: c.kept(), Clock: c.kept(), Period: time.Duration(c.varint())}
		h.Start = time.Unix(0, c.varint())
		if c.rest != "" {
			h.Interval = c.uvarint()
		}
		if !c.bad {
			r.Header = h
		}
	case itemObject:
		o := Object{Path: c.kept(), BuildID: c.kept(), Kind: c.byte()}
		o.Start, o.End, o.Bias = c.uvarint(), c.uvarint(), c.uvarint()
		if !c.bad {
			r.Objects = append(r.Objects, o)
		}
	case itemNode:
		id := uint64(len(r.Nodes))
		up, object, vaddr := c.uvarint(), c.uvarint(), c.uvarint()
		if up == 0 || up > id || object >= uint64(len(r.Objects)) {
			return false
		}
		if !c.bad {
			r.Nodes = append(r.Nodes, Node{Parent: NodeID(id - up), Object: ObjectID(object), Vaddr: vaddr})
		}
	case itemField:
		if f := c.field(); !c.bad {
			r.define(f)
			r.forms.calls.given = r.forms.given
		}
	case itemSample:
		return r.sample(c, last)
	case itemNames:
		return r.names(c)
	case itemPointee:
		addr := c.uvarint()
		if name := c.kept(); !c.bad {
			r.forms.name(addr, name)
		}
	case itemLost:
		n := c.uvarint()
		if why := c.kept(); !c.bad {
			r.Lost[why] += n
		}
	case itemCalled:
		return r.forms.called(c)
	case itemNote:
		if text := c.kept(); !c.bad {
			r.Meta.Notes = append(r.Meta.Notes, text)
		}
	}
	return true
}

func (r *Run) sample(c *cursor, last *Sample) bool {
	s := Sample{
		Time: last.Time + time.Duration(c.varint()),
		CPU:  last.CPU + time.Duration(c.varint()),
	}
	thread := int64(last.Thread) + c.varint()
	node := c.uvarint()
	s.Weight = c.uvarint()
	flags := c.uvarint()
	s.Partial, s.Untimed = flags&flagPartial != 0, flags&flagUntimed != 0
	fields := c.uvarint()
	// A field takes two bytes or more: a false count must not allocate.
	if thread < 0 || thread > math.MaxUint32 || node >= uint64(len(r.Nodes)) || fields > uint64(len(c.rest)/2) {
		return false
	}
	s.Thread, s.Node = uint32(thread), NodeID(node)
	*last = s
	var of []uint32
	if fields > 0 {
		s.Fields = make([]FieldValue, 0, fields)
		of = make([]uint32, 0, fields)
	}
	for range fields {
		field := c.uvarint()
		if field == 0 || field > uint64(len(r.forms.given)) {
			return false
		}
		of = r.valued(&s, of, r.forms.given[field-1], c.string())
	}
	s.Count = 1
	if c.rest != "" {
		s.Count = c.uvarint()
	}
	if s.Count == 0 {
		return false
	}
	if !c.bad {
		r.Packed.add(&s, of)
	}
	return true
}

// maxLine bounds the numbers of lines.
const maxLine = math.MaxInt32

// names reads the names of a place.
func (r *Run) names(c *cursor) bool {
	p := Place{Object: ObjectID(c.uvarint()), Vaddr: c.uvarint()}
	n := c.uvarint()
	// A name takes three bytes or more: a false count must not allocate.
	if uint64(p.Object) >= uint64(len(r.Objects)) || n > uint64(len(c.rest)/3) {
		return false
	}
	all := make([]Name, n)
	for i := range all {
		all[i].Function, all[i].File = c.kept(), c.kept()
		line := c.uvarint()
		if line > maxLine {
			return false
		}
		all[i].Line = int(line)
	}
	if !c.bad {
		if r.Names == nil {
			r.Names = map[Place][]Name{}
		}
		r.Names[p] = all
	}
	return true
}

// cursor reads the parts of a record. What it returns after bad is set means
// nothing.
type cursor struct {
	rest string
	bad  bool
}

func (c *cursor) fail() {
	c.bad = true
	c.rest = ""
}

func (c *cursor) bytes(n uint64) string {
	if n > uint64(len(c.rest)) {
		c.fail()
		return ""
	}
	s := c.rest[:n]
	c.rest = c.rest[n:]
	return s
}

func (c *cursor) byte() byte {
	if s := c.bytes(1); s != "" {
		return s[0]
	}
	return 0
}

// string returns a piece of the file.
func (c *cursor) string() string { return c.bytes(c.uvarint()) }

// kept returns a string of its own.
func (c *cursor) kept() string { return strings.Clone(c.string()) }

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != "" {
		return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	}
	return 0
}

func (c *cursor) uvarint() uint64 {
	var v uint64
	for i := 0; i < len(c.rest) && i < binary.MaxVarintLen64; i++ {
		b := c.rest[i]
		if i == binary.MaxVarintLen64-1 && b > 1 {
			break
		}
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			c.rest = c.rest[i+1:]
			return v
		}
	}
	c.fail()
	return 0
}

func (c *cursor) varint() int64 {
	v := c.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}
