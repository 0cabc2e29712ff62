package data

import (
	"encoding/binary"
	"iter"
	"strings"
	"time"
	"unsafe"

	"github.com/profilecollection/pct/internal/value"
)

// Packed are samples in the order in which they were added, each in some ten bytes: the whole of a large run
// stays in memory. The zero value is empty, and so is nil to those who read.
//
// A sample is kept by its differences to the one before:
//
//	byte     what it has, by the bits packed...
//	varint   node
//	varints  time, and CPU time less that, with packedTime
//	varint   thread, with packedThread
//	uvarints weight and count, with packedWeight: not the differences, but the values
//	uvarints number of fields, and of each its id and the number of its value, with packedFields
type Packed struct {
	blocks [][]byte // of whole samples
	last   Sample   // without its fields
	first  Sample
	n      int
	body   []byte // of the sample that is added
	values []string
	number map[string]uint32 // of each of the values that are texts
	forms  map[uint32]uint32 // by the number of a value, of those that are no texts yet
	typed  map[typedValue]uint32
	raw    map[uint32]string // by the number of a value that is shown otherwise: its members

	// Sums of all samples: how many they are, of these those whose call path is not complete, and their weight.
	Count, Partial, Weight uint64
}

const (
	packedPartial = 1 << iota
	packedUntimed
	packedTime
	packedThread
	packedWeight
	packedFields
)

// A typedValue is a value as it was in the program, and the number of its form.
type typedValue struct {
	form    uint32
	written string
}

// blockSize of packed samples: from this on a block does not grow.
const packedBlock = 1 << 20

// Len returns the number of samples, each of which may stand for several.
func (p *Packed) Len() int {
	if p == nil {
		return 0
	}
	return p.n
}

// First and Last return a sample, without its fields; there must be one.
func (p *Packed) First() Sample { return p.first }
func (p *Packed) Last() Sample  { return p.last }

// Add adds a sample.
func (p *Packed) Add(s *Sample) { p.add(s, nil) }

// add adds a sample whose values have these forms, without any 0: texts.
func (p *Packed) add(s *Sample, forms []uint32) {
	b := append(p.body[:0], 0)
	b = binary.AppendVarint(b, int64(s.Node)-int64(p.last.Node))
	has := byte(0)
	if s.Partial {
		has |= packedPartial
		p.Partial += s.Count
	}
	if s.Untimed {
		has |= packedUntimed
	}
	if later := s.Time - p.last.Time; later != 0 || s.CPU != p.last.CPU {
		has |= packedTime
		b = binary.AppendVarint(b, int64(later))
		b = binary.AppendVarint(b, int64(s.CPU-p.last.CPU-later))
	}
	if s.Thread != p.last.Thread {
		has |= packedThread
		b = binary.AppendVarint(b, int64(s.Thread)-int64(p.last.Thread))
	}
	if s.Weight != p.last.Weight || s.Count != p.last.Count {
		has |= packedWeight
		b = binary.AppendUvarint(b, s.Weight)
		b = binary.AppendUvarint(b, s.Count)
	}
	if len(s.Fields) > 0 {
		has |= packedFields
		b = binary.AppendUvarint(b, uint64(len(s.Fields)))
		for i, f := range s.Fields {
			b = binary.AppendUvarint(b, uint64(f.Field))
			if i < len(forms) && forms[i] > 0 {
				b = binary.AppendUvarint(b, uint64(p.typedValue(typedValue{forms[i], f.Value})))
				continue
			}
			b = binary.AppendUvarint(b, uint64(p.value(f.Value)))
		}
	}
	b[0] = has
	p.body = b
	p.put(b)
	p.last = *s
	p.last.Fields = nil
	if p.n == 0 {
		p.first = p.last
	}
	p.n++
	p.Count += s.Count
	p.Weight += s.Weight
}

