package syscalls

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestParseSet(t *testing.T) {
	for _, c := range []struct{ text, has, hasNot string }{
		{"openat", "openat", "open read"},
		{"openat,read", "openat read", "open write"},
		{"trace=openat", "openat", "read"},
		{"%file", "openat execve statx fchmodat2", "read getpid"},
		{"file", "openat", "read"},
		{"%network,%%stat", "socket fstat", "read"},
		{"!futex", "openat read", "futex"},
		{"!%file,read", "write", "openat read"},
		{"all", "openat read", ""},
		{"none", "", "openat read"},
		{"!none", "openat read", ""},
	} {
		s, err := ParseSet(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for name := range strings.FieldsSeq(c.has) {
			if !s.Has(uint64(slices.Index(names[:], name))) {
				t.Errorf("%s has no %s", c.text, name)
			}
		}
		for name := range strings.FieldsSeq(c.hasNot) {
			if s.Has(uint64(slices.Index(names[:], name))) {
				t.Errorf("%s has %s", c.text, name)
			}
		}
	}
}

func TestParseSetErrors(t *testing.T) {
	for text, want := range map[string]string{
		"opnat":            `no system call "opnat": is openat meant?`,
		"read,%netwrok":    `no class of system calls "%netwrok": is %network meant?`,
		"":                 "no system call named: give names and classes with commas between them, as openat,%network",
		"read,":            "no system call named: give names and classes with commas between them, as openat,%network",
		"!":                "no system call named: give names and classes with commas between them, as openat,%network",
		"abracadabraopens": `no system call "abracadabraopens"; the classes are %%stat`,
	} {
		_, err := ParseSet(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestClassNames: what a class has are calls.
func TestClassNames(t *testing.T) {
	for class, members := range classes {
		for member := range strings.FieldsSeq(members) {
			if !slices.Contains(names[:], member) {
				t.Errorf("%%%s has %s, which is no system call", class, member)
			}
		}
	}
}

// TestClasses compares classes with those of strace, which shows of a program that makes each call what is in one.
func TestClasses(t *testing.T) {
	program := built(t, "each.c", "-O1", "-static", "-nostdlib", "-fno-stack-protector", "-DLAST=450")
	for class := range classes {
		shown := map[string]bool{}
		lines := straced(t, "", []string{"-e", "trace=%" + class}, program)
		for _, line := range lines {
			_, call, _ := strings.Cut(line, " ")
			name, _, _ := strings.Cut(strings.TrimLeft(call, " "), "(")
			shown[name] = true
		}
		s, err := ParseSet("%" + class)
		if err != nil {
			t.Fatal(err)
		}
		for n, name := range names {
			if n <= 450 && name != "" && n != 335 && n != 336 && s.Has(uint64(n)) != shown[name] {
				t.Errorf("%%%s has %s: %v, for strace %v", class, name, s.Has(uint64(n)), shown[name])
			}
		}
	}
}

// TestNumbers: the table is that of the machine's header, and newer.
func TestNumbers(t *testing.T) {
	out, err := exec.Command("gcc", "-E", "-dM", "-include", "asm/unistd_64.h", "-x", "c", "/dev/null").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 3 || !strings.HasPrefix(f[1], "__NR_") {
			continue
		}
		checked++
		if s, err := ParseSet(strings.TrimPrefix(f[1], "__NR_")); err != nil || len(s.Numbers()) != 1 || f[2] != fmt.Sprint(s.Numbers()[0]) {
			t.Errorf("%s is %s: %v, %v", f[1], f[2], s.Numbers(), err)
		}
	}
	if checked < 300 {
		t.Errorf("the header has only %d calls", checked)
	}
}
