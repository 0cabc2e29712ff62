package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Writer appends to a paths file. Its methods are for one goroutine.
//
// Object, Node and Field only give out ids; their records, and those of Names, Pointee and Note, reach the file with
// the next Sample, Lost or Close, in the same write(2).
type Writer struct {
	file *os.File
	size int64 // of the whole frames in the file

	buf  []byte // frameRoom bytes, then the payload so far
	body []byte // of the item that is being made

	objects map[Object]ObjectID
	nodes   map[Node]NodeID
	fields  map[string]FieldID // by the body of the item
	called  map[string]uint32  // by the body of the item
	last    Sample             // for the differences
	gather  int                // bytes of a payload that are worth a frame
}

// newWriter takes over an empty file opened for appending.
func newWriter(file *os.File, h Header) (*Writer, error) {
	w := &Writer{
		file:    file,
		buf:     make([]byte, frameRoom, 4096),
		objects: map[Object]ObjectID{},
		nodes:   map[Node]NodeID{},
		fields:  map[string]FieldID{},
		called:  map[string]uint32{},
	}
	claim(file)
	b := w.body
	b = appendString(b, h.Resource)
	b = appendString(b, h.Unit)
	b = appendString(b, h.Clock)
	b = binary.AppendVarint(b, int64(h.Period))
	b = binary.AppendVarint(b, h.Start.UnixNano())
	if h.Interval > 0 {
		b = binary.AppendUvarint(b, h.Interval)
	}
	w.item(itemHeader, b)
	n, err := file.WriteString(magic)
	w.size = int64(n)
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// Object returns the id of an object: the same one for the same arguments.
// start, end and bias are as in the type Object.
func (w *Writer) Object(path, buildID string, kind byte, start, end, bias uint64) ObjectID {
	o := Object{Path: path, BuildID: buildID, Kind: kind, Start: start, End: end, Bias: bias}
	if id, ok := w.objects[o]; ok {
		return id
	}
	id := ObjectID(len(w.objects) + 1)
	w.objects[o] = id
	b := w.body[:0]
	b = appendString(b, path)
	b = appendString(b, buildID)
	b = append(b, kind)
	b = binary.AppendUvarint(b, start)
	b = binary.AppendUvarint(b, end)
	b = binary.AppendUvarint(b, bias)
	w.item(itemObject, b)
	return id
}

// Node returns the id of a calling context: the same one for the same
// arguments. The parent is the caller, 0 for an outermost frame. Without an
// object (0), vaddr is a run-time address. parent and o were given out by w.
func (w *Writer) Node(parent NodeID, o ObjectID, vaddr uint64) NodeID {
	n := Node{Parent: parent, Object: o, Vaddr: vaddr}
	if id, ok := w.nodes[n]; ok {
		return id
	}
	id := NodeID(len(w.nodes) + 1)
	w.nodes[n] = id
	b := w.body[:0]
	b = binary.AppendUvarint(b, uint64(id-parent))
	b = binary.AppendUvarint(b, uint64(o))
	b = binary.AppendUvarint(b, vaddr)
	w.item(itemNode, b)
	return id
}

// Field returns the id of a field of texts: the same one for the same name.
func (w *Writer) Field(name string) FieldID { return w.field(appendString(nil, name)) }

// TypedField returns the id of a field whose values are what a plan has written, see value.Decode: the same
// one for the same arguments. To readers, fields of one name are one.
func (w *Writer) TypedField(f PlanField) FieldID { return w.field(appendTyped(nil, f)) }

func (w *Writer) field(body []byte) FieldID {
	if id, ok := w.fields[string(body)]; ok {
		return id
	}
	id := FieldID(len(w.fields) + 1)
	w.fields[string(body)] = id
	w.item(itemField, body)
	return id
}

// Names gives what data of another collector say of a place, innermost first: the
// functions that were inlined there, and the one that they were inlined into. Without
// any, it is known to have none. A place is named at most once, by o from w.
func (w *Writer) Names(o ObjectID, vaddr uint64, names []Name) {
	b := w.body[:0]
	b = binary.AppendUvarint(b, uint64(o))
	b = binary.AppendUvarint(b, vaddr)
	b = binary.AppendUvarint(b, uint64(len(names)))
	for _, n := range names {
		b = appendString(b, n.Function)
		b = appendString(b, n.File)
		b = binary.AppendUvarint(b, uint64(min(max(n.Line, 0), maxLine)))
	}
	w.item(itemNames, b)
}

// Pointee names what is at an address of the process, for the pointers among the values: "symbol+offset". An
// address is named at most once.
func (w *Writer) Pointee(addr uint64, name string) {
	w.item(itemPointee, appendString(binary.AppendUvarint(w.body[:0], addr), name))
}

// Sample appends a sample, and what was named since the last one, by a single
// write(2). After an error the file ends with the sample before, and the writer
// can be used on; the sample is lost.
func (w *Writer) Sample(s Sample) error {
	if err := w.check(s); err != nil {
		return err
	}
	b := w.body[:0]
	b = binary.AppendVarint(b, int64(s.Time-w.last.Time))
	b = binary.AppendVarint(b, int64(s.CPU-w.last.CPU))
	b = binary.AppendVarint(b, int64(s.Thread)-int64(w.last.Thread))
	b = binary.AppendUvarint(b, uint64(s.Node))
	b = binary.AppendUvarint(b, s.Weight)
	var flags uint64
	if s.Partial {
		flags |= flagPartial
	}
	if s.Untimed {
		flags |= flagUntimed
	}
	b = binary.AppendUvarint(b, flags)
	b = binary.AppendUvarint(b, uint64(len(s.Fields)))
	for _, f := range s.Fields {
		b = binary.AppendUvarint(b, uint64(f.Field))
		b = appendString(b, f.Value)
	}
	if s.Count > 1 {
		b = binary.AppendUvarint(b, s.Count)
	}
	if err := w.append(itemSample, b); err != nil {
		return err
	}
	w.last = Sample{Time: s.Time, CPU: s.CPU, Thread: s.Thread}
	return nil
}

// check refuses what a reader would refuse.
func (w *Writer) check(s Sample) error {
	if int(s.Node) > len(w.nodes) {
		return fmt.Errorf("sample at node %d of %d", s.Node, len(w.nodes))
	}
	for _, f := range s.Fields {
		if f.Field == 0 || int(f.Field) > len(w.fields) {
			return fmt.Errorf("sample with field %d of %d", f.Field, len(w.fields))
		}
	}
	return nil
}

// Lost records that n samples were not taken, and why ("the debugger did not
// answer"); readers add up equal reasons.
func (w *Writer) Lost(n uint64, why string) error {
	return w.append(itemLost, appendString(binary.AppendUvarint(w.body[:0], n), why))
}

// Note is a sentence for the readers of a report on this resource.
func (w *Writer) Note(text string) { w.item(itemNote, appendString(w.body[:0], text)) }

// Close writes what was named since the last sample and closes the file.
func (w *Writer) Close() error {
	return errors.Join(w.flush(), w.file.Close())
}

// item adds an item to the payload. body may be w.body, grown.
func (w *Writer) item(kind byte, body []byte) {
	w.buf = append(w.buf, kind)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(body)))
	w.buf = append(w.buf, body...)
	w.body = body[:0]
}

