package expression

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// What is not read of names makes no difference: each name of each function in a program finds it.
func TestMeant(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.cpp")
	if err := os.WriteFile(other, []byte("template<class T> __attribute__((noinline)) T elsewhere(T n) { return n + 1; }\nint preelsewhere(int n) { return elsewhere(n); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cc := range [][]string{
		{"g++", "-g", "-O0"}, {"clang++", "-g", "-O1"}, {"clang++", "-gdwarf-4", "-O0"}, {"g++", "-g", "-gsplit-dwarf", "-O2"}, {"clang++", "-g", "-gsplit-dwarf", "-O0"},
		{"g++", "-g", "-flto", "-O2"}, {"g++", "-g", "-fdebug-types-section", "-O1"},
	} {
		data := opened(t, build(t, "rare.cpp", append(cc, other)...))
		all, some := 0, 0
		for range data.Functions("") {
			all++
		}
		for range data.Functions("elsewhere") {
			some++
		}
		// Small programs have the places of names by chance, but for those that have tables of places.
		if some == 0 || some == all && slices.Equal(cc, []string{"clang++", "-g", "-O1"}) {
			t.Errorf("%q: of %d functions %d are looked at for the name of one", cc, all, some)
		}
		n := 0
		for e := range data.Functions("") {
			f := e
			for o := f.Origin(); o.OK(); o = f.Origin() {
				f = o
			}
			for _, name := range functionNames(f) {
				m := meant(t, name)
				if n++; !m.entry(f) {
					t.Errorf("%s does not mean %s", name, f.Name())
				}
				if !found(data, m.last, e) {
					t.Errorf("%s: %s is not looked for where it is", name, f.Name())
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

// found reports whether a function is among those looked at for what names begin with.
func found(data *debuginfo.Data, beginning string, e debuginfo.Entry) bool {
	for f := range data.Functions(beginning) {
		if f == e {
			return true
		}
	}
	return false
}

func meant(t *testing.T, name string) Meant {
	t.Helper()
	m, err := NewMeant(regexp.QuoteMeta(name))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
