package data

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/plan"
)

// noRoom is the outcome of the frame behind which there was no room for others.
const noRoom = plan.Outcome(0xff)

// testArguments are arguments of samples at two nodes.
func testArguments(inner, outer uint32) []byte {
	lists := [][]Called{
		{{Name: "f", Parameters: []CalledParameter{{Name: "n"}, {Name: "p", Plural: true}, {Name: "s"}}}},
		{{Name: "in"}, {Name: "main", Parameters: []CalledParameter{{Name: "ac"}}}},
		{{Parameters: []CalledParameter{{Name: "kind"}}}},
	}
	describe := func(b []byte, err error) []byte { return b }
	fields := []PlanField{{Type: describe(testInt.Describe())}, {Type: describe(testText.Describe())}, {Name: "x", Type: describe(testInt.Describe())}}
	frame := func(depth plan.Outcome, list int) testValue {
		return testValue{frameMark, depth, strings.Repeat("x", list)}
	}
	return valuesWith(fields, lists,
		testRecord{inner, 7, 1, []testValue{
			{2, plan.Got, "\x05\x00\x00\x00"},
			frame(0, 1), {0, plan.Got, "\xfe\xff\xff\xff"}, {1, plan.Got, "\x00\x10\x40\x00\x00\x00\x00\x00\x04\x00GET\x00"},
			frame(1, 2), {0, plan.OptimizedOut, ""},
		}},
		testRecord{inner, 7, 1, []testValue{frame(1, 3), {0, plan.NoRegister, ""}}},
		testRecord{outer, 7, 1, []testValue{frame(0, 1), {0, plan.Got, "123"}, {1, plan.OptimizedOut, ""}, frame(noRoom, 0)}},
		testRecord{outer, 7, 1, nil},
	)
}

// The text of arguments is made of what the library has written, by the frames of the call path.
func TestArguments(t *testing.T) {
	at := words(t, testCalls())
	parent := map[NodeID]NodeID{}
	r, err := openValues(t, testCalls(), testArguments(at[2], at[3]))
	check(t, err)
	for id := range r.Nodes {
		parent[NodeID(id)] = r.Nodes[id].Parent
	}
	if len(r.Damage) > 0 || !slices.Equal(r.Fields, []string{"", "x", ArgumentsField}) {
		t.Errorf("fields %q, damage %v", r.Fields, r.Damage)
	}
	depth := func(id NodeID) (n int) {
		for ; id > 0; id = parent[id] {
			n++
		}
		return n
	}
	unnamed := func(n int) string { return strings.Repeat(" <- ??", n) }
	want := []string{
		`f(n=-2, p=..., s="GET") <- in() <- main(ac=?)`,
		"?? <- ??(kind=?)" + unnamed(depth(2)-2),
		"f(n=?, p=..., s=?)" + unnamed(depth(3)-1),
		strings.TrimPrefix(unnamed(depth(3)), " <- "),
	}
	var got []string
	for _, s := range r.Samples() {
		for _, f := range s.Fields {
			if r.Fields[f.Field] == ArgumentsField {
				got = append(got, f.Value)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if want := "1 samples have the arguments of their innermost functions only"; !slices.Contains(r.Meta.Notes, want) {
		t.Errorf("notes %q", r.Meta.Notes)
	}
	// Frames that are not in their order, of lists that there are not, and values of none.
	for _, bad := range [][]testValue{
		{{frameMark, 1, "xx"}, {0, plan.OptimizedOut, ""}, {frameMark, 1, "xx"}, {0, plan.OptimizedOut, ""}},
		{{frameMark, 0, "xxxx"}}, {{frameMark, 0, ""}}, {{frameMark, 0, "xx"}}, {{frameMark, noRoom, ""}, {frameMark, 0, "xx"}, {0, plan.Got, "1234"}},
	} {
		lists := [][]Called{nil, {{Name: "main", Parameters: []CalledParameter{{Name: "ac"}}}}}
		r, err := openValues(t, testCalls(), valuesWith([]PlanField{{Type: describe(t, testInt)}}, lists, testRecord{at[2], 7, 1, bad}))
		check(t, err)
		if got := errors.Join(r.Damage...); got == nil || !strings.Contains(got.Error(), "1 values are of unknown fields or cut off") || r.Packed.Count != 9 {
			t.Errorf("%v: damage %v, %d samples", bad, got, r.Packed.Count)
		}
	}
}
