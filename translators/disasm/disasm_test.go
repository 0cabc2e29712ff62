package disasm

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const source = `
#include <stdio.h>
int table[3] = {1, 2, 3};
static __attribute__((noinline)) int thrice(int x) { return printf("%d", x * 3) + table[x % 3]; }
__attribute__((noinline)) int loop(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= thrice(i); return s; }
int main(int argc, char **argv) { return loop(argc) + loop(argc * 7); }
`

func program(t testing.TB, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.c"), source)
	path := filepath.Join(dir, "program")
	command(t, append([]string{"gcc", "-O1", "-o", path, filepath.Join(dir, "a.c")}, flags...)...)
	return path
}

func command(t testing.TB, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatalf("%q: %v", argv, err)
	}
	return string(out)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func ask(in string, args ...string) (out, errs string, status int) {
	var stdout, stderr bytes.Buffer
	status = Run(args, strings.NewReader(in), &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

func request(object string, vaddr uint64) string { return fmt.Sprintf("%s\t0x%x\n", object, vaddr) }

// A line is an instruction as objdump lists it.
type line struct {
	addr       uint64
	text       string
	function   string // "" none
	start, end uint64 // of the function; of the instruction
}

var heading = regexp.MustCompile(`^([0-9a-f]+) <(.*)>:$`)

// listing returns what objdump says of all code of an object with symbols.
func listing(t *testing.T, path string) []line {
	t.Helper()
	var all []line
	function, start := "", uint64(0)
	for text := range strings.Lines(command(t, "objdump", "-dw", "-z", "--no-show-raw-insn", path)) {
		text = strings.TrimSuffix(text, "\n")
		if m := heading.FindStringSubmatch(text); m != nil {
			start, _ = strconv.ParseUint(m[1], 16, 64)
			function = m[2]
			continue
		}
		addr, in, ok := parse(text)
		if !ok {
			continue
		}
		if n := len(all); n > 0 {
			all[n-1].end = addr
		}
		all = append(all, line{addr: addr, text: in, function: function, start: start})
	}
	return all
}

var (
	comment = regexp.MustCompile(` #.*$`)
	branch  = regexp.MustCompile(`^((?:[a-z0-9]+ )*(?:j[a-z]+|call|xbegin|loop[a-z]*)) [^*].*$`)
)

// plain takes addresses and names off the end of an instruction: those are ours.
func plain(text string) string {
	return branch.ReplaceAllString(comment.ReplaceAllString(text, ""), "$1")
}

// Every instruction of a program's own code is the one that objdump lists, from
// whichever of its bytes it is asked for.
func TestInstructions(t *testing.T) {
	for _, flags := range [][]string{nil, {"-no-pie"}, {"-static", "-g"}} {
		t.Run(fmt.Sprint(flags), func(t *testing.T) {
			path := program(t, flags...)
			f, err := elf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			symbols, err := f.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			// Between functions there is padding, of which we know no beginning.
			within := func(low, high uint64) bool {
				return slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
					return elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value <= low && high <= s.Value+s.Size
				})
			}
			var asked []line
			var in strings.Builder
			for _, l := range listing(t, path) {
				if l.end > l.addr && rand.IntN(1+len(asked)/500) == 0 && within(l.addr, l.end) {
					asked = append(asked, l)
				}
			}
			rand.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
			for _, l := range asked {
				in.WriteString(request(path, l.addr+rand.Uint64N(l.end-l.addr)))
			}
			out, errs, status := ask(in.String())
			if errs != "" || status != 0 {
				t.Fatalf("status %d, %s", status, errs)
			}
			answers := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if len(answers) != len(asked) || len(asked) < 20 {
				t.Fatalf("%d answers for %d addresses", len(answers), len(asked))
			}
			for i, l := range asked {
				instruction, _, ok := strings.Cut(answers[i], "|?|?\t")
				_, text, _ := strings.Cut(instruction, ": ")
				if !ok || plain(text) != plain(l.text) {
					t.Errorf("0x%x: %q, want %q in %s", l.addr, answers[i], l.text, l.function)
				}
			}
		})
	}
}

