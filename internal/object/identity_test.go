package object

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile makes a program of a small source, with more arguments for the compiler.
func compile(t testing.TB, source string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	name := filepath.Join(dir, "program.c")
	if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, append([]string{"gcc", "-o", program, name}, args...)...)
	return program
}

const minimal = "int main(void) { return 0; }\n"

func run(t testing.TB, argv ...string) {
	t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", argv, err, out)
	}
}

// open opens a file that has to be one, until the test ends.
func open(t testing.TB, path string) *File {
	t.Helper()
	f, err := Map(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// withoutSections takes the section headers out of a file, which sstrip and packers do as well.
func withoutSections(t testing.TB, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(b[0x28:], 0) // e_shoff
	binary.LittleEndian.PutUint32(b[0x3c:], 0) // e_shnum, e_shstrndx
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
}

// Whatever is left of a file, it is of its build.
func TestBuildID(t *testing.T) {
	const id = "0123456789abcdef0123"
	linked := compile(t, minimal, "-g", "-Wl,--build-id=0x"+id)
	bare, stripped, debug := linked+".bare", linked+".stripped", linked+".debug"
	run(t, "cp", linked, bare)
	withoutSections(t, bare)
	run(t, "strip", "-o", stripped, linked)
	run(t, "objcopy", "--only-keep-debug", linked, debug)
	for _, path := range []string{linked, bare, stripped, debug} {
		f := open(t, path)
		if got := f.BuildID(); got != id || !f.IsBuild(id) || !f.IsBuild(strings.ToUpper(id)) || !f.IsBuild("") || f.IsBuild("ff"+id) {
			t.Errorf("%s: build-id %q, want %q", filepath.Base(path), got, id)
		}
	}
	if err := open(t, linked).Build("ff"); err == nil || !strings.HasSuffix(err.Error(), "another build than was profiled: its build-id is "+id+", not ff") {
		t.Errorf("of another build: %v", err)
	}
	f := open(t, compile(t, minimal, "-Wl,--build-id=none"))
	if got := f.BuildID(); got != "" || f.IsBuild(id) || !f.IsBuild("") {
		t.Errorf("without one: %q", got)
	}
	if err := f.Build("ff"); err == nil || !strings.HasSuffix(err.Error(), "another build than was profiled: it has no build-id, which was ff") {
		t.Errorf("without one: %v", err)
	}
}

// Notes are aligned as their segment is: name and description begin at its multiples.
func TestBuildIDNotes(t *testing.T) {
	le := binary.LittleEndian
	note := func(align int, name, desc string, kind uint32) (b []byte) {
		pad := func() {
			for len(b)%align != 0 {
				b = append(b, 0)
			}
		}
		b = le.AppendUint32(b, uint32(len(name)))
		b = le.AppendUint32(b, uint32(len(desc)))
		b = le.AppendUint32(b, kind)
		b = append(b, name...)
		pad()
		b = append(b, desc...)
		pad()
		return b
	}
	for _, align := range []int{1, 4, 8} {
		a := max(align, 4)
		before := append(note(a, "Go\x00\x00", "abc", 4), note(a, "GNU\x00", "12345", 1)...)
		before = append(before, note(a, "other\x00", "1", 3)...)
		whole := append(before, note(a, "GNU\x00", "\xab\xcd\xef", 3)...)
		for _, tt := range []struct {
			notes []byte
			want  string
		}{
			{whole, "abcdef"},
			{before, ""},
			{whole[:len(whole)-a], ""}, // the description is cut
			{whole[len(before):], "abcdef"},
			{nil, ""},
			{[]byte(strings.Repeat("\xff", 64)), ""},
		} {
			got := buildID(strings.NewReader(string(tt.notes)), uint64(len(tt.notes)), uint64(align), le)
			if got != tt.want {
				t.Errorf("alignment %d: %q of %x, want %q", align, got, tt.notes, tt.want)
			}
		}
	}
}
