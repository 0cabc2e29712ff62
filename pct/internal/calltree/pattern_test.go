package calltree

import "testing"

func frames(functions ...string) []Frame {
	var all []Frame
	for _, name := range functions {
		all = append(all, Frame{Name: name, Function: name})
	}
	return all
}

// TestAliases: names of the C library are found without their prefixes, if nothing has
// the name itself.
func TestAliases(t *testing.T) {
	for _, c := range []struct {
		pattern   string
		functions []string
		want      string // a letter for each: y where it fits
	}{
		{"malloc", []string{"__GI___libc_malloc", "_int_malloc", "__libc_malloc", "main"}, "y-y-"},
		{"malloc", []string{"__GI___libc_malloc", "malloc"}, "-y"},
		{"malloc", []string{"__malloc", "ns::malloc(int)"}, "-y"},
		{"__libc_malloc", []string{"__GI___libc_malloc", "malloc"}, "y-"},
		{"read", []string{"__GI___read", "__read", "__libc_read", "_read", "__reader", "__"}, "yyy---"},
		{"mall*", []string{"__GI___libc_malloc", "__libc_free"}, "y-"},
		{"free", []string{"__GI_", "__libc_", "__"}, "---"},
		{"nothing", []string{"main"}, "-"},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		all, got := frames(c.functions...), ""
		p = p.Among(all)
		for i := range all {
			if p.Frame(&all[i]) {
				got += "y"
			} else {
				got += "-"
			}
		}
		if got != c.want || p.String() != c.pattern {
			t.Errorf("%s among %v: %s, want %s", p, c.functions, got, c.want)
		}
	}
	if p := (Pattern{}).Among(frames("a")); p != (Pattern{}) {
		t.Errorf("the pattern of all became %v", p)
	}
}

// TestRefineByAlias: -through and -not take them so.
func TestRefineByAlias(t *testing.T) {
	tree := build([]stack{{[]string{"main", "__GI___libc_malloc"}, Weight{3, 3}}, {[]string{"main"}, Weight{2, 2}}})
	malloc, err := ParsePattern("malloc")
	if err != nil {
		t.Fatal(err)
	}
	for _, not := range []bool{false, true} {
		want := 3
		if not {
			want = 2
		}
		if got := tree.Refine([]Refinement{{Through: []Pattern{malloc}, Not: not}}).Whole().Samples; got != want {
			t.Errorf("not %v: %d samples, want %d", not, got, want)
		}
	}
}
