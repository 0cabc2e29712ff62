package addr2line

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profilecollection/pct/translators"
)

// command runs a command that has to succeed and returns what it printed.
func command(t testing.TB, stdin string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, &errs)
	}
	return out.String()
}

// build compiles a file of testdata and returns the program's path.
func build(t testing.TB, source, flags string) string {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	compiler := "gcc"
	if strings.HasSuffix(source, ".cc") {
		compiler = "g++"
	}
	argv := append([]string{compiler, "-I", filepath.Join(dir, "include"), "-o", program, filepath.Join(dir, source)}, strings.Fields(flags)...)
	command(t, "", argv...)
	return program
}

// text returns n addresses (or as many as there are) evenly spread over the
// section .text of an object.
func text(t testing.TB, object string, n int) []uint64 {
	t.Helper()
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".text")
	step := max(1, s.Size/uint64(n))
	var all []uint64
	for a := s.Addr; a < s.Addr+s.Size; a += step {
		all = append(all, a)
	}
	return all
}

// translate returns our frames of the addresses, with the flags given.
func translate(t testing.TB, object string, vaddrs []uint64, flags ...string) [][]translators.Location {
	t.Helper()
	var errs bytes.Buffer
	out, status := answers(t, object, vaddrs, &errs, flags...)
	if status != 0 || errs.Len() > 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	return out
}

// answers is translate where complaints are to be looked at.
func answers(t testing.TB, object string, vaddrs []uint64, errs *bytes.Buffer, flags ...string) ([][]translators.Location, int) {
	t.Helper()
	var in, out bytes.Buffer
	for _, a := range vaddrs {
		in.WriteString(object + "\t0x" + strconv.FormatUint(a, 16) + "\n")
	}
	status := Run(flags, &in, &out, errs)
	return parse(t, out.String(), len(vaddrs)), status
}

// parse reads answer lines, as simply as our files and functions permit.
func parse(t testing.TB, out string, n int) [][]translators.Location {
	t.Helper()
	var all [][]translators.Location
	for line := range strings.Lines(out) {
		var frames []translators.Location
		for text := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\t") {
			fields := strings.Split(strings.ReplaceAll(text, `\|`, "\x00"), "|")
			if len(fields) != 3 {
				t.Fatalf("bad answer %q", line)
			}
			for i := range fields {
				if fields[i] == "?" {
					fields[i] = ""
				}
				fields[i] = strings.ReplaceAll(fields[i], "\x00", "|")
			}
			number, _ := strconv.Atoi(fields[2])
			frames = append(frames, translators.Location{Func: fields[0], File: fields[1], Line: number})
		}
		all = append(all, frames)
	}
	if len(all) != n {
		t.Fatalf("%d answers for %d addresses", len(all), n)
	}
	return all
}

// copyFile copies a file below a directory that is made for it.
func copyFile(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}
