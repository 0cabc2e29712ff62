package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

var (
	testInt  = &value.Type{Kind: value.Integer, Name: "int", Size: 4, Signed: true}
	testChar = &value.Type{Kind: value.Character, Name: "char", Size: 1, Signed: true}
	testEnum = &value.Type{Kind: value.Enumeration, Size: 4, Enums: []value.Enumerator{{Name: "GET", Value: 1}, {Name: "SET", Value: 2}}}
	testText = &value.Type{Kind: value.Pointer, Size: 8, Elem: testChar}
	testPair = &value.Type{Kind: value.Structure, Size: 8, Fields: []value.Field{{Name: "x", Type: testInt}, {Name: "y", Type: testInt, Offset: 4}}}
)

func describe(t testing.TB, typ *value.Type) []byte {
	t.Helper()
	b, err := typ.Describe()
	check(t, err)
	return b
}

// testRecord is a record of a file of values.
type testRecord struct {
	node, thread, count uint32
	values              []testValue
}

type testValue struct {
	field   uint16
	outcome plan.Outcome
	written string
}

// valuesOf makes the bytes of a file of values as the library does.
func valuesOf(fields []PlanField, records ...testRecord) []byte {
	return valuesWith(fields, nil, records...)
}

// valuesWith has lists of functions, too. The outcome of a frame is its depth, and what is written is as long as the number of
// its list.
func valuesWith(fields []PlanField, lists [][]Called, records ...testRecord) []byte {
	var body []byte
	for i, r := range records {
		at, late := len(body), uint64(i+1)*1e9*10 // more than 32 bits
		for _, v := range []uint32{0, r.node, r.thread, r.count, uint32(late), uint32(late >> 32)} {
			body = binary.LittleEndian.AppendUint32(body, v)
		}
		for _, v := range r.values {
			body = binary.LittleEndian.AppendUint16(body, v.field)
			body = append(body, byte(v.outcome), 0)
			body = binary.LittleEndian.AppendUint32(body, uint32(len(v.written)))
			if v.field == frameMark {
				if v.outcome == noRoom {
					body[len(body)-6], body[len(body)-5] = 0xff, 0xff
				}
				continue
			}
			body = append(body, v.written...)
			for len(body)%4 > 0 {
				body = append(body, 0)
			}
		}
		binary.LittleEndian.PutUint32(body[at:], uint32(len(body)-at)|1)
	}
	section := AppendFields(nil, fields, lists)
	b := make([]byte, valuesHeaderSize)
	copy(b, valuesMagic)
	binary.LittleEndian.PutUint32(b[atValuesHeader:], valuesHeaderSize)
	binary.LittleEndian.PutUint32(b[atValuesFields:], uint32(len(section)))
	binary.LittleEndian.PutUint64(b[atValuesUsed:], uint64(len(body)))
	return append(append(b, section...), body...)
}

// words are where the places of a tree's nodes begin, by their numbers in the run.
func words(t testing.TB, b []byte) map[NodeID]uint32 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "calls")
	check(t, os.WriteFile(path, b, 0o600))
	tree, err := readCallTree(path)
	check(t, err)
	all := map[NodeID]uint32{}
	id := NodeID(0)
	for i, c := range tree.contexts.all {
		if i > 0 && c.object() < objectRoot {
			id++
			for word, at := range tree.contexts.node {
				if int(at) == i {
					all[id] = uint32(word)
				}
			}
		}
	}
	return all
}

func openValues(t testing.TB, calls, values []byte) (*Run, error) {
	t.Helper()
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "paths.cpu"), calls, 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "values.cpu"), values, 0o600))
	return Open(dir)
}

// testValues are values of testCalls: five samples at node 2, three at 3, one at 4.
func testValues(t testing.TB) []byte {
	at := words(t, testCalls())
	return valuesOf([]PlanField{
		{Name: "n", Type: describe(t, testInt)},
		{Name: "cmd", Type: describe(t, testText)},
		{Name: "n", Type: describe(t, testEnum)},
		{Name: "pair", Type: describe(t, testPair), Gone: []value.Gap{{Offset: 4, Size: 4}}},
	},
		testRecord{at[2], 7, 1, []testValue{{0, plan.Got, "\xfe\xff\xff\xff"}, {1, plan.Got, "\x00\x10\x40\x00\x00\x00\x00\x00\x04\x00GET\x00"}}},
		testRecord{at[3], 8, 2, []testValue{{2, plan.Got, "\x02\x00\x00\x00"}, {1, plan.NoMemory, ""}}},
		testRecord{at[2], 7, 2, []testValue{{0, plan.OptimizedOut, ""}, {3, plan.Got, "\x03\x00\x00\x00\x00\x00\x00\x00"}}},
	)
}