// Gather lets records wait in memory until there are so many bytes of them, in place of a
// write(2) for each sample: for samples that were taken elsewhere, and can be had again if
// the writer is killed.
func (w *Writer) Gather(bytes int) { w.gather = bytes }

// append writes the payload with one more item, which an error takes back:
// what was named before it stays for the next frame, as its ids are in use.
func (w *Writer) append(kind byte, body []byte) error {
	named := len(w.buf)
	w.item(kind, body)
	if len(w.buf) < w.gather {
		return nil
	}
	err := w.flush()
	if err != nil {
		w.buf = w.buf[:named]
	}
	return err
}

// flush writes the payload as a frame. After an error the file ends with the
// frame before, and the payload is kept.
func (w *Writer) flush() error {
	payload := w.buf[frameRoom:]
	if len(payload) == 0 {
		return nil
	}
	var length [frameRoom]byte
	n := binary.PutUvarint(length[:], uint64(len(payload)))
	copy(w.buf[frameRoom-n:], length[:n])
	whole := len(w.buf)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, checksum(payload))
	written, err := w.file.Write(w.buf[frameRoom-n:])
	if err != nil {
		w.buf = w.buf[:whole]
		if written > 0 {
			err = errors.Join(err, w.file.Truncate(w.size))
		}
		return err
	}
	w.size += int64(written)
	w.buf = w.buf[:frameRoom]
	return nil
}
