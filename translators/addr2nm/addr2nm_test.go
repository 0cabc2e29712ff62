package addr2nm

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const source = `
#include <stdio.h>
namespace deep { __attribute__((noinline)) int twice(int x) { return printf("%d", x * 2); } }
static __attribute__((noinline)) int thrice(int x) { return printf("%d", x * 3); }
int table[3] = {1, 2, 3};
extern "C" __attribute__((noinline)) int shown(int x) { return thrice(x) + table[x % 3]; }
extern "C" int also_shown(int x) __attribute__((alias("shown")));
extern "C" int __hidden_name(int x) __attribute__((alias("shown")));
int main(int argc, char **argv) { return deep::twice(argc) + shown(argc); }
`

// program compiles the test program and returns its path.
func program(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.cc"), source)
	path := filepath.Join(dir, "program")
	command(t, append([]string{"g++", "-O1", "-o", path, filepath.Join(dir, "a.cc")}, flags...)...)
	return path
}

func command(t *testing.T, argv ...string) {
	t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v: %s", argv, err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// symbols returns the addresses of the functions and data of an object.
func symbols(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]uint64{}
	for _, s := range all {
		m[s.Name] = s.Value
	}
	return m
}

// ask runs pct-addr2nm over requests.
func ask(in string, args ...string) (out, errs string, status int) {
	var stdout, stderr bytes.Buffer
	status = Run(args, strings.NewReader(in), &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

func request(object string, vaddr uint64) string { return fmt.Sprintf("%s\t0x%x\n", object, vaddr) }

// requests asks for the beginning and the second byte of functions.
func requests(object string, vaddrs ...uint64) string {
	var b strings.Builder
	for _, v := range vaddrs {
		b.WriteString(request(object, v) + request(object, v+1))
	}
	return b.String()
}

func twice(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString(strings.Repeat(n+"|?|?\n", 2))
	}
	return b.String()
}

func TestFunctions(t *testing.T) {
	path, dir := program(t), t.TempDir()
	s := symbols(t, path)
	in := requests(path, s["main"], s["_ZN4deep5twiceEi"], s["_ZL6thricei"], s["shown"], s["table"], 0, 1<<40)
	want := twice("main", "deep::twice", "thrice", "also_shown", "?", "?", "?")
	for _, cache := range []string{"none", dir, dir} {
		if out, errs, status := ask(in, "-cache", cache); out != want || errs != "" || status != 0 {
			t.Errorf("cache %s: status %d, %q\n%swant\n%s", cache, status, errs, out, want)
		}
	}
}

// What is left of a stripped library are its dynamic symbols.
func TestStripped(t *testing.T) {
	path := program(t, "-shared", "-fPIC")
	s := symbols(t, path)
	command(t, "strip", path)
	in := requests(path, s["shown"], s["_ZN4deep5twiceEi"])
	if out, errs, status := ask(in, "-cache", "none"); out != twice("also_shown", "deep::twice") || errs != "" || status != 0 {
		t.Errorf("status %d, %q, %s", status, errs, out)
	}
	path = program(t, "-s", "-static")
	if out, errs, status := ask(requests(path, s["shown"]), "-cache", "none"); out != twice("?") || errs != "" || status != 0 {
		t.Errorf("without symbols: status %d, %q, %s", status, errs, out)
	}
}

// An object that is no ELF file, but nm reads it.
func TestAnotherFormat(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a.o"), filepath.Join(dir, "a.obj")
	write(t, filepath.Join(dir, "a.c"), "int zero(void) { return 0; }\nint one(int x) { return x + 1; }\n")
	command(t, "gcc", "-O1", "-c", "-fno-asynchronous-unwind-tables", "-o", from, filepath.Join(dir, "a.c"))
	command(t, "objcopy", "-O", "pe-x86-64", from, to)
	if f, err := elf.Open(to); err == nil {
		f.Close()
		t.Fatal("it is an ELF file")
	}
	one := symbols(t, from)["one"]
	out, errs, status := ask(requests(to, 0, one), "-cache", "none")
	if out != twice("zero", "one") || errs != "" || status != 0 {
		t.Errorf("status %d, %q, %s", status, errs, out)
	}
	// Its build can't be told.
	out, errs, status = ask(strings.TrimSuffix(request(to, one), "\n")+"\tc0ffee\n", "-cache", "none")
	if out != "?|?|?\n" || !strings.Contains(errs, "bad magic number") || status != 0 {
		t.Errorf("of a build: status %d, %q, %s", status, errs, out)
	}
}

func TestObjectsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	write(t, text, "no object file at all\n")
	path := program(t, "-Wl,--build-id=sha1")
	main := symbols(t, path)["main"]
	in := requests(text, 1) + requests(filepath.Join(dir, "nothing"), 1) + requests(dir, 1) + requests("/dev/zero", 1) + requests("[vdso]", 1) +
		strings.TrimSuffix(request(path, main), "\n") + "\tc0ffee\n" + request(path, main)
	out, errs, status := ask(in, "-cache", "none")
	if want := strings.Repeat("?|?|?\n", 11) + "main|?|?\n"; out != want || status != 0 {
		t.Errorf("status %d, answers %q", status, out)
	}
	for _, why := range []string{"file format not recognized", "no such file", dir + ": not an object file", "/dev/zero: not an object file", "another build than was profiled"} {
		if strings.Count(errs, why) != 1 {
			t.Errorf("complaints %q, want one with %q", errs, why)
		}
	}
	if n := strings.Count(errs, "\n"); n != 5 {
		t.Errorf("%d complaints: %q", n, errs)
	}
}

