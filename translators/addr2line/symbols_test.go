package addr2line

import (
	"debug/elf"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/funcname"
)

func hexa(n uint64) string { return strconv.FormatUint(n, 16) }

// functionAt returns the function of one address that has one frame, no file.
func functionAt(t *testing.T, object string, vaddr uint64) string {
	t.Helper()
	f := translate(t, object, []uint64{vaddr})[0]
	if len(f) != 1 || f[0].File != "" || f[0].Line != 0 {
		t.Errorf("%s 0x%x: %v, want a function alone", object, vaddr, f)
	}
	return f[0].Func
}

// symbolsOf returns the addresses of an object's symbols by name.
func symbolsOf(t *testing.T, object string) map[string]elf.Symbol {
	t.Helper()
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]elf.Symbol{}
	for _, s := range all {
		byName[s.Name] = s
	}
	return byName
}

// Without debug information there are functions, by the full symbol table.
func TestSymbols(t *testing.T) {
	for _, flags := range []string{"-O1", "-O1 -no-pie", "-O1 -static", "-O1 -static-pie"} {
		program := build(t, "names.cc", flags)
		for raw, want := range map[string]string{
			"main":                                   "main",
			"_ZN5outer2v27Counter3addEi":             "outer::v2::Counter::add",
			"_Z7largestIiET_RKSt6vectorIS0_SaIS0_EE": "largest<int>",
		} {
			s := symbolsOf(t, program)[raw]
			if s.Size == 0 {
				t.Fatalf("%s: no symbol %s", flags, raw)
			}
			for _, vaddr := range []uint64{s.Value, s.Value + s.Size - 1} {
				if got := functionAt(t, program, vaddr); got != want {
					t.Errorf("%s: 0x%x is %q, want %q", flags, vaddr, got, want)
				}
			}
		}
	}
}

// Of a stripped library its exported functions are known, and no function is
// stretched over those that are not, which go by their address.
func TestDynamicSymbols(t *testing.T) {
	library := build(t, "chain.c", "-O0 -shared -fPIC")
	symbols := symbolsOf(t, library)
	command(t, "", "strip", library)
	unnamed := func(name string) string { return filepath.Base(library) + "+0x" + hexa(symbols[name].Value) }
	for name, want := range map[string]string{"main": "main", "text": "text", "mix": unnamed("mix"), "nested": unnamed("nested")} {
		s := symbols[name]
		if got := functionAt(t, library, s.Value+s.Size/2); got != want {
			t.Errorf("%s in a stripped library is %q, want %q", name, got, want)
		}
	}
}

// Of a stripped program each function goes by its address, wherever in it the
// instruction is; between functions there is none.
func TestStripped(t *testing.T) {
	for _, flags := range []string{"-O1", "-O1 -no-pie", "-O2 -static", "-O1 -static-pie", "-O1 -fno-plt -g"} {
		program := build(t, "names.cc", flags)
		symbols := symbolsOf(t, program)
		stripped := filepath.Join(t.TempDir(), "bare name")
		command(t, "", "strip", "-o", stripped, program)
		for _, raw := range []string{"main", "_ZN5outer2v27Counter3addEi", "_Z7largestIiET_RKSt6vectorIS0_SaIS0_EE"} {
			s := symbols[raw]
			if s.Size == 0 {
				t.Fatalf("%s: no symbol %s", flags, raw)
			}
			want := "bare name+0x" + hexa(s.Value)
			for _, vaddr := range []uint64{s.Value, s.Value + s.Size/2, s.Value + s.Size - 1} {
				if got := functionAt(t, stripped, vaddr); got != want {
					t.Errorf("%s: 0x%x is %q, want %q", flags, vaddr, got, want)
				}
			}
		}
	}
	// This assembly has no unwind data.
	program := build(t, "asm.S", "-static")
	entry := symbolsOf(t, program)["main"].Value
	command(t, "", "strip", "-R", ".eh_frame", program)
	if got := functionAt(t, program, entry); got != "" {
		t.Errorf("without .eh_frame 0x%x is %q", entry, got)
	}
}