func TestValues(t *testing.T) {
	r, err := openValues(t, testCalls(), testValues(t))
	check(t, err)
	if len(r.Damage) > 0 || !reflect.DeepEqual(r.Fields, []string{"", "n", "cmd", "pair"}) {
		t.Errorf("fields %q, damage %v", r.Fields, r.Damage)
	}
	want := []Sample{
		{Time: 10 * time.Second, Thread: 7, Node: 2, Weight: 1000, Count: 1, Fields: []FieldValue{{1, "-2"}, {2, `"GET"`}}},
		{Time: 20 * time.Second, Thread: 8, Node: 3, Weight: 2000, Count: 2, Partial: true, Fields: []FieldValue{{1, "SET"}}},
		{Time: 30 * time.Second, Thread: 7, Node: 2, Weight: 2000, Count: 2, Fields: []FieldValue{{1, "<optimized out>"}, {3, "{x = 3, y = <optimized out>}"}}},
		{Thread: 7, Node: 2, Weight: 2000, Count: 2, Untimed: true},
		{Thread: 8, Node: 3, Weight: 1000, Count: 1, Partial: true, Untimed: true},
		{Thread: 8, Node: 4, Weight: 1000, Count: 1, Untimed: true},
	}
	if got := r.Samples(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if types := r.Types[1]; len(types) != 2 || types[0].Kind != value.Integer || types[1].Kind != value.Enumeration {
		t.Errorf("types of n: %+v", types)
	}
	if want := "2 samples have no value of cmd: Cannot access memory"; len(r.Meta.Notes) != 2 || r.Meta.Notes[0] != want {
		t.Errorf("notes %q", r.Meta.Notes)
	}
	if n := len(r.Packed.values); n != 5 || r.Packed.typed != nil || r.Packed.forms != nil {
		t.Errorf("%d values are kept, or what they were", n)
	}
	if r.Meta.Samples != 9 || r.Meta.Partial != 3 {
		t.Errorf("meta %+v", r.Meta)
	}
}

// Whatever is in a file of values, the samples are those of the tree. What is lost is said.
func TestDamagedValues(t *testing.T) {
	calls, whole := testCalls(), testValues(t)
	at := words(t, calls)
	totals := func(t *testing.T, b []byte) *Run {
		t.Helper()
		r, err := openValues(t, calls, b)
		check(t, err)
		counts := map[NodeID]uint64{}
		for _, s := range r.Samples() {
			counts[s.Node] += s.Count
			if s.Weight != 1000*s.Count {
				t.Fatalf("sample %+v", s)
			}
		}
		if want := map[NodeID]uint64{2: 5, 3: 3, 4: 1}; !reflect.DeepEqual(counts, want) || r.Packed.Count != 9 || r.Packed.Weight != 9000 || r.Packed.Partial != 3 {
			t.Fatalf("samples %+v", r.Samples())
		}
		consistent(t, r)
		return r
	}
	totals(t, nil)
	for cut := 1; cut < len(whole); cut++ {
		r := totals(t, whole[:cut])
		if len(r.Damage) == 0 {
			t.Fatalf("cut at byte %d of %d: no message", cut, len(whole))
		}
	}
	for i := range whole {
		for bit := range 8 {
			bad := append([]byte{}, whole...)
			bad[i] ^= 1 << bit
			totals(t, bad)
		}
	}
	fields := []PlanField{{Name: "n", Type: describe(t, testInt)}}
	for _, c := range []struct {
		record testRecord
		want   string
	}{
		{testRecord{at[2], 0, 6, []testValue{{0, plan.Got, "1234"}}}, ""}, // the last of them are clipped
		{testRecord{at[2] + 1, 0, 1, nil}, "of samples that paths.cpu does not count"},
		{testRecord{math.MaxUint32, 0, 1, nil}, "of samples that paths.cpu does not count"},
		{testRecord{at[2], 0, 1, []testValue{{1, plan.Got, "1234"}}}, "of unknown fields"},
		{testRecord{at[2], 0, 1, []testValue{{0, plan.Got, "123"}}}, "1 values of n are shorter than their type"},
	} {
		r := totals(t, valuesOf(fields, c.record))
		if got := errors.Join(r.Damage...); (got == nil) != (c.want == "") || got != nil && !strings.Contains(got.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.record, got, c.want)
		}
	}
	r := totals(t, valuesOf([]PlanField{{Name: "n", Type: []byte{99, 0}}}, testRecord{at[2], 0, 1, []testValue{{0, plan.Got, "1234"}}}))
	if got := errors.Join(r.Damage...); got == nil || !strings.Contains(got.Error(), "values of n cannot be read: description of a type in an unknown version") {
		t.Errorf("of a later version: %v", got)
	}
	// A thread that was killed leaves a record that is not whole; those behind it are there.
	unfinished := append([]byte{}, whole...)
	section := int(binary.LittleEndian.Uint32(whole[atValuesFields:]))
	unfinished[valuesHeaderSize+section] &^= 1
	r = totals(t, unfinished)
	var torn *Truncated
	if got := errors.Join(r.Damage...); !errors.As(got, &torn) || torn.Offset != int64(valuesHeaderSize+section) || r.Packed.Len() != 5 {
		t.Errorf("unfinished: %v, %d samples", got, r.Packed.Len())
	}
}

