package data

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/plan"
)

// A file values.NAME of the library has values of samples that the tree in paths.NAME counts: a header, the
// fields by number (see AppendFields), and records. All of it is little-endian. Offsets in the header:
const (
	valuesMagic      = "PCTvalues2\n" // 16 bytes, NUL padded; written last
	valuesMagic1     = "PCTvalues1\n" // the same without times and arguments
	valuesHeaderSize = 64

	atValuesHeader = 16 // u32
	atValuesFields = 20 // u32: bytes of the fields
	atValuesUsed   = 24 // u64: bytes of records
	atValuesLost   = 32 // u64: records that were not stored

	// A record is u32 its bytes and 1 if it is whole, u32 node, u32 thread, u32 samples, u64 time; then values:
	// u16 field, u8 outcome, u8 0, u32 length, and as many bytes, padded to a multiple of 4. Where arguments are
	// evaluated there follow frames: u16 0xffff, u16 calls out from the innermost, u32 number of the list of its
	// functions, and the values of their arguments.
	valuesRecord1 = 16
	valuesRecord  = 24
	valueHead     = 8

	mostValuesRecord = 1 << 24
	mostValuesFields = 1 << 26
)

const valuesPrefix = "values." // before the name of a resource

// optimizedOut is the value of what the program does not keep, as gdb shows it.
const optimizedOut = "<optimized out>"

// valuesBeside is the path of the values of a calls file, "" if it can have none.
func valuesBeside(calls string) string {
	name, ok := strings.CutPrefix(filepath.Base(calls), pathsPrefix)
	if !ok {
		return ""
	}
	return filepath.Join(filepath.Dir(calls), valuesPrefix+name)
}

// HoldsValues reports whether a file has the values of samples that are counted in another one.
func HoldsValues(path string) bool {
	if !strings.HasPrefix(filepath.Base(path), valuesPrefix) {
		return false
	}
	f, _, err := openRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := section(f, 0, countMagicSize)
	magic := text0(head)
	return err == nil && (magic == valuesMagic || magic == valuesMagic1)
}

// A valuesReader adds the samples that have values to a run, which are some of those that a tree counts.
type valuesReader struct {
	run    *Run
	node   []uint32                                                // contexts of the tree by the word of their place
	sample func(context, thread, count uint32) (s Sample, ok bool) // part of the samples of a context; false if there are none left

	path    string
	least   int64 // bytes of a record
	fields  []givenField
	calls   *calls            // nil: arguments are not evaluated
	argued  uint32            // the form of them
	failed  map[string]uint64 // samples without a value, by why
	beyond  uint64            // records of samples that the tree does not count
	strange uint64            // values of no field, and records that don't have the length of their values
	inner   uint64            // samples with arguments of the innermost frames alone
}

