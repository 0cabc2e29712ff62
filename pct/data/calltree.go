package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"
)

// A calls file is a calling context tree, mapped and counted in by the process that is
// sampled: a header, and at its offset a tree with a header of its own, which has the text
// that tells of the objects, too. All of it is little-endian. Offsets in the header:
const (
	callsMagic      = "PCTcalls2\n" // 16 bytes, NUL padded
	callsHeaderSize = 128

	atCallsUsed     = 28  // u32: bytes of text in the tree
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

// callTree is a calls file.
type callTree struct {
	path     string
	header   Header
	pid      int
	lost     uint64
	objects  string
	contexts contextTree
	torn     error // what is missing at the end
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
		return damaged("it is of an unknown version")
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
	used, tree := u32(atCallsUsed), u64(atCallsTree)
	switch period := u64(atCallsPeriod); {
	case period > math.MaxInt64:
		return damaged(fmt.Sprintf("a period of %d ns", period))
	case tree < callsHeaderSize || tree > mostHeader:
		return damaged(fmt.Sprintf("a tree at byte %d", tree))
	default:
		t.header.Period = time.Duration(period)
	}
	if err := t.readTree(f, tree, uint64(size)); err != nil {
		return nil, err
	}
	// Behind the text that was there when the header was read there can be whole lines, and one that is being written.
	t.objects = t.contexts.text
	if end := strings.LastIndexByte(t.objects, '\n') + 1; t.torn != nil || end >= int(used) {
		t.objects = t.objects[:end]
	}
	return t, nil
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
		return errors.New(t.path + " measured " + t.header.Resource + " and the run " + h.Resource + ", which cannot be added up")
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
