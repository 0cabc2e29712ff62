package unwind

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// objectNamed returns the object whose path has a base name.
func objectNamed(t testing.TB, u *Unwinder, base string) *Object {
	t.Helper()
	for _, o := range u.Objects() {
		if filepath.Base(o.Path) == base {
			return o
		}
	}
	t.Fatalf("no object %s", base)
	return nil
}

func TestObjects(t *testing.T) {
	for _, flags := range []string{"-pie", "-no-pie", "-static"} {
		t.Run(flags, func(t *testing.T) {
			prog := build(t, "deep.c", "-O2", "-Wl,--build-id=0x0123456789abcdef", flags)
			p := trace(t, prog, "1")
			p.runTo()
			u := newUnwinder(t, p.pid)
			o := objectNamed(t, u, filepath.Base(prog))
			if o.Path != prog || o.Kind != File || o.BuildID != "0123456789abcdef" {
				t.Errorf("object %+v", *o)
			}
			if (o.Bias == 0) == (flags == "-pie") {
				t.Errorf("bias %#x", o.Bias)
			}
			if p.regs.Rip < o.Start || p.regs.Rip >= o.End || o.Start%4096 != 0 || o.End%4096 != 0 {
				t.Errorf("object at [%#x, %#x), pc %#x", o.Start, o.End, p.regs.Rip)
			}
			// The bias is right if the file's code is the memory's.
			f, err := elf.Open(prog)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			text := f.Section(".text")
			want, err := text.Data()
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(want))
			if n := ProcessMemory(p.pid).ReadAt(got, text.Addr+o.Bias); n != len(got) || !bytes.Equal(got, want) {
				t.Errorf("at the bias there is other code")
			}

			vdso := objectNamed(t, u, "[vdso]")
			if vdso.Kind != VDSO || vdso.BuildID == "" {
				t.Errorf("vdso is %+v", *vdso)
			}
			if fs := u.Functions(func(n string) bool { return n == "__vdso_clock_gettime" }); len(fs) != 1 || fs[0].Object != vdso {
				t.Errorf("__vdso_clock_gettime: %v", fs)
			}
			if err := u.Refresh(); err != nil {
				t.Fatal(err)
			}
			if again := objectNamed(t, u, filepath.Base(prog)); again != o {
				t.Error("Refresh made another object of the same mapping")
			}
		})
	}
}

func TestSymbols(t *testing.T) {
	prog := build(t, "symbols.S", "-no-pie")
	p := trace(t, prog)
	u := newUnwinder(t, p.pid)
	o := objectNamed(t, u, filepath.Base(prog))
	text, err := exec.Command("nm", "-S", prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 3 {
			var a uint64
			fmt.Sscanf(f[0], "%x", &a)
			at[f[len(f)-1]] = a
		}
	}
	tests := []struct {
		addr uint64
		want string
		at   string
	}{
		{at["main"], "main", "main"},
		{at["unsized"], "unsized", "unsized"},
		{at["unsized"] + 15, "unsized", "unsized"},
		{at["local"] + 7, "local", "local"},
		{at["local"] + 8, "", ""},
		{at["weak_name"], "weak_name", "weak_name"},
		{at["inside"], "inside", "inside"},
		{at["inside"] + 4, "weak_name", "weak_name"},
		{at["weak_name"] + 23, "weak_name", "weak_name"},
		{at["sized"], "sized", "sized"},
		{at["resolver"], "resolver", "resolver"},
		{at["label"], "", ""},
		{at["data"], "", ""},
	}
	for _, tt := range tests {
		name, start := u.Symbol(Frame{PC: tt.addr, Object: o, Exact: true})
		if name != tt.want || start != at[tt.at] {
			t.Errorf("%#x: %q at %#x, want %q at %#x", tt.addr, name, start, tt.want, at[tt.at])
		}
		// A return address belongs to the instruction before it.
		if again, _ := u.Symbol(Frame{PC: tt.addr + 1, Object: o}); again != name {
			t.Errorf("return address %#x: %q, want %q", tt.addr+1, again, name)
		}
	}
	var got []string
	for _, f := range u.Functions(func(n string) bool { return strings.HasSuffix(n, "name") || n == "resolver" }) {
		if f.Object != o || f.Addr != at[f.Name] {
			t.Errorf("%+v", f)
		}
		got = append(got, fmt.Sprint(f.Name, " ", f.Size))
	}
	slices.Sort(got)
	if want := []string{"__strong_name 24", "resolver 1", "weak_name 24"}; !slices.Equal(got, want) {
		t.Errorf("Functions gives %q, want %q", got, want)
	}
}

