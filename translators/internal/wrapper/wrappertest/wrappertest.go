// Package wrappertest tests the commands that package wrapper makes; only tests
// import it.
package wrappertest

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A Command is a command to be tested.
type Command struct {
	Run  func(args []string, stdin io.Reader, stdout, stderr io.Writer) int
	Tool string // the program that it asks
}

// Test runs all tests.
func (c Command) Test(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"frames": c.frames, "many objects": c.manyObjects, "unreadable": c.unreadable,
		"failures": c.failures, "network": c.network, "flags": c.flags,
	} {
		t.Run(name, test)
	}
}

const source = `inline __attribute__((always_inline)) unsigned inner(unsigned x)
{
	return x * 7 / 3;
}
inline __attribute__((always_inline)) unsigned middle(unsigned x)
{
	return inner(x) + 1;
}
namespace outer {
__attribute__((noinline)) unsigned work(unsigned x)
{
	return middle(x);
}
}
int main(int argc, char **argv)
{
	return outer::work(argc) + argv[0][0];
}
`

// program compiles the test program and returns its path.
func program(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.cc"), source)
	path := filepath.Join(dir, "program")
	argv := append([]string{"-O1", "-g", "-ffile-prefix-map=" + dir + "=/src", "-o", path, filepath.Join(dir, "a.cc")}, flags...)
	if out, err := exec.Command("g++", argv...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// script makes an executable shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tool.sh")
	write(t, path, "#!/bin/sh\n"+text+"\n")
	return path
}

func (c Command) ask(in string, args ...string) (out, errs string, status int) {
	var stdout, stderr bytes.Buffer
	status = c.Run(args, strings.NewReader(in), &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

func request(object string, vaddr uint64) string { return fmt.Sprintf("%s\t0x%x\n", object, vaddr) }

// functions returns the first address and the size of an object's functions.
func functions(t *testing.T, path string) map[string]elf.Symbol {
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
	m := map[string]elf.Symbol{}
	for _, s := range all {
		m[s.Name] = s
	}
	return m
}

const work = "_ZN5outer4workEj"

// requests asks for all bytes of a function.
func requests(t *testing.T, path, name string) (in string, n int) {
	t.Helper()
	f := functions(t, path)[name]
	for v := f.Value; v < f.Value+f.Size; v++ {
		in += request(path, v)
	}
	return in, int(f.Size)
}

func (c Command) frames(t *testing.T) {
	for _, flags := range [][]string{{"-gdwarf-5"}, {"-gdwarf-4", "-no-pie"}, {"-static"}} {
		path := program(t, flags...)
		in, n := requests(t, path, work)
		out, errs, status := c.ask(in + request(path, functions(t, path)["main"].Value) + request(path, 0) + request(path, 1<<40))
		if errs != "" || status != 0 || strings.Count(out, "\n") != n+3 {
			t.Fatalf("%v: status %d, %q, answers\n%s", flags, status, errs, out)
		}
		if want := "inner|/src/a.cc|3\tmiddle|/src/a.cc|7\touter::work|/src/a.cc|12\n"; !strings.Contains(out, want) {
			t.Errorf("%v: answers\n%swant one\n%s", flags, out, want)
		}
		if !regexp.MustCompile(`\nmain\|/src/a\.cc\|\d+\n\?\|\?\|\?\n\?\|\?\|\?\n$`).MatchString(out) {
			t.Errorf("%v: answers\n%s", flags, out)
		}
	}
	path := program(t, "-g0")
	if out, errs, status := c.ask(request(path, functions(t, path)[work].Value)); out != "outer::work|?|?\n" || errs != "" || status != 0 {
		t.Errorf("without lines: status %d, %q, %q", status, errs, out)
	}
}

// More objects than programs run at once, asked for in turns, in batches large and
// small; none is left behind.
func (c Command) manyObjects(t *testing.T) {
	path := program(t)
	pids := filepath.Join(t.TempDir(), "pids")
	tool := script(t, `echo $$ >>"`+pids+`"; exec `+c.Tool+` "$@"`)
	var objects []string
	for i := range 11 {
		object := filepath.Join(t.TempDir(), fmt.Sprint("program ", i))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, object, string(text))
		objects = append(objects, object)
	}
	f := functions(t, path)["main"]
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	var errs bytes.Buffer
	status := make(chan int, 1)
	go func() {
		status <- c.Run([]string{"-program", tool}, in, answers, &errs)
		answers.Close()
	}()
	for _, size := range []int{1, 3, 500} {
		var text strings.Builder
		for i := range size {
			text.WriteString(request(objects[i%len(objects)], f.Value+uint64(i)%f.Size))
		}
		go io.WriteString(feed, text.String())
		got := make([]byte, 0, 1<<16)
		for buf := make([]byte, 1<<16); bytes.Count(got, []byte("\n")) < size; {
			n, err := out.Read(buf)
			if err != nil {
				t.Fatalf("%v after %q; %s", err, got, &errs)
			}
			got = append(got, buf[:n]...)
		}
		if n := strings.Count(string(got), "main|/src/a.cc|"); n != size {
			t.Errorf("%d of %d answers are in main", n, size)
		}
	}
	feed.Close()
	if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil {
		t.Errorf("more answers: %q, error %v", rest, err)
	}
	if s := <-status; s != 0 || errs.Len() > 0 {
		t.Errorf("status %d, %s", s, &errs)
	}
	list, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(list)) {
		if _, err := os.Stat("/proc/" + pid); err == nil {
			t.Errorf("process %s is still there", pid)
		}
	}
}

func (c Command) unreadable(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	write(t, text, "no object file at all\n")
	path := program(t, "-Wl,--build-id=sha1")
	main := functions(t, path)["main"].Value
	in := request(text, 1) + request(text, 2) + request(filepath.Join(dir, "nothing"), 1) + request("/dev/zero", 1) + request("[vdso]", 1) +
		strings.TrimSuffix(request(path, main), "\n") + "\tc0ffee\n" + request(path, main)
	out, errs, status := c.ask(in)
	if !strings.HasPrefix(out, strings.Repeat("?|?|?\n", 6)+"main|") || status != 0 {
		t.Errorf("status %d, answers %q", status, out)
	}
	for _, why := range []string{"bad magic number", "no such file", "no object file", "another build than was profiled"} {
		if strings.Count(errs, why) != 1 {
			t.Errorf("complaints %q, want one with %q", errs, why)
		}
	}
}

// A program that fails is an error that carries what it said, and no answer of the
// batch.
func (c Command) failures(t *testing.T) {
	path := program(t)
	in, _ := requests(t, path, "main")
	for name, f := range map[string]struct {
		text, timeout string
		why           []string
	}{
		"dies":         {"read a; echo out of luck >&2; exit 3", "30s", []string{"it ended after 0 lines", "exit status 3", "out of luck"}},
		"is killed":    {"read a; kill -9 $$", "30s", []string{"signal: killed"}},
		"hangs":        {"echo thinking >&2; exec sleep 1000", "300ms", []string{"no answer for 300ms", "thinking"}},
		"is short":     {`head -n 2 | ` + c.Tool + ` "$@"`, "30s", []string{"it ended after "}},
		"says garbage": {"echo Segmentation fault; exec cat", "30s", []string{`"Segmentation fault" is no answer to 0x`}},
		"echoes":       {"exec cat", "30s", []string{"no answer to 0x"}},
		"has no end":   {"tr '\\0' x </dev/zero", "30s", []string{"a line of more than 16 MB"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, status := c.ask(in, "-program", script(t, f.text), "-timeout", f.timeout)
			if out != "" || status != 1 {
				t.Errorf("status %d, answers %q", status, out)
			}
			for _, why := range append(f.why, path) {
				if !strings.Contains(errs, why) {
					t.Errorf("complaints %q, want %q", errs, why)
				}
			}
		})
	}
	// One that ends badly when all is said.
	out, errs, status := c.ask(in, "-program", script(t, c.Tool+` "$@"; exit 5`))
	if status != 1 || !strings.Contains(out, "main|") || !strings.Contains(errs, "exit status 5") {
		t.Errorf("bad end: status %d, %q, %q", status, errs, out)
	}
}

// No server is asked but with -network.
func (c Command) network(t *testing.T) {
	path := program(t)
	in := request(path, functions(t, path)["main"].Value)
	seen := filepath.Join(t.TempDir(), "seen")
	tool := script(t, `echo "${DEBUGINFOD_URLS-none}" >"`+seen+`"; unset DEBUGINFOD_URLS; exec `+c.Tool+` "$@"`)
	t.Setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1/")
	for flag, want := range map[string]string{"-network=false": "none\n", "-network": "http://127.0.0.1:1/\n"} {
		if out, errs, status := c.ask(in, "-program", tool, flag); status != 0 || errs != "" || !strings.HasPrefix(out, "main|") {
			t.Errorf("%s: status %d, %q, %q", flag, status, errs, out)
		}
		if got, err := os.ReadFile(seen); err != nil || string(got) != want {
			t.Errorf("%s: %q, error %v, want %q", flag, got, err, want)
		}
	}
}

func (c Command) flags(t *testing.T) {
	for _, f := range []struct {
		args      []string
		status    int
		out, errs string
	}{
		{[]string{"-h"}, 0, "example:", ""},
		{[]string{"-nonsense"}, 2, "", "flag provided but not defined: -nonsense"},
		{[]string{"/bin/ls"}, 2, "", `unknown argument "/bin/ls"`},
		{[]string{"-timeout", "soon"}, 2, "", "invalid value"},
		{[]string{"-program", "/nonexistent/tool"}, 1, "", "/nonexistent/tool: no such file"},
		{[]string{"--network"}, 0, "", ""},
	} {
		out, errs, status := c.ask("", f.args...)
		if status != f.status || !strings.Contains(out, f.out) || !strings.Contains(errs, f.errs) || (f.errs == "") != (errs == "") {
			t.Errorf("%q: status %d, said %q, %q", f.args, status, out, errs)
		}
	}
}
