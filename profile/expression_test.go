package main

import (
	"slices"
	"strings"
	"testing"
)

// A field is called as its expression is written; of two alike the second has a number.
func TestFieldNames(t *testing.T) {
	var o options
	for _, spec := range []string{"p@f@r->len", "p@g@r->len", `p@f@ a["x"]  + $rip`} {
		if err := o.addExpression(spec, "top"); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, e := range o.expressions {
		names = append(names, e.field)
	}
	if want := []string{"r->len", "r->len_2", `a["x"] + $rip`}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if script, want := o.script(), `EVAL("f", " a[\"x\"]  + $$rip") | FIELD("a[\"x\"] + $rip");`; !strings.Contains(script, want) {
		t.Errorf("no %s in\n%s", want, script)
	}
}
