package gdbline

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gdbline is the path of pct-gdbline: it starts itself again.
var gdbline string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pct-gdbline")
	status := 1
	if err == nil {
		gdbline = filepath.Join(dir, "pct-gdbline")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", gdbline, "../../tools").CombinedOutput(); err != nil {
			err = fmt.Errorf("%v: %s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		status = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

// ask runs pct-gdbline over requests.
func ask(t *testing.T, requests string, flags ...string) (out, errs string, status int) {
	t.Helper()
	cmd := exec.Command(gdbline, flags...)
	cmd.Stdin = strings.NewReader(requests)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// program compiles the test program; at returns an address of it.
func program(t *testing.T, flags ...string) (path string, at func(symbol string) uint64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "program")
	argv := append([]string{"-o", path, "testdata/chain.c"}, flags...)
	if out, err := exec.Command("gcc", argv...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return path, func(symbol string) uint64 {
		for _, s := range symbols {
			if s.Name == symbol {
				return s.Value
			}
		}
		t.Fatalf("no symbol %s", symbol)
		return 0
	}
}

// script makes an executable shell script to be used for gdb.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gdb.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func request(object string, vaddr uint64) string {
	return object + "\t0x" + strconv.FormatUint(vaddr, 16) + "\n"
}

// innermost returns the address of an instruction of the innermost function, by
// the line table that objdump prints.
func innermost(t *testing.T, object string) uint64 {
	t.Helper()
	out, err := exec.Command("objdump", "--dwarf=decodedline", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[0] == "chain.c" && fields[1] == "5" {
			vaddr, err := strconv.ParseUint(fields[2], 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			return vaddr
		}
	}
	t.Fatal("no code at line 5")
	return 0
}

func TestFrames(t *testing.T) {
	for _, flags := range [][]string{{"-O0", "-gdwarf-5"}, {"-O2", "-gdwarf-4"}, {"-O2", "-g", "-no-pie"}} {
		object, at := program(t, flags...)
		source, err := filepath.Abs("testdata/chain.c")
		if err != nil {
			t.Fatal(err)
		}
		in := request(object, innermost(t, object)) + request(object, at("main"))
		want := strings.ReplaceAll("innermost|FILE|5\tmiddle|FILE|11\toutermost|FILE|16\n", "FILE", source)
		out, errs, status := ask(t, in)
		if status != 0 || errs != "" || !strings.HasPrefix(out, want) || !strings.Contains(out, "\nmain|"+source+"|") {
			t.Errorf("%v: status %d, %q\n%swant\n%smain|…", flags, status, errs, out, want)
		}
	}
}

// A function that is declared within another was not inlined into it.
func TestNestedFunction(t *testing.T) {
	object, at := program(t, "-O0", "-g")
	out, _, _ := ask(t, request(object, at("within.0")))
	if !strings.HasPrefix(out, "within|") || strings.Contains(out, "\t") {
		t.Errorf("answer %q", out)
	}
}

func TestSymbolsAlone(t *testing.T) {
	object, at := program(t, "-O0")
	out, errs, status := ask(t, request(object, at("main"))+request(object, at("main")+3)+request(object, 1<<40))
	if out != "main|?|?\nmain|?|?\n?|?|?\n" || status != 0 {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

// A gdb without Python knows functions and lines, but not what was inlined.
func TestWithoutPython(t *testing.T) {
	object, at := program(t, "-O2", "-g")
	commands := filepath.Join(t.TempDir(), "commands")
	if err := os.WriteFile(commands, []byte("define python\nno-python-here\nend\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	gdb := script(t, "exec gdb -iex 'set confirm off' -ix "+commands+` "$@"`+"\n")
	out, errs, status := ask(t, request(object, innermost(t, object))+request(object, at("main")), "-gdb", gdb)
	lines := strings.Split(out, "\n")
	if status != 0 || errs != "" || len(lines) != 3 ||
		!strings.HasPrefix(lines[0], "outermost|") || !strings.HasSuffix(lines[0], "/testdata/chain.c|5") ||
		!strings.HasPrefix(lines[1], "main|") || !strings.Contains(lines[1], "/testdata/chain.c|") {
		t.Errorf("status %d, %q\n%s", status, errs, out)
	}
}

// Three failures in a row are the end, each within the time given.
func TestGdbThatFails(t *testing.T) {
	object, at := program(t, "-O0", "-g")
	in := strings.Repeat(request(object, at("main")), 5)
	for name, c := range map[string]struct{ text, timeout, why string }{
		"dies":          {"exit 1", "1m", "gdb ended"},
		"is silent":     {"exec sleep 1000", "1s", "no answer for 1s"},
		"says no MI":    {"echo '{ is this MI'; exec sleep 1000", "1m", "syntax error"},
		"says too much": {"head -c 200000 /dev/zero | tr '\\0' x; exec sleep 1000", "1m", "token too long"},
		"dies later":    {`read line; echo "${line%%-*}^done"; read line; exit 3`, "1m", "gdb ended"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, status := ask(t, in, "-gdb", script(t, c.text+"\n"), "-timeout", c.timeout)
			if status != 1 || out != "?|?|?\n?|?|?\n" || strings.Count(errs, c.why) < 3 {
				t.Errorf("status %d, %q, %q; want two answers and %q thrice", status, out, errs, c.why)
			}
		})
	}
}

// After a failure there is another gdb, and the first is gone.
func TestAnotherGdb(t *testing.T) {
	object, at := program(t, "-O0", "-g")
	mark := filepath.Join(t.TempDir(), "pid")
	gdb := script(t, `[ -e "`+mark+`" ] && exec gdb "$@"
echo $$ >"`+mark+`"
trap '' HUP TERM INT PIPE
echo '{ this is no MI'
exec sleep 1000
`)
	out, errs, status := ask(t, strings.Repeat(request(object, at("main")), 3), "-gdb", gdb)
	if !strings.HasPrefix(out, "?|?|?\nmain|") || strings.Count(out, "main|") != 2 || status != 0 || !strings.Contains(errs, "panic: syntax error") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	text, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); syscall.Kill(pid, 0) == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the gdb that was given up is still there")
		}
	}
}

func TestObjectsThatCannotBeRead(t *testing.T) {
	object, at := program(t, "-O0", "-g", "-Wl,--build-id=sha1")
	in := "/nonexistent\t0x1\n/nonexistent\t0x2\n/etc/passwd\t0x1\n[vdso]\t0x1\n" +
		strings.TrimSuffix(request(object, at("main")), "\n") + "\t0123456789\n" + request(object, at("main"))
	out, errs, status := ask(t, in)
	if status != 0 || !strings.HasPrefix(out, strings.Repeat("?|?|?\n", 5)+"main|") {
		t.Errorf("status %d, answers %q", status, out)
	}
	for _, why := range []string{"/nonexistent: no such file", "bad magic number", "another build than was profiled"} {
		if strings.Count(errs, why) != 1 {
			t.Errorf("complaints %q, want one with %q", errs, why)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		out    string
		errs   string
	}{
		{[]string{"-h"}, 0, "example:", ""},
		{[]string{"-nonsense"}, 2, "", "flag provided but not defined: -nonsense"},
		{[]string{"/bin/ls"}, 2, "", `unknown argument "/bin/ls"`},
		{[]string{"-gdb", "/nonexistent/gdb"}, 1, "", "/nonexistent/gdb: no such file"},
		{[]string{"-timeout", "soon"}, 2, "", "invalid value"},
	} {
		out, errs, status := ask(t, "", c.args...)
		if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) {
			t.Errorf("%q: status %d, said %q, %q", c.args, status, out, errs)
		}
	}
}

func TestWithoutParameters(t *testing.T) {
	for name, want := range map[string]string{
		"main":                       "main",
		"ns::f(int, char)":           "ns::f",
		"X::f(void) const":           "X::f",
		"X::operator()":              "X::operator()",
		"X::operator()(int)":         "X::operator()",
		"(anonymous namespace)":      "(anonymous namespace)",
		"f(int (*)(char), (x))":      "f",
		"std::function<int(int)>::g": "std::function<int(int)>::g",
		"odd)":                       "odd)",
	} {
		if got := withoutParameters(name); got != want {
			t.Errorf("withoutParameters(%q) = %q, want %q", name, got, want)
		}
	}
}