// countingNm returns an nm that counts how often it is called.
func countingNm(t *testing.T) (path string, calls func() int) {
	t.Helper()
	dir := t.TempDir()
	path, count := filepath.Join(dir, "nm"), filepath.Join(dir, "count")
	write(t, path, "#!/bin/sh\necho x >>"+count+"\nexec nm \"$@\"\n")
	return path, func() int {
		b, err := os.ReadFile(count)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return bytes.Count(b, []byte("\n"))
	}
}

// entry returns the one file of a cache.
func entry(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files in the cache, error %v", len(files), err)
	}
	return filepath.Join(dir, files[0].Name())
}

// A table is made once, and again when anything is wrong with it.
func TestCache(t *testing.T) {
	nm, calls := countingNm(t)
	path, dir := program(t), filepath.Join(t.TempDir(), "made", "by us")
	main := symbols(t, path)["main"]
	made := 0
	look := func(what string, anew bool) {
		t.Helper()
		out, errs, status := ask(requests(path, main), "-nm", nm, "-cache", dir)
		if out != twice("main") || errs != "" || status != 0 {
			t.Errorf("%s: status %d, %q, %q", what, status, errs, out)
		}
		if anew {
			made++
		}
		if n := calls(); n != made {
			t.Errorf("%s: %d calls of nm, want %d", what, n, made)
		}
	}
	look("at first", true)
	look("again", false)
	if st, err := os.Stat(entry(t, dir)); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, error %v", st, err)
	}
	whole, err := os.ReadFile(entry(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"cut in the middle": whole[:len(whole)/2],
		"empty":             nil,
		"without an end":    bytes.TrimSuffix(whole, []byte("\n")),
		"a bit flipped":     bytes.Replace(whole, []byte("main"), []byte("mbin"), 1),
		"another version":   append([]byte("pct-nm 2"), whole[8:]...),
		"no table":          bytes.Repeat([]byte("end\n"), 100),
	} {
		if err := os.WriteFile(entry(t, dir), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		look(name, true)
		look(name+", then mended", false)
	}
	if err := os.Chmod(entry(t, dir), 0o666); err != nil {
		t.Fatal(err)
	}
	look("writable by others", true)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(entry(t, dir), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, key{path: path}.file())); err != nil {
		t.Fatal(err)
	}
	look("a link", true)
	if st, err := os.Lstat(entry(t, dir)); err != nil || !st.Mode().IsRegular() {
		t.Errorf("the link was not replaced: %v, error %v", st, err)
	}
	// The program is built again: another table, in the same place.
	command(t, "touch", "-d", "2001-01-01", path)
	look("another time", true)
	command(t, "strip", "-K", "main", path)
	command(t, "touch", "-d", "2001-01-01", path)
	look("another size", true)
	entry(t, dir)
}

