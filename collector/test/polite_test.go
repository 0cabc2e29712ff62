package collector_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestProgramsWithHabits(t *testing.T) {
	for _, letters := range append(clocks, "lq4000") {
		for _, name := range []string{"own-clock", "old-signals", "waits-for-trap", "confined", "little-space", "locked"} {
			s := prepare(t, letters, "polite", name).run().ok("done\n")
			if stored, _ := samples(s.counts()); stored == 0 {
				t.Errorf("%s of %q: no samples", name, letters)
			}
		}
	}
}

// Code is known by its object after the first thread of the process has ended.
func TestFirstThreadEnds(t *testing.T) {
	for _, letters := range clocks {
		all := prepare(t, letters, "polite", "leaderless").run().ok("done\n").counts()
		stored, _ := samples(all)
		if f := all["polite"]; f == nil || f.Samples < stored*9/10 {
			t.Errorf("%q: %v", letters, all)
		}
		if all["[anon]"] != nil {
			t.Errorf("%q: code without file", letters)
		}
	}
}

func TestConfinedProgramIsNoted(t *testing.T) {
	s := prepare(t, "q4000", "polite", "confined").run().ok("done\n")
	if m := s.meta(); m.State != "complete" || !strings.Contains(strings.Join(m.Notes, "\n"), "confined itself") {
		t.Errorf("state %s, notes %q", m.State, m.Notes)
	}
}

// A system call of ours would end such a program.
func TestConfinedByLibseccomp(t *testing.T) {
	for _, letters := range []string{"q4000", "s q1000", "xcpu:1000 xalloc:1 xfaults:1 xio:1 xwrite:1"} {
		s := measured(t, letters, "confines").ok("done\n")
		if m := s.meta(); m.State != "complete" || !strings.Contains(strings.Join(m.Notes, "\n"), "confined itself") {
			t.Errorf("%s: state %s, notes %q", letters, m.State, m.Notes)
		}
	}
}

// Files stay sparse where the program has all its memory locked.
func TestLockedMemory(t *testing.T) {
	s := prepare(t, "lq4000", "polite", "locked").run().ok("done\n")
	for _, c := range s.counts() {
		var st syscall.Stat_t
		if err := syscall.Stat(c.Path, &st); err != nil {
			t.Fatal(err)
		}
		if room := st.Blocks * 512; room > 64<<10 {
			t.Errorf("%s takes %d bytes", c.Path, room)
		}
	}
}

// Linked in, the clock's descriptor may be closed by the program, and be another file since.
func TestClosedDescriptor(t *testing.T) {
	for _, letters := range clocks {
		prepare(t, letters, "polite-linked", "closes").setenv("LD_PRELOAD=").run().ok("done\n")
	}
}

// A program with more rights than its user is not sampled, and writes nothing.
func TestSetUID(t *testing.T) {
	dir := t.TempDir()
	// Others can reach it there.
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "privileged")
	b, err := os.ReadFile(filepath.Join(built, "polite-linked"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, b, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(program, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "counts")
	s := prepare(t, "q4000o"+target, program, "own-clock").setenv("LD_PRELOAD=")
	s.command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	s.run().ok("done\n")
	if exists(target) || len(s.dirs(0)) != 0 {
		t.Error("it was sampled")
	}
}

// A program that leaves the clock no signal, or takes it unseen, is sampled until then, and that is told.
func TestTakenSignalsAreNoted(t *testing.T) {
	for _, c := range []struct {
		note string
		args []string
	}{
		{"uses all signals", []string{"polite", "takes-all"}},
		{"by its own system call", []string{"polite", "takes-unseen"}},
	} {
		s := prepare(t, "q4000", c.args...).run().ok("done\n")
		if !strings.Contains(s.notes, c.note) || !strings.Contains(strings.Join(s.meta().Notes, "\n"), c.note) {
			t.Errorf("%v: notes %s, meta %q", c.args, s.notes, s.meta().Notes)
		}
	}
}

// A Go program takes all signals by system calls; the library leaves it alone and says so.
func TestGoProgramIsNoted(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "dynamic")
	source := "package main\n\nimport \"C\"\n\nfunc main() { println(\"done\") }\n"
	if err := os.WriteFile(program+".go", []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", program, program+".go")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, letters := range clocks {
		s := prepare(t, letters, program).run().ok("done\n")
		if !strings.Contains(s.notes, "a Go program was not sampled") || len(s.dirs(0)) != 0 {
			t.Errorf("%q: notes %s, directories %v", letters, s.notes, s.dirs(0))
		}
	}
	// What starts programs with the library does not start it, so that another way can be taken.
	launch, why := filepath.Join(dir, "pct-launch"), filepath.Join(dir, "why")
	for _, c := range [][]string{
		{"gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", launch, "../launch/launch.c"},
		{launch, "-preload", filepath.Join(built, "libpct.so"), "-else", why, "-set", "PCT=", program},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
	if told, err := os.ReadFile(why); err != nil || string(told) != "GO\t"+program+" is a Go program, which handles all signals\n" {
		t.Errorf("it was told %q, %v", told, err)
	}
}