// read reads the file, if there is one.
func (v *valuesReader) read() error {
	f, size, err := openRegular(v.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return v.readFrom(f, size)
}

func (v *valuesReader) readFrom(f io.ReaderAt, size int64) error {
	h, err := section(f, 0, valuesHeaderSize)
	if err != nil {
		return err
	}
	damaged := func(format string, args ...any) error {
		return fmt.Errorf("%s: damaged: %s; the samples are counted without their values", v.path, fmt.Sprintf(format, args...))
	}
	switch magic := text0(h[:min(len(h), countMagicSize)]); magic {
	case "":
		return nil // it is being made
	case valuesMagic:
		v.least = valuesRecord
	case valuesMagic1:
		v.least = valuesRecord1
	default:
		return damaged("it is of an unknown kind")
	}
	if len(h) < valuesHeaderSize {
		return damaged("its header is cut off at byte %d of %d", len(h), valuesHeaderSize)
	}
	header, length := binary.LittleEndian.Uint32(h[atValuesHeader:]), binary.LittleEndian.Uint32(h[atValuesFields:])
	used, lost := binary.LittleEndian.Uint64(h[atValuesUsed:]), binary.LittleEndian.Uint64(h[atValuesLost:])
	if header < valuesHeaderSize || header > mostHeader || length > mostValuesFields {
		return damaged("a header of %d bytes and fields of %d", header, length)
	}
	b, err := section(f, uint64(header), uint64(length))
	if err != nil {
		return err
	}
	fields, lists, ok := readFields(string(b), v.least == valuesRecord)
	if !ok || len(b) < int(length) {
		return damaged("its fields are cut off")
	}
	v.define(fields, lists)
	first := int64(header) + int64(length)
	there := max(0, size-first)
	end := int64(min(used, uint64(there)))
	whole, why := v.records(bufio.NewReaderSize(io.NewSectionReader(f, first, end), 1<<16), end)
	v.tell(lost)
	switch {
	case why != nil:
		return why
	case v.run.Meta.State == stateRunning: // what is not whole yet is being written
		return nil
	case uint64(whole) < used:
		return &Truncated{Path: v.path, Offset: first + whole, Size: size, Why: "a record of values is incomplete"}
	case v.strange > 0:
		return fmt.Errorf("%s: damaged: %d values are of unknown fields or cut off", v.path, v.strange)
	case v.beyond > 0:
		return fmt.Errorf("%s: damaged: %d records are of samples that paths%s does not count", v.path, v.beyond, strings.TrimPrefix(filepath.Base(v.path), "values"))
	}
	return nil
}

func (v *valuesReader) define(fields []PlanField, lists [][]Called) {
	before := v.run.forms.given
	v.run.forms.given = nil
	for _, f := range fields {
		v.run.define(f)
	}
	v.fields, v.run.forms.given = v.run.forms.given, before
	if len(lists) > 0 {
		v.calls = &calls{lists, v.fields}
		v.run.forms.of = append(v.run.forms.of, form{calls: v.calls})
		v.argued = uint32(len(v.run.forms.of))
	}
}

// records adds the records, and returns where those end that are whole.
func (v *valuesReader) records(from *bufio.Reader, size int64) (whole int64, err error) {
	var large bytes.Buffer
	for at := int64(0); size-at >= v.least; {
		b, err := from.Peek(valuesRecord1)
		if err != nil {
			return whole, tailOf(err)
		}
		head := binary.LittleEndian.Uint32(b)
		n := int64(head &^ 3)
		if n < v.least || n > mostValuesRecord || n > size-at {
			return whole, nil
		}
		large.Reset()
		if _, err := io.CopyN(&large, from, n); err != nil {
			return whole, tailOf(err)
		}
		at += n
		if head&1 == 0 {
			continue // its thread was stopped, or killed, before it was whole
		}
		if whole+n == at {
			whole = at
		}
		v.record(large.String())
	}
	return whole, nil
}

// tailOf is an error of the disk; a file that is cut while it is read has none.
func tailOf(err error) error {
	if err = tail(err); errors.Is(err, errRead) {
		return err
	}
	return nil
}

// record adds the sample of a record.
func (v *valuesReader) record(src string) {
	c := cursor{rest: src}
	c.u32()
	node, thread, count := c.u32(), c.u32(), c.u32()
	timed, at := v.least == valuesRecord, uint64(0)
	if timed {
		at = uint64(c.u32())
		at |= uint64(c.u32()) << 32
	}
	if int(node) >= len(v.node) || v.node[node] == 0 || count == 0 {
		v.beyond++
		return
	}
	s, ok := v.sample(v.node[node], thread, count)
	if !ok {
		v.beyond++
		return
	}
	if timed && at <= mostTime {
		s.Untimed, s.Time = false, time.Duration(at)
	}
	var of []uint32
	for len(c.rest) >= valueHead {
		if frames := c; v.calls != nil && frames.u32()&frameMark == frameMark {
			break
		}
		number, outcome, written := c.value()
		if c.bad || int(number) >= len(v.fields) {
			v.strange++
			break
		}
		g := v.fields[number]
		switch {
		case outcome == plan.Got:
			of = v.run.valued(&s, of, g, written)
		case outcome == plan.OptimizedOut && g.field > 0:
			of = v.run.valued(&s, of, givenField{field: g.field}, optimizedOut)
		case g.field > 0:
			v.failed[v.run.Fields[g.field]+": "+why(outcome)] += uint64(count)
		}
	}
	if v.calls != nil && s.Node > 0 {
		of = v.argue(&s, of, c, count)
	}
	v.run.Packed.add(&s, of)
}

// mostTime bounds the times of records: others are damaged.
const mostTime = uint64(1) << 60

// argue adds what a record has of arguments to its sample.
func (v *valuesReader) argue(s *Sample, of []uint32, c cursor, count uint32) []uint32 {
	ok, all := v.calls.frames(c, func(uint32, cursor) {})
	if !ok {
		v.strange++
		return of
	}
	if !all {
		v.inner += uint64(count)
	}
	s.Fields = append(s.Fields, FieldValue{Field: v.run.fieldNamed(ArgumentsField), Value: argued(s.Node, c.rest)})
	return append(of, v.argued)
}

func why(o plan.Outcome) string {
	if text := o.String(); text != "" {
		return text
	}
	return fmt.Sprintf("reason %d", o)
}

// tell notes what values are missing.
func (v *valuesReader) tell(lost uint64) {
	for _, what := range slices.Sorted(maps.Keys(v.failed)) {
		v.run.Meta.Notes = append(v.run.Meta.Notes, fmt.Sprintf("%d samples have no value of %s", v.failed[what], what))
	}
	if v.inner > 0 {
		v.run.Meta.Notes = append(v.run.Meta.Notes, fmt.Sprintf("%d samples have the arguments of their innermost functions only", v.inner))
	}
	if lost > 0 {
		v.run.Meta.Notes = append(v.run.Meta.Notes, fmt.Sprintf("%d samples have no values: there was no room for them", lost))
	}
}
