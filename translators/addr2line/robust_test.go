package addr2line

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/profilecollection/pct/translators"
)

// What can't be read is unknown, said once, and holds nothing else up.
func TestObjectsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string]string{
		"empty": "", "text": "no ELF file at all\n", "magic": "\x7fELF", "short": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 20),
	} {
		if err := os.WriteFile(path(name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(path("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	good := build(t, "chain.c", "-O0 -g")
	vaddr := symbolsOf(t, good)["main"].Value
	for _, c := range []struct{ object, complaint string }{
		{path("nothing"), "no such file or directory"},
		{path("empty"), "not an ELF file"},
		{path("text"), "bad magic number"},
		{path("magic"), "EOF"},
		{path("short"), "EOF"},
		{path("fifo"), "not an ELF file"},
		{dir, "not an ELF file"},
		{"/dev/zero", "not an ELF file"},
		{"[vdso]", ""},
		{"[anon]", ""},
	} {
		var errs, out bytes.Buffer
		in := strings.Repeat(c.object+"\t0x1000\n", 3) + good + "\t0x" + hexa(vaddr) + "\n"
		if status := Run(nil, strings.NewReader(in), &out, &errs); status != 0 {
			t.Errorf("%s: status %d", c.object, status)
		}
		if want := strings.Repeat("?|?|?\n", 3) + "main|"; !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: answers %q", c.object, &out)
		}
		if !strings.Contains(errs.String(), c.complaint) || strings.Count(errs.String(), "\n") != min(1, len(c.complaint)) {
			t.Errorf("%s: complaints %q, want one with %q", c.object, &errs, c.complaint)
		}
	}
}

// Addresses that are no code are unknown, whatever the tables say.
func TestAddressesThatAreNoCode(t *testing.T) {
	program := build(t, "chain.c", "-O0 -g")
	symbols := symbolsOf(t, program)
	for _, vaddr := range []uint64{0, 1, symbols["stderr"].Value, 1 << 40, 1<<64 - 1} {
		if f := translate(t, program, []uint64{vaddr})[0]; len(f) != 1 || f[0] != (translators.Location{}) {
			t.Errorf("0x%x is %v", vaddr, f)
		}
	}
}

// requests is a standard input that is written while it is read.
func requests(t *testing.T) (in *os.File, ask func(line string)) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, func(line string) {
		if line == "" {
			w.Close()
		} else if _, err := io.WriteString(w, line); err != nil {
			t.Error(err)
		}
	}
}

// A program that is built again in place loses what was mapped of it.
func TestObjectTruncatedWhileMapped(t *testing.T) {
	program := build(t, "names.cc", "-O2 -g")
	symbols := symbolsOf(t, program)
	in, ask := requests(t)
	out, outEnd, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var errs bytes.Buffer
	status := make(chan int)
	go func() {
		status <- Run(nil, in, outEnd, &errs)
		outEnd.Close()
	}()
	buf := make([]byte, 1<<16)
	answer := func(name string) string {
		ask(program + "\t0x" + hexa(symbols[name].Value) + "\n")
		n, err := out.Read(buf)
		if err != nil {
			t.Error(err)
		}
		return string(buf[:n])
	}
	if got := answer("main"); !strings.HasPrefix(got, "main|") && !strings.Contains(got, "\tmain|") {
		t.Errorf("answer %q", got)
	}
	if err := os.Truncate(program, 4096); err != nil {
		t.Fatal(err)
	}
	// What was read already may still be known; of another function nothing is.
	for _, name := range []string{"_ZN5outer2v27Counter3addEi", "main"} {
		if got := answer(name); got != "?|?|?\n" {
			t.Errorf("after it was truncated: answer %q", got)
		}
	}
	ask("")
	if s := <-status; s != 0 {
		t.Errorf("status %d", s)
	}
	if !strings.Contains(errs.String(), "changed while it was read") {
		t.Errorf("complaints %q", &errs)
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
		{[]string{"-help"}, 0, "example:", ""},
		{[]string{"-nonsense"}, 2, "", "flag provided but not defined: -nonsense"},
		{[]string{"-functions", "-lines"}, 2, "", "-functions and -lines leave nothing"},
		{[]string{"-debug-dir"}, 2, "", "flag needs an argument"},
		{[]string{"/bin/ls"}, 2, "", `unknown argument "/bin/ls"`},
		{[]string{"-debug-dir", "/a", "-debug-dir", "/b"}, 0, "", ""},
	} {
		var out, errs bytes.Buffer
		if status := Run(c.args, strings.NewReader(""), &out, &errs); status != c.status {
			t.Errorf("%q: status %d, want %d", c.args, status, c.status)
		}
		if !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("%q: said %q, %q", c.args, &out, &errs)
		}
	}
}

func TestBadRequests(t *testing.T) {
	var out, errs bytes.Buffer
	status := Run(nil, strings.NewReader("what is this\n"), &out, &errs)
	if status != 1 || out.String() != "?|?|?\n" || !strings.Contains(errs.String(), "want OBJECT<TAB>0xADDRESS") {
		t.Errorf("status %d, %q, %q", status, &out, &errs)
	}
}
