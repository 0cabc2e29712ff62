package synthetic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/pct/data"
)

// server is the program whose values are written, and the addresses of its functions.
const (
	server    = "/golden/typed/server"
	atMain    = 0x1000
	atLoop    = 0x1010
	atGet     = 0x1020
	atSet     = 0x1030
	atCopy    = 0x1040
	bothForms = 2
)

// A request is what a sample of the server saw: where it was, and the values, of which there are none outside
// of get and set.
type request struct {
	path   []uint64 // outermost frame first
	values [][]byte // as plans write them, in the order of requestFields
}

var (
	anInt     = &value.Type{Kind: value.Integer, Name: "int", Size: 4, Signed: true}
	aChar     = &value.Type{Kind: value.Character, Name: "char", Size: 1, Signed: true}
	aDouble   = &value.Type{Kind: value.Float, Name: "double", Size: 8, Signed: true}
	aText     = &value.Type{Kind: value.Pointer, Size: 8, Elem: aChar}
	aKind     = &value.Type{Kind: value.Enumeration, Name: "kind", Size: 4, Enums: []value.Enumerator{{Name: "GET", Value: 1}, {Name: "SET", Value: 2}}}
	aRequest  = &value.Type{Kind: value.Structure, Name: "request", Size: 24}
	anAddress = &value.Type{Kind: value.Pointer, Size: 8, Elem: aRequest}
	aKey      = &value.Type{Kind: value.Array, Size: 8, Count: 8, Elem: aChar}
)

// requestFields are the fields of the values.
func requestFields() ([]data.PlanField, error) {
	var fields []data.PlanField
	for _, f := range []struct {
		name string
		typ  *value.Type
	}{{"req->len", anInt}, {"cmd", aText}, {"kind", aKind}, {"req", anAddress}, {"key", aKey}, {"load", aDouble}} {
		b, err := f.typ.Describe()
		if err != nil {
			return nil, err
		}
		fields = append(fields, data.PlanField{Name: f.name, Type: b})
	}
	return fields, nil
}

// requests draws samples, the same ones each time.
func requests(n int) []request {
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]request, n)
	for i := range all {
		r := &all[i]
		r.path = []uint64{atMain, atLoop}
		if random.IntN(10) == 0 {
			continue
		}
		name, kind, length, at := "GET", 1, 32+random.IntN(32), uint64(atGet)
		if random.IntN(3) == 0 {
			name, kind, length, at = "SET", 2, int(100*math.Exp(2*random.ExpFloat64())), atSet
		}
		r.path = append(r.path, at)
		if length > 500 {
			r.path = append(r.path, atCopy)
		}
		text := append(binary.LittleEndian.AppendUint64(nil, 0x402000+16*uint64(kind)), 4, 0)
		r.values = [][]byte{
			binary.LittleEndian.AppendUint32(nil, uint32(length)),
			append(append(text, name...), 0),
			binary.LittleEndian.AppendUint32(nil, uint32(kind)),
			binary.LittleEndian.AppendUint64(nil, 0x5555_0000_1000+64*uint64(random.IntN(3))),
			fmt.Appendf(nil, "key%d\x00\x00\x00\x00", random.IntN(9)),
			binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(random.IntN(8))/4)),
		}
	}
	return all
}

// WriteValues makes two run directories below root of so many samples of a server with the values of its requests: one
// of samples in their order, as dbctl writes it, and one of a tree of counts with a file of values, as the library does.
func WriteValues(root string, n int) ([]string, error) {
	fields, err := requestFields()
	if err != nil {
		return nil, err
	}
	all := requests(n)
	dirs := make([]string, bothForms)
	for i, write := range []func(d *data.Dir, fields []data.PlanField, all []request) error{writeSamples, writeCounts} {
		d, err := data.Create(root, server, firstPid+i)
		if err != nil {
			return nil, err
		}
		dirs[i] = d.Path()
		end := first.Add(time.Duration(n) * period)
		m := data.Meta{
			Argv: []string{"server", "-p", "6379"}, Exe: server, Pid: firstPid + i, Start: first, End: end, Clock: "perf", Period: period,
			CPU: time.Duration(n) * period, Samples: uint64(n), State: "complete", Status: "exit 0",
		}
		if err := errors.Join(write(d, fields, all), d.WriteMeta(m), d.Close()); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

func writeSamples(d *data.Dir, fields []data.PlanField, all []request) error {
	w, err := d.NewWriter(data.Header{Resource: resource.CPU, Unit: resource.Microsecond, Clock: "perf", Period: period, Start: first})
	if err != nil {
		return err
	}
	w.Gather(gather)
	o := w.Object(server, "", 0, 0x1000, 0x2000, 0)
	ids := make([]data.FieldID, len(fields))
	for i, f := range fields {
		ids[i] = w.TypedField(f)
	}
	for i, r := range all {
		at := time.Duration(i+1) * period
		s := data.Sample{Time: at, CPU: at, Thread: firstPid, Weight: uint64(period / time.Microsecond)}
		for _, vaddr := range r.path {
			s.Node = w.Node(s.Node, o, vaddr)
		}
		for j, v := range r.values {
			s.Fields = append(s.Fields, data.FieldValue{Field: ids[j], Value: string(v)})
		}
		if err := w.Sample(s); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeCounts writes the files of the library; two plans in seven find nothing.
func writeCounts(d *data.Dir, fields []data.PlanField, all []request) error {
	t := newTree(server)
	root := t.add(0, rootObject, 0)
	nodes := map[string]uint32{}
	var records []byte
	for i, r := range all {
		at, name := root, ""
		for _, vaddr := range r.path {
			name += fmt.Sprintf(" %x", vaddr)
			if nodes[name] == 0 {
				nodes[name] = t.add(at, 1, vaddr)
			}
			at = nodes[name]
		}
		t.count(at)
		if r.values == nil {
			continue
		}
		begin := len(records)
		for _, v := range []uint32{0, at, firstPid, 1} {
			records = binary.LittleEndian.AppendUint32(records, v)
		}
		for j, v := range r.values {
			outcome := plan.Got
			if j == len(r.values)-1 && i%7 < 2 {
				v, outcome = nil, []plan.Outcome{plan.OptimizedOut, plan.NoMemory}[i%7]
			}
			records = binary.LittleEndian.AppendUint16(records, uint16(j))
			records = append(records, byte(outcome), 0)
			records = binary.LittleEndian.AppendUint32(records, uint32(len(v)))
			records = append(records, v...)
			for len(records)%4 > 0 {
				records = append(records, 0)
			}
		}
		binary.LittleEndian.PutUint32(records[begin:], uint32(len(records)-begin)|1)
	}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		if n := t.words[nodes[name]+2]; n > 0 {
			t.called(nodes[name], max(1, n/(4*uint32(len(name)))))
		}
	}
	section := data.AppendFields(nil, fields, nil)
	h := make([]byte, 64)
	copy(h, "PCTvalues1\n")
	binary.LittleEndian.PutUint32(h[16:], uint32(len(h)))
	binary.LittleEndian.PutUint32(h[20:], uint32(len(section)))
	binary.LittleEndian.PutUint64(h[24:], uint64(len(records)))
	binary.LittleEndian.PutUint64(h[32:], 3)
	return errors.Join(
		os.WriteFile(filepath.Join(d.Path(), "paths.cpu"), t.file(), 0o600),
		os.WriteFile(filepath.Join(d.Path(), "values.cpu"), append(append(h, section...), records...), 0o600))
}
