package ring

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A C++ function is found by the name that reports show, as its symbol is; of several with one name each is told.
func TestFunctionOffset(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "named.cc"), filepath.Join(dir, "named")
	if err := os.WriteFile(source, []byte(`
namespace ns {
struct Class {
	int n;
	Class(int i);
	~Class();
	int method(int i);
	int operator()(int i);
};
Class::Class(int i) : n(i) {}
Class::~Class() { n = 0; }
int Class::method(int i) { return n + i; }
int Class::operator()(int i) { return n - i; }
int twice(int i) { return i * 2; }
int twice(long i) { return (int)i * 3; }
template <typename T> T kind(T i) { return i; }
template int kind<int>(int);
}
namespace { __attribute__((noinline)) int hidden(int i) { return i + 7; } }
extern "C" int plain(int i) { return i; }
int main(int argc, char **) { ns::Class c(argc); return c.method(1) + c(2) + ns::twice(argc) + ns::twice(2L) + hidden(argc) + plain(3); }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-O0", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, symbol := range map[string]string{
		"ns::Class::method": "_ZN2ns5Class6methodEi", "ns::Class::method(int)": "_ZN2ns5Class6methodEi", "ns::Class::Class": "_ZN2ns5ClassC1Ei",
		"ns::Class::~Class": "_ZN2ns5ClassD1Ev", "ns::Class::operator()": "_ZN2ns5ClassclEi", "ns::twice(long)": "_ZN2ns5twiceEl",
		"ns::kind": "_ZN2ns4kindIiEET_S1_", "ns::kind<int>": "_ZN2ns4kindIiEET_S1_", "(anonymousnamespace)::hidden": "_ZN12_GLOBAL__N_16hiddenEi", "plain": "plain",
	} {
		want, _, err := functionOffset(program, symbol)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := functionOffset(program, name); err != nil || got != want {
			t.Errorf("%s: %#x, %v; want %#x of %s", name, got, err, want, symbol)
		}
	}
	for name, want := range map[string]string{
		"ns::twice": "several functions are named ns::twice, choose one by its symbol: calls:_ZN2ns5twiceEi is ns::twice(int), calls:_ZN2ns5twiceEl is ns::twice(long)",
		"twice":     "has no function twice: did you mean ns::twice?", "ns::Class": "has no function ns::Class", "method": "has no function method: did you mean ns::Class::method?",
		"plian": "has no function plian: did you mean plain?", "ns::Class::methud": "did you mean ns::Class::method?", "no_such_thing": "has no function no_such_thing",
	} {
		if _, _, err := functionOffset(program, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
}

// Compilers make special versions of functions, in their place or beside them, and parts, which are none.
func TestVersionsOfFunctions(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "versions.c"), filepath.Join(dir, "versions")
	if err := os.WriteFile(source, []byte(`
__asm__(".text\n"
	"one.constprop.0.isra.1: .type one.constprop.0.isra.1, @function\n nop\n"
	"both: .type both, @function\n nop\n"
	"both.isra.0: .type both.isra.0, @function\n nop\n"
	"both.cold: .type both.cold, @function\n nop\n"
	"two.constprop.0: .type two.constprop.0, @function\n nop\n"
	"two.constprop.1: .type two.constprop.1, @function\n nop\n"
	"_ZN2ns4workEi.isra.0: .type _ZN2ns4workEi.isra.0, @function\n nop\n"
	"_ZN2ns4workEi.cold: .type _ZN2ns4workEi.cold, @function\n ret\n");
int main(void) { return 0; }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, symbol := range map[string]string{"one": "one.constprop.0.isra.1", "both": "both", "ns::work": "_ZN2ns4workEi.isra.0", "ns::work(int)": "_ZN2ns4workEi.isra.0"} {
		want, _, err := functionOffset(program, symbol)
		if err != nil {
			t.Fatal(err)
		}
		got, versions, err := functionOffset(program, name)
		if err != nil || got != want {
			t.Errorf("%s: %#x, %v; want %#x of %s", name, got, err, want, symbol)
		}
		if beside := strings.Join(versions, " "); (beside == "both.isra.0") != (name == "both") {
			t.Errorf("beside %s there is %q", name, beside)
		}
	}
	want := "several functions are named two, choose one by its symbol: calls:two.constprop.0 is two, calls:two.constprop.1 is two"
	if _, _, err := functionOffset(program, "two"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("two: %v; want %q", err, want)
	}
}
