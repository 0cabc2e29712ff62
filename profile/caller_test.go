package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// compiled compiles a program of collector/launch.
func compiled(t *testing.T, dir, source, name string) {
	t.Helper()
	out, err := exec.Command("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", filepath.Join(dir, name), "../collector/launch/"+source).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", source, err, out)
	}
}

// What the caller left is written down by the program in C and restored by pct-launch: ignored signals, closed streams,
// and soft limits that were raised for us.
func TestCaller(t *testing.T) {
	dir := t.TempDir()
	compiled(t, dir, "profile.c", "profile")
	compiled(t, dir, "launch.c", "pct-launch")
	if err := os.Mkdir(filepath.Join(dir, "libexec"), 0o700); err != nil {
		t.Fatal(err)
	}
	// In our place: it shows what it has, then what the program would have.
	const show = `grep SigIgn /proc/self/status; ulimit -S -v; [ -e /proc/self/fd/0 ] || echo closed`
	script := "#!/bin/sh\nulimit -S -v\n" + `exec "$(dirname "$0")/../pct-launch" -caller "${1#-caller=}" -- sh -c '` + show + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "libexec/profile"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	const before = `trap "" USR1 PIPE; exec <&-; ulimit -S -v 500000; `
	want, err := exec.Command("sh", "-c", before+show).Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command("sh", "-c", before+"exec "+filepath.Join(dir, "profile")).CombinedOutput()
	raised, rest, _ := strings.Cut(string(got), "\n")
	if err != nil || raised == "500000" || rest != string(want) || !strings.Contains(rest, "closed") || !strings.Contains(rest, "500000") {
		t.Errorf("%v: with %s: %q; want %q", err, raised, rest, want)
	}
}

// What a limit on memory must leave to us is said in the same words by both programs.
func TestNeeds(t *testing.T) {
	text, err := os.ReadFile("../collector/launch/caller.h")
	if err != nil || !strings.Contains(string(text), `"`+needs+`"`) {
		t.Errorf("%v: caller.h does not say %q", err, needs)
	}
}

// Under a hard limit the program in C reads the options by a table of its own: what it has is an option here, of the
// same kind, and what it lacks is what the library and the report do not need.
func TestOptionsUnderLimit(t *testing.T) {
	text, err := os.ReadFile("../collector/launch/profile.c")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "const struct option options[] = {")
	table, _, _ = strings.Cut(table, "};")
	valued := map[string]bool{}
	for _, row := range regexp.MustCompile(`\{"(\w+)", (&\w|NULL)`).FindAllStringSubmatch(table, -1) {
		valued[row[1]] = row[2] != "NULL"
	}
	elsewhere := []string{"h", "help", "gdb", "args", "k", "tree", "vmlinux", "t", "n", "p", "r", expr}
	new(options).flags().VisitAll(func(f *flag.Flag) {
		b, is := f.Value.(interface{ IsBoolFlag() bool })
		takesValue := !is || !b.IsBoolFlag()
		has, known := valued[f.Name]
		delete(valued, f.Name)
		switch {
		case known == slices.Contains(elsewhere, f.Name):
			t.Errorf("-%s: in the table of profile.c: %v", f.Name, known)
		case known && has != takesValue:
			t.Errorf("-%s takes a value: %v by profile.c, %v here", f.Name, has, takesValue)
		}
	})
	for name := range valued {
		t.Errorf("-%s of profile.c is no option", name)
	}
}

func TestReadCaller(t *testing.T) {
	c, args, err := readCaller([]string{"-caller=1200,6,-,61440000", "-k", "p"})
	if err != nil || c.ignored != 0x1200 || c.closed != 6 || c.low != "ulimit -d 60000" || strings.Join(args, " ") != "-k p" {
		t.Errorf("%+v %q %v", c, args, err)
	}
	for _, wrong := range []string{"-caller=", "-caller=1,2,3", "-caller=x,0,-,-"} {
		if c, _, err := readCaller([]string{wrong}); err == nil {
			t.Errorf("%s: %+v", wrong, c)
		}
	}
	if c, args, err := readCaller([]string{"-k", "p"}); err != nil || c.low != "" || len(args) != 2 {
		t.Errorf("without: %+v %q %v", c, args, err)
	}
}
