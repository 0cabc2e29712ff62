package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

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
	Fields  []string
	Samples []Sample
	Lost    map[string]uint64 // samples not taken, by reason
	Counts  []*Counts         // the headers of the count files among them
	Full    uint64            // counters that are at their greatest value, and may stand for more samples
	Writing bool              // a collector has the file paths open for writing, or samples into count files

	// Damage tells of files that could not be read, or only in part: *NotCounts,
	// *Truncated, *fs.PathError.
	Damage []error
}

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
	errForeign = errors.New("is not a paths file of a version known here")
	errTail    = errors.New("the last record is not complete")
	errDamaged = errors.New("damaged record")
)

// decode reads a paths file into r and returns where its whole frames end.
func (r *Run) decode(src []byte) (whole int, err error) {
	text := string(src) // what is kept of the file are pieces of it
	if !strings.HasPrefix(text, magic) {
		if strings.HasPrefix(magic, text) {
			return 0, errTail
		}
		return 0, errForeign
	}
	whole = len(magic)
	var last Sample
	for whole < len(src) {
		c := cursor{rest: text[whole:]}
		payload := c.string()
		end := len(src) - len(c.rest)
		c.bytes(crc32.Size)
		if c.bad {
			return whole, errTail
		}
		sum := crc32.Checksum(src[end-len(payload):end], castagnoli)
		if sum != binary.LittleEndian.Uint32(src[end:]) {
			return whole, errDamaged
		}
		if err := r.payload(payload, &last); err != nil {
			return whole, err
		}
		whole = end + crc32.Size
		r.reserve(whole, len(src))
	}
	return whole, nil
}

// reserve makes room for the samples of the rest of a file if they are like those
// read so far: growing bit by bit takes several times the memory.
func (r *Run) reserve(read, size int) {
	const enough = 4096 // to tell what they are like
	if n := len(r.Samples); n >= enough && n == cap(r.Samples) {
		r.Samples = slices.Grow(r.Samples, int(float64(n)*float64(size-read)/float64(read))+enough)
	}
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
		h := Header{Resource: c.string(), Unit: c.string(), Clock: c.string(), Period: time.Duration(c.varint())}
		h.Start = time.Unix(0, c.varint())
		if !c.bad {
			r.Header = h
		}
	case itemObject:
		o := Object{Path: c.string(), BuildID: c.string(), Kind: c.byte()}
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
		if name := c.string(); !c.bad {
			r.Fields = append(r.Fields, name)
		}
	case itemSample:
		return r.sample(c, last)
	case itemLost:
		n := c.uvarint()
		if why := c.string(); !c.bad {
			r.Lost[why] += n
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
	s.Partial = c.uvarint()&flagPartial != 0
	fields := c.uvarint()
	// A field takes two bytes or more: a false count must not allocate.
	if thread < 0 || thread > math.MaxUint32 || node >= uint64(len(r.Nodes)) || fields > uint64(len(c.rest)/2) {
		return false
	}
	s.Thread, s.Node = uint32(thread), NodeID(node)
	*last = s
	if fields > 0 {
		s.Fields = make([]FieldValue, fields)
	}
	for i := range s.Fields {
		field := c.uvarint()
		if field == 0 || field >= uint64(len(r.Fields)) {
			return false
		}
		s.Fields[i] = FieldValue{Field: FieldID(field), Value: c.string()}
	}
	s.Count = 1
	if !c.bad {
		r.Samples = append(r.Samples, s)
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

func (c *cursor) string() string { return c.bytes(c.uvarint()) }

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