func FuzzValues(f *testing.F) {
	f.Add(testValues(f))
	f.Add(testArguments(1, 1))
	f.Fuzz(func(t *testing.T, src []byte) {
		r := newRun()
		r.Objects = append(r.Objects, Object{Path: "/nowhere", BuildID: "1234"})
		r.Nodes = append(r.Nodes, Node{Object: 1}, Node{Parent: 1, Object: 1})
		v := valuesReader{run: r, node: []uint32{0, 1}, failed: map[string]uint64{}, sample: func(_, thread, count uint32) (Sample, bool) {
			return Sample{Node: 2, Thread: thread, Count: uint64(count)}, true
		}}
		_ = v.readFrom(bytes.NewReader(src), int64(len(src))) // which says what is damaged
		r.settleValues()
		consistent(t, r)
	})
}

// What pointers lead to is named by who stored them.
func TestNamedPointees(t *testing.T) {
	w, dir := newTestWriter(t)
	to := w.TypedField(PlanField{Name: "to", Type: describe(t, &value.Type{Kind: value.Pointer, Size: 8, Elem: testInt})})
	w.Pointee(0x4010, "table")
	check(t, w.Sample(Sample{Fields: []FieldValue{{to, "\x10\x40\x00\x00\x00\x00\x00\x00"}}}))
	w.Pointee(0x4014, "table+4")
	check(t, w.Sample(Sample{Fields: []FieldValue{{to, "\x14\x40\x00\x00\x00\x00\x00\x00"}}}))
	check(t, w.Sample(Sample{Fields: []FieldValue{{to, "\x18\x40\x00\x00\x00\x00\x00\x00"}}}))
	check(t, w.Close())
	r, err := Open(dir)
	check(t, err)
	want := []string{"0x4010 <table>", "0x4014 <table+4>", "0x4018"}
	for i, s := range r.Samples() {
		if s.Fields[0].Value != want[i] {
			t.Errorf("%q, want %q", s.Fields[0].Value, want[i])
		}
	}
	if r.Packed.Len() != len(want) {
		t.Errorf("%d samples", r.Packed.Len())
	}
}

// Values of one name are one field, whatever their types; those of text stand beside them.
func TestTypedFields(t *testing.T) {
	w, dir := newTestWriter(t)
	n := w.TypedField(PlanField{Name: "n", Type: describe(t, testInt)})
	if again := w.TypedField(PlanField{Name: "n", Type: describe(t, testInt)}); again != n {
		t.Errorf("field %d, then %d", n, again)
	}
	text := w.Field("n")
	enum := w.TypedField(PlanField{Name: "n", Type: describe(t, testEnum)})
	later := w.TypedField(PlanField{Name: "later", Type: []byte{99, 0}})
	pair := w.TypedField(PlanField{Name: "pair", Type: describe(t, testPair), Gone: []value.Gap{{Offset: 0, Size: 4}}})
	for _, fields := range [][]FieldValue{
		{{n, "\x05\x00\x00\x00"}, {pair, "\x01\x00\x00\x00\x02\x00\x00\x00"}}, {{text, "5"}, {later, "1234"}}, {{enum, "\x01\x00\x00\x00"}}, {{n, "short"[:3]}}, {{text, "\x05\x00\x00\x00"}},
	} {
		check(t, w.Sample(Sample{Fields: fields}))
	}
	check(t, w.Close())
	r, err := Open(dir)
	check(t, err)
	want := []Sample{
		{Count: 1, Fields: []FieldValue{{1, "5"}, {3, "{x = <optimized out>, y = 2}"}}}, {Count: 1, Fields: []FieldValue{{1, "5"}}},
		{Count: 1, Fields: []FieldValue{{1, "GET"}}}, {Count: 1}, {Count: 1, Fields: []FieldValue{{1, "\x05\x00\x00\x00"}}},
	}
	if got := r.Samples(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(r.Fields, []string{"", "n", "later", "pair"}) {
		t.Errorf("fields %q\ngot  %+v\nwant %+v", r.Fields, got, want)
	}
	if len(r.Damage) != 2 {
		t.Errorf("damage %v", r.Damage)
	}
}
