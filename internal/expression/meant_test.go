package expression

import (
	"regexp"
	"slices"
	"testing"

	"github.com/profilecollection/pct/internal/funcname"
)

// What is not read of names makes no difference: each name of each function in a program finds it.
func TestMeant(t *testing.T) {
	for _, cc := range [][]string{{"g++", "-g", "-O0"}, {"clang++", "-g", "-O1"}} {
		data := opened(t, build(t, "rare.cpp", cc...))
		n := 0
		for f := range data.Functions() {
			for o := f.Origin(); o.OK(); o = f.Origin() {
				f = o
			}
			for _, name := range functionNames(f) {
				if n++; !meant(t, name).entry(f) {
					t.Errorf("%s does not mean %s", name, f.Name())
				}
			}
			if meant(t, "f"+f.Name()).entry(f) {
				t.Errorf("f%s means %s", f.Name(), f.Name())
			}
		}
		if n < 20 {
			t.Errorf("%d names", n)
		}
	}
	symbols := []string{
		"main", "_ZN2ns4Nest4workEv", "_ZNK2ns3BoxIiLi3EE3getEi", "_ZN2ns3FooC1Ev", "_ZN2ns3FooD2Ev", "_ZNSsC1Ev", "_ZNSaIcED1Ev", "_ZN2nsplEii", "_ZN2ns3FoocviEv",
		"_ZNSt6vectorIiSaIiEE9push_backERKi", "_ZN12_GLOBAL__N_14workEi", "_ZN4core3ptr4read17h0123456789abcdefE", "_ZZN2ns1fEvENKUlvE_clEv", "work.part.0", "_ZL4workv.constprop.0", "__mod_MOD_proc",
	}
	for _, symbol := range symbols {
		names := plainToo([]string{symbol, funcname.Demangle(symbol)})
		for _, other := range symbols {
			for _, name := range plainToo([]string{other, funcname.Demangle(other)}) {
				if want := slices.Contains(names, name); meant(t, name).Symbol(symbol) != want {
					t.Errorf("%s means %s: %v", name, symbol, !want)
				}
			}
		}
	}
}

func meant(t *testing.T, name string) Meant {
	t.Helper()
	m, err := NewMeant(regexp.QuoteMeta(name))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