// Fedora leaves the full symbol table in stripped objects, packed.
func TestMiniDebugInfo(t *testing.T) {
	library := build(t, "chain.c", "-O0 -shared -fPIC")
	mix := symbolsOf(t, library)["mix"]
	mini := filepath.Join(t.TempDir(), "mini")
	command(t, "", "objcopy", "--only-keep-debug", library, mini)
	command(t, "", "xz", mini)
	command(t, "", "strip", library)
	command(t, "", "objcopy", "--add-section=.gnu_debugdata="+mini+".xz", library)
	if got := functionAt(t, library, mix.Value); got != "mix" {
		t.Errorf("mix is %q", got)
	}
}

func TestAssembly(t *testing.T) {
	program := build(t, "asm.S", "")
	symbols := symbolsOf(t, program)
	at := func(name string, offset uint64) uint64 { return symbols[name].Value + offset }
	for _, c := range []struct {
		vaddr uint64
		want  string
	}{
		{at("sized", 0), "sized"},
		{at("sized", 3), "sized"},
		{at("sized", 4), ""}, // behind its end
		{at("unsized", 0), "unsized"},
		{at("unsized", 4), "unsized"},
		{at("untyped", 0), "untyped"},
		{at("untyped", 4), "untyped"},
		{at("main", 1), "main"},
	} {
		got := functionAt(t, program, c.vaddr)
		// A function of no size reaches to the next function; labels in it are
		// rather its own.
		if c.want == "untyped" && got == "unsized" {
			continue
		}
		if got != c.want {
			t.Errorf("0x%x is %q, want %q", c.vaddr, got, c.want)
		}
	}
	withLines := build(t, "asm.S", "-g")
	f := translate(t, withLines, []uint64{symbolsOf(t, withLines)["sized"].Value + 3})[0]
	if len(f) != 1 || f[0].Func != "sized" || !strings.HasSuffix(f[0].File, "/asm.S") || f[0].Line != 8 {
		t.Errorf("sized+3 is %v, want asm.S:8", f)
	}
}

// The stubs of the procedure linkage table, of every shape, have the names that
// objdump gives them.
func TestStubs(t *testing.T) {
	objects := []string{"/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/gdb", "/usr/bin/objdump"}
	for _, flags := range []string{
		"-O1", "-O1 -no-pie", "-O1 -Wl,-z,lazy", "-O1 -Wl,-z,now",
		"-O1 -fcf-protection -Wl,-z,ibtplt", "-O1 -fcf-protection -Wl,-z,ibtplt,-z,now",
		"-O1 -no-pie -Wl,-z,lazy -fcf-protection -Wl,-z,ibtplt",
	} {
		objects = append(objects, build(t, "names.cc", flags))
	}
	for _, object := range objects {
		checkStubs(t, object)
	}
}

var stubLine = regexp.MustCompile(`(?m)^([0-9a-f]+) <(?:\*ABS\*\+0x([0-9a-f]+)|(.*))@plt>:$`)

func checkStubs(t *testing.T, object string) {
	t.Helper()
	indirect := map[string]uint64{}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dynamic, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range dynamic {
		if elf.ST_TYPE(s.Info) == elf.STT_GNU_IFUNC {
			indirect[s.Name] = s.Value
		}
	}
	stubs := stubLine.FindAllStringSubmatch(command(t, "", "objdump", "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", object), -1)
	if len(stubs) < 10 {
		t.Errorf("%s: objdump knows %d stubs only", object, len(stubs))
	}
	var vaddrs []uint64
	for _, m := range stubs {
		vaddr, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		vaddrs = append(vaddrs, vaddr+5)
	}
	for i, f := range translate(t, object, vaddrs) {
		got, isStub := strings.CutSuffix(f[0].Func, "@plt")
		name, _, _ := strings.Cut(stubs[i][3], "@")
		ok := isStub && len(f) == 1
		if chooser, err := strconv.ParseUint(stubs[i][2], 16, 64); err == nil {
			// An indirect function of the object's own: objdump has no name.
			ok = ok && (indirect[got] == chooser || indirect[got] == 0)
		} else {
			ok = ok && got == funcname.Demangle(name)
		}
		if !ok {
			t.Errorf("%s 0x%x: %v, want %s", object, vaddrs[i], f, stubs[i][0])
		}
	}
}
