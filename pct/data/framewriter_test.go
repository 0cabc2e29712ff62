package data

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/plan"
)

// argumentsOfSamples are samples whose arguments are those of testArguments, of a call path with two frames more.
func argumentsOfSamples(t testing.TB, w *Writer) {
	t.Helper()
	number, text, shown := w.TypedField(PlanField{Type: describe(t, testInt)}), w.TypedField(PlanField{Type: describe(t, testText)}), w.Field("")
	f := w.Called([]Called{{Name: "f", Parameters: []CalledParameter{{Name: "n"}, {Name: "p", Plural: true}, {Name: "s"}, {Name: "o"}}}})
	bare := w.Called([]Called{{Name: "write", Bare: true}})
	inlined := w.Called([]Called{{Name: "in"}, {Name: "main", Parameters: []CalledParameter{{Name: "ac"}}}})
	if again := w.Called([]Called{{Name: "write", Bare: true}}); again != bare || w.Called([]Called{{Name: "write"}}) == bare {
		t.Errorf("lists of functions are numbered %d, %d", bare, again)
	}
	node := NodeID(0)
	for _, vaddr := range []uint64{0x10, 0x20, 0x30, 0x40} {
		node = w.Node(node, 0, vaddr)
	}
	innermost := AppendArgument(AppendFrame(nil, 0, f), number, plan.Got, []byte{0xfe, 0xff, 0xff, 0xff})
	innermost = AppendArgument(innermost, text, plan.Got, []byte("\x00\x10\x40\x00\x00\x00\x00\x00\x04\x00GET\x00"))
	innermost = AppendArgument(innermost, shown, plan.Got, []byte("<text>"))
	whole := AppendArgument(AppendFrame(AppendFrame(slices.Clone(innermost), 1, bare), 2, inlined), number, plan.OptimizedOut, nil)
	strange := AppendFrame(nil, 0, 99)
	torn := whole[:len(whole)-4]
	for _, frames := range [][]byte{whole, innermost, nil, strange, torn} {
		check(t, w.Sample(Sample{Node: node, Fields: []FieldValue{{w.ArgumentsField(), string(frames)}}}))
	}
}

// The text of arguments is made of those that dbctl writes as it is of the library's.
func TestArgumentsOfSamples(t *testing.T) {
	w, dir := newTestWriter(t)
	argumentsOfSamples(t, w)
	check(t, w.Close())
	r, err := Open(dir)
	check(t, err)
	if !slices.Equal(r.Fields, []string{"", ArgumentsField}) {
		t.Errorf("fields %q", r.Fields)
	}
	want := []string{
		`f(n=-2, p=..., s="GET", o=<text>) <- write <- in() <- main(ac=?)`,
		`f(n=-2, p=..., s="GET", o=<text>) <- ?? <- ?? <- ??`,
		"?? <- ?? <- ?? <- ??",
	}
	var got []string
	for _, s := range r.Samples() {
		for _, f := range s.Fields {
			got = append(got, f.Value)
		}
	}
	if !slices.Equal(got, want) || r.Packed.Len() != 5 {
		t.Errorf("%d samples with\n%q, want\n%q", r.Packed.Len(), got, want)
	}
	if got := errors.Join(r.Damage...); got == nil || !strings.Contains(got.Error(), "damaged: 2 values of args are shorter than their type") {
		t.Errorf("damage %v", r.Damage)
	}
}

// An argument is of no type that stands for arguments.
func TestArgumentsOfArguments(t *testing.T) {
	w, dir := newTestWriter(t)
	args := w.ArgumentsField()
	list := w.Called([]Called{{Name: "main", Parameters: []CalledParameter{{Name: "n"}}}})
	check(t, w.Sample(Sample{Node: w.Node(0, 0, 0x10), Fields: []FieldValue{{args, string(AppendArgument(AppendFrame(nil, 0, list), args, plan.Got, []byte("1234")))}}}))
	check(t, w.Close())
	r, err := Open(dir)
	check(t, err)
	if got := r.Samples()[0].Fields[0].Value; got != "main(n=?)" {
		t.Errorf("%q", got)
	}
}

// An argument of a type that cannot be read, as of a later version, is not known: its bytes are no text.
func TestArgumentsOfUnreadType(t *testing.T) {
	w, dir := newTestWriter(t)
	later := w.TypedField(PlanField{Type: []byte("\x63later")})
	list := w.Called([]Called{{Name: "main", Parameters: []CalledParameter{{Name: "n"}}}})
	check(t, w.Sample(Sample{Node: w.Node(0, 0, 0x10), Fields: []FieldValue{{w.ArgumentsField(), string(AppendArgument(AppendFrame(nil, 0, list), later, plan.Got, []byte("1234")))}}}))
	check(t, w.Close())
	r, err := Open(dir)
	check(t, err)
	if got := r.Samples()[0].Fields[0].Value; got != "main(n=?)" || len(r.Damage) != 1 {
		t.Errorf("%q, damage %v", got, r.Damage)
	}
}
