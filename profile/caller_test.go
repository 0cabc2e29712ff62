package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