// A directory that others may have a hand in is not used; the answers are the same.
func TestHostileCache(t *testing.T) {
	path, base := program(t), t.TempDir()
	main := symbols(t, path)["main"]
	open, link, file := filepath.Join(base, "open"), filepath.Join(base, "link"), filepath.Join(base, "file")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o1777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	write(t, file, "")
	for dir, why := range map[string]string{
		open: "can be written by others", link: "symbolic links are not followed", file: "not a directory",
		"/proc/self/fdinfo/none": "no such file", "/dev/full/cache": "not a directory",
	} {
		out, errs, status := ask(requests(path, main), "-cache", dir)
		if out != twice("main") || status != 0 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, why) {
			t.Errorf("%s: status %d, %q, complaints %q, want %q", dir, status, out, errs, why)
		}
	}
	for _, dir := range []string{open, link} {
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%d files in %s, error %v", len(files), dir, err)
		}
	}
}

// The user's own directory.
func TestDefaultCache(t *testing.T) {
	path, home := program(t), t.TempDir()
	in := requests(path, symbols(t, path)["main"])
	for _, c := range []struct{ home, xdg, want string }{
		{home, "", filepath.Join(home, ".cache", "pct")},
		{home, filepath.Join(home, "xdg"), filepath.Join(home, "xdg", "pct")},
		{"", "", ""},
	} {
		t.Setenv("PCT_CACHE", "")
		t.Setenv("HOME", c.home)
		t.Setenv("XDG_CACHE_HOME", c.xdg)
		out, errs, status := ask(in)
		if out != twice("main") || status != 0 || (errs == "") != (c.want != "") {
			t.Errorf("%+v: status %d, %q, complaints %q", c, status, out, errs)
		}
		if c.want != "" {
			entry(t, c.want)
		}
	}
}

// Many at once make and read the same tables.
func TestConcurrentRuns(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "pct-addr2nm")
	command(t, "go", "build", "-o", bin, "../../tools")
	path, dir := program(t), t.TempDir()
	in := requests(path, symbols(t, path)["main"])
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			cmd := exec.Command(bin, "-cache", dir)
			cmd.Stdin = strings.NewReader(in)
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != twice("main") {
				t.Errorf("%q, error %v", out, err)
			}
		})
	}
	wg.Wait()
	entry(t, dir)
}

// An nm that fails is an error that carries what it said, not a wrong report.
func TestNmThatFails(t *testing.T) {
	path := program(t)
	in := requests(path, symbols(t, path)["main"])
	for name, c := range map[string]struct{ text, why string }{
		"is killed":        {"nm \"$@\" | head -3; echo out of luck >&2; kill -9 $$", "out of luck: signal: killed"},
		"hangs":            {"echo thinking >&2; exec sleep 1000", "thinking: it takes longer than 500ms"},
		"trickles":         {"while :; do echo 0000000000001000 T f; done", "it takes longer than 500ms"},
		"says what's else": {"echo Segmentation fault", `it says "Segmentation fault"`},
		"has no end":       {"tr '\\0' x </dev/zero", "a line of more than 16 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			nm := filepath.Join(t.TempDir(), "nm")
			write(t, nm, "#!/bin/sh\n"+c.text+"\n")
			timeout := "30s"
			if strings.HasPrefix(c.text, "echo thinking") || strings.HasPrefix(c.text, "while") {
				timeout = "500ms"
			}
			out, errs, status := ask(in, "-nm", nm, "-cache", t.TempDir(), "-timeout", timeout)
			if out != "" || status != 1 || !strings.Contains(errs, path+": nm: ") || !strings.Contains(errs, c.why) {
				t.Errorf("status %d, %q, complaints %q, want %q", status, out, errs, c.why)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args      []string
		status    int
		out, errs string
	}{
		{[]string{"-h"}, 0, "example:", ""},
		{[]string{"-nonsense"}, 2, "", "flag provided but not defined: -nonsense"},
		{[]string{"/bin/ls"}, 2, "", `unknown argument "/bin/ls"`},
		{[]string{"-timeout", "soon"}, 2, "", "invalid value"},
		{[]string{"-nm", "/nonexistent/nm"}, 1, "", "/nonexistent/nm: no such file"},
		{[]string{"--cache", "none"}, 0, "", ""},
	} {
		out, errs, status := ask("", c.args...)
		if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) || (c.errs == "") != (errs == "") {
			t.Errorf("%q: status %d, said %q, %q", c.args, status, out, errs)
		}
	}
}