// TestLibrarySymbols compares all of libc's functions with nm's.
func TestLibrarySymbols(t *testing.T) {
	p := trace(t, build(t, "deep.c"), "1")
	p.runTo()
	u := newUnwinder(t, p.pid)
	o := objectNamed(t, u, "libc.so.6")
	text, err := exec.Command("nm", "-D", "--defined-only", o.Path).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if kind := f[1]; kind == "T" || kind == "W" || kind == "i" || kind == "t" {
			name, _, _ := strings.Cut(f[2], "@")
			want[f[0]+" "+name] = true
		}
	}
	got := map[string]bool{}
	for _, f := range u.Functions(func(string) bool { return true }) {
		if f.Object == o {
			got[fmt.Sprintf("%016x %s", f.Addr, f.Name)] = true
			name, start := u.Symbol(Frame{PC: f.Addr + o.Bias, Object: o, Exact: true})
			if start != f.Addr || name == "" {
				t.Errorf("%s at %#x: Symbol gives %q at %#x", f.Name, f.Addr, name, start)
			}
		}
	}
	if len(got) < 1000 || !reflect.DeepEqual(got, want) {
		for name := range want {
			if !got[name] {
				t.Errorf("missing: %s", name)
			}
		}
		for name := range got {
			if !want[name] {
				t.Errorf("nm has not: %s", name)
			}
		}
	}
}

// TestDeleted unwinds a program whose file is gone, and one of which only the
// memory can be read.
func TestDeleted(t *testing.T) {
	prog := build(t, "deep.c", "-O2", "-fno-optimize-sibling-calls")
	p := trace(t, prog, "3")
	p.runTo()
	before := newUnwinder(t, p.pid)
	if err := os.Remove(prog); err != nil {
		t.Fatal(err)
	}
	n := len(before.Objects())
	if err := before.Refresh(); err != nil {
		t.Fatal(err)
	}
	if len(before.Objects()) != n {
		t.Error("that its file is deleted makes an object another one")
	}
	u := newUnwinder(t, p.pid)
	fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
	wantPath(t, u, fs, why, Complete, "dive", "dive", "dive", "dive", "main", "*", "*", "_start")
	if fs[0].Object.Path != prog {
		t.Errorf("path %q, want %q", fs[0].Object.Path, prog)
	}

	maps, err := proc.Maps(p.pid)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range maps {
		file := u.objects.find(m.Start)
		if !m.Executable || file == nil || file.Kind != File {
			continue
		}
		img, err := u.objects.mapped(maps, i)
		if err != nil {
			t.Fatal(err)
		}
		if bias, ok := img.elf.Bias(m.Start, m.Offset); !ok || bias != file.Bias || img.buildID != file.BuildID {
			t.Errorf("%s: from memory bias %#x, %s; from the file %#x, %s", m.Path, bias, img.buildID, file.Bias, file.BuildID)
		}
		n = 0
		for a := m.Start; a < m.End; a += 13 {
			want, got := file.image.recipe(a-file.Bias), img.recipe(a-file.Bias)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: recipes for %#x differ", m.Path, a)
			}
			if got != nil {
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s: no recipes", m.Path)
		}
		u.objects.cache.release(img)
	}
}

// descriptors counts the files that this process has open for an object.
func descriptors(t *testing.T, path string) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, fd := range fds {
		if name, _ := os.Readlink("/proc/self/fd/" + fd.Name()); name == path {
			n++
		}
	}
	return n
}

