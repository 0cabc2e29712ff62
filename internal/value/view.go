package value

import "encoding/binary"

// A View is what a structure, or a reference, is shown as to people, in place of its members: a text, a sequence
// of elements, or what it leads to. That content is written behind the bytes of the value:
//
//	u64    words of the kind, the first of which is the number of elements; noContent if there is none to be shown
//	u16    bytes of the first elements, Unreadable if they cannot be read; not if there are no elements
//	bytes  the elements
//	each   of these elements: the contents of the views in it, and what its pointers to characters lead to
type View struct {
	Kind ViewKind
	Name string // with which it is shown, as std::optional<int>; "" if the form has none
	Elem *Type  // of the elements; nil: characters, or none are kept
}

// A ViewKind is how a content is shown.
type ViewKind uint8

const (
	AsText      ViewKind = iota + 1 // "abc"
	AsVector                        // std::vector of length 2, capacity 4 = {1, 2}
	AsOptional                      // std::optional<int> = {[contained value] = 1}
	AsPointer                       // std::unique_ptr<int> = {get() = 0x4052b0, *get() = 1}; std::shared_ptr without counts
	AsShared                        // std::shared_ptr<int> (use count 1, weak count 0) = {get() = 0x4052b0, *get() = 1}
	AsVec                           // Vec(size=2)={1, 2}, of Rust
	AsSlice                         // []int = {1, 2}, of Go
	AsReference                     // what it refers to
)

// viewWords is how many words contents have, by their kind: the number of elements; then the capacity, the pointer, and
// the counts of uses and weak uses.
var viewWords = [...]int{AsText: 1, AsVector: 2, AsOptional: 1, AsPointer: 2, AsShared: 4, AsVec: 1, AsSlice: 1, AsReference: 1}

const (
	// MostText is how many characters of a text are kept: as many as gdb shows.
	MostText = mostShown
	// MostElements is how many elements of a sequence are kept.
	MostElements = 20

	// NoContent stands for the number of elements of a value that is not consistent.
	NoContent = ^uint64(0)
)

// Words is how many words the contents of the kind have.
func (k ViewKind) Words() int { return viewWords[k] }

// content is what a view shows.
type content struct {
	known    bool
	words    []uint64
	text     []byte  // of AsText
	elements []Value // the first ones
}

// HasViews reports whether people see something else than members.
func (v *Value) HasViews() bool { return len(v.views) > 0 }

// decoder takes apart what was written.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

// block takes a length and as many bytes, nil for what could not be read.
func (d *decoder) block() []byte {
	b := d.take(2)
	if d.bad {
		return nil
	}
	n := binary.LittleEndian.Uint16(b)
	if n == Unreadable {
		return nil
	}
	return d.take(uint64(n))
}

// views takes the contents of the views in a value of the type, in the order of its members.
func (d *decoder) views(t *Type, all []content) []content {
	switch {
	case d.bad:
	case t.View != nil:
		all = append(all, d.content(t.View))
	case t.Kind == Structure && !t.Union:
		for i := range t.Fields {
			if f := &t.Fields[i]; f.BitSize == 0 {
				all = d.views(f.Type, all)
			}
		}
	}
	return all
}

func (d *decoder) content(v *View) content {
	var c content
	for range viewWords[v.Kind] {
		b := d.take(8)
		if d.bad {
			return c
		}
		c.words = append(c.words, Number(b))
		if c.words[0] == NoContent {
			return c
		}
	}
	count := c.words[0]
	if count == 0 || v.Kind != AsText && v.Elem == nil {
		c.known = true
		return c
	}
	b := d.block()
	if b == nil {
		return c
	}
	c.known = true
	if v.Kind == AsText {
		c.text = b
		d.bad = d.bad || len(b) > MostText || uint64(len(b)) > count
		return c
	}
	size := v.Elem.Size
	n := uint64(len(b)) / size
	if n > count || n > MostElements || n*size != uint64(len(b)) {
		d.bad = true
		return c
	}
	texts := v.Elem.texts()
	for ; len(b) > 0 && !d.bad; b = b[size:] {
		e := Value{Type: v.Elem, Bytes: b[:size:size], views: d.views(v.Elem, nil)}
		for range texts {
			e.Texts = append(e.Texts, d.block())
		}
		c.elements = append(c.elements, e)
	}
	return c
}

// texts is how many pointers to characters are shown with a value of the type.
func (t *Type) texts() int {
	n := 0
	switch t.Whole(); {
	case t.IsText():
		return 1
	case t.Kind == Array:
		if t.Count > 0 {
			n = int(min(t.Count, mostShown)) * t.Elem.texts()
		}
	case t.Kind == Structure:
		for i := range t.Fields {
			if f := &t.Fields[i]; f.BitSize == 0 {
				n += f.Type.texts()
			}
		}
	}
	return min(n, mostShown)
}