// Answers in full, of a program with symbols and of the same without.
func TestNames(t *testing.T) {
	path := program(t)
	call := func(t *testing.T, path string, l line) string {
		out, errs, status := ask(request(path, l.addr) + request(path, l.addr+1))
		if errs != "" || status != 0 {
			t.Fatalf("status %d, %s", status, errs)
		}
		first, second, _ := strings.Cut(strings.TrimSuffix(out, "\n"), "\n")
		if first != second {
			t.Errorf("%q and, a byte on, %q", first, second)
		}
		return first
	}
	find := func(function, pattern string) line {
		i := slices.IndexFunc(listing(t, path), func(l line) bool {
			return l.function == function && regexp.MustCompile(pattern).MatchString(l.text)
		})
		if i < 0 {
			t.Fatalf("no %s in %s", pattern, function)
		}
		return listing(t, path)[i]
	}
	thrice, jump, entry := find("loop", "^call"), find("loop", "^jne"), find("loop", ".")
	table := find("thrice", `lea.*<table>`)
	stripped := filepath.Join(filepath.Dir(path), "stripped")
	command(t, "strip", "-o", stripped, path)
	target, err := strconv.ParseUint(strings.Fields(jump.text)[1], 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	callee, err := strconv.ParseUint(strings.Fields(thrice.text)[1], 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		line line
		want string
	}{
		{path, entry, fmt.Sprintf("loop: %s|?|?\tloop|?|?", entry.text)},
		{path, thrice, fmt.Sprintf("loop+0x%x: call thrice|?|?\tloop|?|?", thrice.addr-thrice.start)},
		{path, jump, fmt.Sprintf("loop+0x%x: jne loop+0x%x|?|?\tloop|?|?", jump.addr-jump.start, target-jump.start)},
		{stripped, thrice, fmt.Sprintf("stripped+0x%x: call 0x%x|?|?\tstripped+0x%x|?|?", thrice.addr, callee, thrice.start)},
		{stripped, jump, fmt.Sprintf("stripped+0x%x: jne 0x%x|?|?\tstripped+0x%x|?|?", jump.addr, target, jump.start)},
	} {
		if got := call(t, c.path, c.line); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := call(t, path, table); !regexp.MustCompile(`^thrice\+0x[0-9a-f]+: lea 0x[0-9a-f]+\(%rip\),%r[a-z]+ # 0x[0-9a-f]+\|`).MatchString(got) {
		t.Errorf("%q", got)
	}
	out, errs, status := ask(request(path, entry.addr)+request(path, thrice.addr), "-M", "intel")
	if want := fmt.Sprintf("loop+0x%x: call thrice|", thrice.addr-thrice.start); status != 0 || errs != "" || !strings.Contains(out, want) || strings.Contains(out, "%") {
		t.Errorf("intel: status %d, %q, %q", status, errs, out)
	}
}

// Real, stripped programs: each address has an instruction of a function.
func TestStrippedProgram(t *testing.T) {
	f, err := elf.Open("/bin/gzip")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".text")
	var in strings.Builder
	const n = 5000
	for range n {
		in.WriteString(request("/bin/gzip", s.Addr+rand.Uint64N(s.Size)))
	}
	out, errs, status := ask(in.String())
	if status != 0 || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	good := regexp.MustCompile(`(?m)^gzip\+0x[0-9a-f]+: [a-z][^\t]*\|\?\|\?\tgzip\+0x[0-9a-f]+\|\?\|\?$`)
	if got := len(good.FindAllString(out, -1)); got < n*95/100 || strings.Count(out, "\n") != n {
		t.Errorf("%d of %d answers have an instruction and a function", got, n)
	}
}

func TestObjectsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	write(t, text, "no object file at all\n")
	path := program(t, "-Wl,--build-id=sha1")
	main := listing(t, path)[0].addr
	in := request(text, 1) + request(filepath.Join(dir, "nothing"), 1) + request(dir, 1) + request("[anon]", 1) +
		strings.TrimSuffix(request(path, main), "\n") + "\tc0ffee\n" + request(path, 0) + request(path, 1<<40) + request(path, 1<<64-1)
	out, errs, status := ask(in)
	if out != strings.Repeat("?|?|?\n", 8) || status != 0 {
		t.Errorf("status %d, answers %q", status, out)
	}
	for _, why := range []string{"bad magic number", "no such file", "not an object file", "another build than was profiled"} {
		if strings.Count(errs, why) != 1 {
			t.Errorf("complaints %q, want one with %q", errs, why)
		}
	}
	if n := strings.Count(errs, "\n"); n != 4 {
		t.Errorf("%d complaints: %q", n, errs)
	}
}

// An objdump that fails is an error that carries what it said.
func TestObjdumpThatFails(t *testing.T) {
	path := program(t)
	in := request(path, listing(t, path)[0].addr)
	for name, c := range map[string]struct{ text, timeout, why string }{
		"dies":          {"echo out of luck >&2; exit 3", "", "exit status 3; it says: out of luck"},
		"is killed":     {"objdump \"$@\" | head -8; kill -9 $$", "", "signal: killed"},
		"hangs":         {"echo thinking >&2; exec sleep 1000", "300ms", "no output for 300ms; it says: thinking"},
		"is short":      {"exit 0", "", "0 instructions in 1 pieces of code"},
		"has no end":    {"tr '\\0' x </dev/zero", "", "a line of more than 16 MB"},
		"says garbage":  {"echo Segmentation fault", "", "0 instructions in 1 pieces of code"},
		"is no objdump": {"exec cat", "", "0 instructions in 1 pieces of code"},
	} {
		t.Run(name, func(t *testing.T) {
			objdump := filepath.Join(t.TempDir(), "objdump")
			write(t, objdump, "#!/bin/sh\n"+c.text+"\n")
			out, errs, status := ask(in, "-objdump", objdump, "-timeout", cmp.Or(c.timeout, "30s"))
			if out != "" || status != 1 || !strings.Contains(errs, path+": objdump: ") || !strings.Contains(errs, c.why) {
				t.Errorf("status %d, %q, complaints %q, want %q", status, out, errs, c.why)
			}
		})
	}
}

// Nothing is left in the directory for temporary files, and one that is missing is
// said.
func TestTemporaryFiles(t *testing.T) {
	path, dir := program(t), t.TempDir()
	t.Setenv("TMPDIR", dir)
	in := request(path, listing(t, path)[0].addr)
	if out, errs, status := ask(in); status != 0 || errs != "" || !strings.HasSuffix(out, "|?|?\n") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%d files left, error %v", len(files), err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "nothing"))
	if out, errs, status := ask(in); status != 1 || out != "" || !strings.Contains(errs, "no such file") {
		t.Errorf("status %d, %q, %q", status, out, errs)
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
		{[]string{"-objdump", "/nonexistent/objdump"}, 1, "", "/nonexistent/objdump: no such file"},
	} {
		out, errs, status := ask("", c.args...)
		if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) || (c.errs == "") != (errs == "") {
			t.Errorf("%q: status %d, said %q, %q", c.args, status, out, errs)
		}
	}
}