// TestSharedCache uses one Cache in many Unwinders at once.
func TestSharedCache(t *testing.T) {
	prog := build(t, "deep.c", "-O2", "-fno-optimize-sibling-calls")
	p := trace(t, prog, "9")
	p.runTo()
	c := NewCache()
	mem := ProcessMemory(p.pid)
	regs := p.few()
	ref := newUnwinder(t, p.pid)
	want, _ := ref.Unwind(regs, mem, nil)
	pcs := func(fs []Frame) (list []uint64) {
		for _, f := range fs {
			list = append(list, f.PC, f.CFA, f.Vaddr())
		}
		return list
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				u, err := New(p.pid, c)
				if err != nil {
					t.Error(err)
					return
				}
				fs, why := u.Unwind(regs, mem, nil)
				if why != Complete || !slices.Equal(pcs(fs), pcs(want)) {
					t.Errorf("%v\n%s", why, describe(u, fs))
				}
				if name, _ := u.Symbol(fs[0]); name != "dive" {
					t.Errorf("symbol %q", name)
				}
				u.Close()
			}
		})
	}
	wg.Wait()
	ref.Close()
	if n := descriptors(t, prog); n != 0 {
		t.Errorf("%d descriptors are left open", n)
	}
	if n := len(c.images); n == 0 || n > maxIdle || n != len(c.idle) {
		t.Errorf("%d images kept, %d idle", n, len(c.idle))
	}
	// Idle images are used again.
	before := c.images
	u, err := New(p.pid, c)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	o := objectNamed(t, u, filepath.Base(prog))
	if before[o.image.key] != o.image || len(c.idle) != 0 {
		t.Errorf("the image was read again; %d are idle", len(c.idle))
	}
	if fs, why := u.Unwind(regs, mem, nil); why != Complete || !slices.Equal(pcs(fs), pcs(want)) {
		t.Errorf("%v\n%s", why, describe(u, fs))
	}
}

// TestCacheForgets opens more files than are kept.
func TestCacheForgets(t *testing.T) {
	exe, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	c := NewCache()
	for i := range 2 * maxIdle {
		img, err := c.hold(imageKey{inode: uint64(i)}, func() (readCloser, error) {
			return &savedFile{Reader: bytes.NewReader(exe)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c.release(img)
	}
	if len(c.images) != maxIdle || len(c.idle) != maxIdle {
		t.Errorf("%d images, %d idle", len(c.images), len(c.idle))
	}
}

type savedFile struct{ *bytes.Reader }

func (*savedFile) Close() error { return nil }

func TestNoProcess(t *testing.T) {
	p := trace(t, build(t, "deep.c", "-O0"), "1")
	p.runTo() // in the middle of the program: where it begins has no caller to look for
	u := newUnwinder(t, p.pid)
	unix.Kill(p.pid, unix.SIGKILL)
	unix.Wait4(p.pid, nil, 0, nil)
	if err := u.Refresh(); err == nil {
		t.Error("Refresh of a process that is gone succeeded")
	}
	if _, err := New(p.pid, NewCache()); err == nil {
		t.Error("New of a process that is gone succeeded")
	}
	if fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil); len(fs) != 1 || why == Complete {
		t.Errorf("%v, %d frames", why, len(fs))
	}
}

func TestProcessMemory(t *testing.T) {
	p := trace(t, build(t, "deep.c", "-O0"), "1")
	p.runTo()
	maps, err := proc.Maps(p.pid)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(maps, func(m proc.Mapping) bool { return m.Path == "[stack]" })
	end := maps[i].End
	file := &processMemory{pid: p.pid}
	file.file.Store(true)
	for name, mem := range map[string]Memory{"system call": ProcessMemory(p.pid), "file": file} {
		b := make([]byte, 8192)
		for _, tt := range []struct {
			addr uint64
			want int
		}{
			{end - 8192, 8192},
			{end - 8, 8},
			{end - 5000, 5000},
			{end, 0},
			{0, 0},
			{^uint64(0) - 100, 0},
			{1 << 63, 0},
		} {
			if n := mem.ReadAt(b, tt.addr); n != tt.want {
				t.Errorf("%s: %d bytes at %#x, want %d", name, n, tt.addr, tt.want)
			}
		}
		if n := mem.ReadAt(nil, end-8); n != 0 {
			t.Errorf("%s: %d bytes of none", name, n)
		}
	}
}