// put adds the bytes of a sample.
func (p *Packed) put(b []byte) {
	at := len(p.blocks) - 1
	if at < 0 || cap(p.blocks[at]) >= packedBlock && len(p.blocks[at])+len(b) > cap(p.blocks[at]) {
		size := 0
		if at >= 0 {
			size = max(packedBlock, len(b))
		}
		p.blocks = append(p.blocks, make([]byte, 0, size))
		at++
	}
	p.blocks[at] = append(p.blocks[at], b...)
}

// value returns the number of a value, which many samples may have.
func (p *Packed) value(s string) uint32 {
	n, ok := p.number[s]
	if !ok {
		if p.number == nil {
			p.number = map[string]uint32{}
		}
		s = strings.Clone(s)
		n = uint32(len(p.values))
		p.values = append(p.values, s)
		p.number[s] = n
	}
	return n
}

// typedValue returns the number of a value that settle makes a text of.
func (p *Packed) typedValue(v typedValue) uint32 {
	n, ok := p.typed[v]
	if !ok {
		if p.typed == nil {
			p.typed, p.forms = map[typedValue]uint32{}, map[uint32]uint32{}
		}
		v.written = strings.Clone(v.written)
		n = uint32(len(p.values))
		p.values = append(p.values, v.written)
		p.typed[v] = n
		p.forms[n] = v.form
	}
	return n
}

// settle makes texts of all values that are none yet, and others of those that have two forms. Those of a pointer to
// characters are the text that it leads to, without and with its address.
func (p *Packed) settle(text func(form uint32, written string) (shown, raw string)) {
	for i, shown := range p.values {
		n, raw := uint32(i), shown
		if form, ok := p.forms[n]; ok {
			shown, raw = text(form, shown)
		}
		shown = value.WithoutAddress(shown)
		if p.values[n] = shown; raw != shown {
			if p.raw == nil {
				p.raw = map[uint32]string{}
			}
			p.raw[n] = raw
		}
	}
	p.forms, p.typed = nil, nil
}

// ShowMembers makes the values of strings and containers those of their members, and gives texts their addresses.
func (p *Packed) ShowMembers() {
	for n, raw := range p.raw {
		p.values[n] = raw
	}
}

// All are the samples with their numbers, from 0. Each but for its Fields is there until the next one is taken.
func (p *Packed) All() iter.Seq2[int, *Sample] {
	return func(yield func(int, *Sample) bool) {
		if p == nil {
			return
		}
		var s Sample
		i := 0
		for _, b := range p.blocks {
			for c := (cursor{rest: unsafe.String(unsafe.SliceData(b), len(b))}); c.rest != ""; i++ {
				p.next(&c, &s)
				if !yield(i, &s) {
					return
				}
			}
		}
	}
}

// next makes a sample of the one before.
func (p *Packed) next(c *cursor, s *Sample) {
	has := c.byte()
	s.Node = NodeID(int64(s.Node) + c.varint())
	s.Partial, s.Untimed = has&packedPartial != 0, has&packedUntimed != 0
	if has&packedTime != 0 {
		later := time.Duration(c.varint())
		s.Time += later
		s.CPU += later + time.Duration(c.varint())
	}
	if has&packedThread != 0 {
		s.Thread = uint32(int64(s.Thread) + c.varint())
	}
	if has&packedWeight != 0 {
		s.Weight, s.Count = c.uvarint(), c.uvarint()
	}
	s.Fields = nil
	if has&packedFields != 0 {
		s.Fields = make([]FieldValue, c.uvarint())
		for i := range s.Fields {
			s.Fields[i] = FieldValue{Field: FieldID(c.uvarint()), Value: p.values[c.uvarint()]}
		}
	}
}

// unpacked are the samples as a slice, nil if there are none.
func (p *Packed) unpacked() []Sample {
	var all []Sample
	if p.n > 0 {
		all = make([]Sample, 0, p.n)
	}
	for _, s := range p.All() {
		all = append(all, *s)
	}
	return all
}
