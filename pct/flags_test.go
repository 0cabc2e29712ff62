package main

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesOfRefinements(t *testing.T) {
	for text, want := range map[string][]string{
		"f":                                   {"f"},
		"a b, c d":                            {"a b", "c d"},
		"std::map<int, A>::find(int, int),g":  {"std::map<int, A>::find(int, int)", "g"},
		"operator<,g":                         {"operator<", "g"},
		"A::operator->,g":                     {"A::operator->", "g"},
		"operator,,g":                         {"operator,", "g"},
		"operator()(int, char),operator>>=,g": {"operator()(int, char)", "operator>>=", "g"},
		"g,operator<=>(A, B)":                 {"g", "operator<=>(A, B)"},
		"operator<<(A, B),g":                  {"operator<<(A, B)", "g"},
		"main.(*T).Run,main.func1":            {"main.(*T).Run", "main.func1"},
		"x),y":                                {"x)", "y"},
		"<A as B>::f<C, D>,g":                 {"<A as B>::f<C, D>", "g"},
		"日本語,é":                               {"日本語", "é"},
	} {
		var o options
		if err := o.refine(text, false); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var got []string
		for _, p := range o.Refinements[0].Through {
			got = append(got, p.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", ",", "a,", ",a", "a,,b", " "} {
		var o options
		if err := o.refine(text, true); err == nil || !strings.Contains(err.Error(), "want a name") || len(o.Refinements) > 0 {
			t.Errorf("%q: %v, %v", text, err, o.Refinements)
		}
	}
}
