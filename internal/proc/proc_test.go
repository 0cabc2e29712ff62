package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const text = "4711 (a) (b) S 12 13 14 34816 15 4194304 1 2 3 4 150 25 7 8 20 0 1 0 98765 4096 5\n"
	got, err := parseStat([]byte(text))
	want := Stat{Name: "a) (b", State: 'S', Ppid: 12, Group: 13, CPU: 1750 * time.Millisecond, Started: 98765}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, bad := range []string{"", "1", "1 (a", "1 (a)", "1 a) S 1 2 3", ")(", strings.Replace(text, "98765", "x", 1)} {
		if got, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

// TestDeleted has a program whose path has a newline in it, and is deleted while it runs: its
// path is told as it was, by the link of the executable and by the mappings.
func TestDeleted(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "a\nb")
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if exe, err := Exe(pid); err != nil || exe != program {
		t.Errorf("executes %q, %v", exe, err)
	}
	maps, err := Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(maps, func(m Mapping) bool { return PathOf(m.Path) == program })
	if i < 0 || !IsDeleted(maps[i].Path) || maps[i].Inode == 0 {
		t.Errorf("mappings %+v", maps)
	}
	if m, err := Mapped(pid, VDSO); err != nil || !m.Executable || m.End <= m.Start {
		t.Errorf("vDSO %+v, %v", m, err)
	}
	if args := Args(pid); !slices.Equal(args, []string{program, "600"}) {
		t.Errorf("arguments %q", args)
	}
	if threads, err := Threads(pid); err != nil || !slices.Equal(threads, []int{pid}) {
		t.Errorf("threads %v, %v", threads, err)
	}
	if all := All(); !slices.Contains(all, pid) || !slices.IsSorted(all) {
		t.Errorf("processes %v", all)
	}
	if s, err := ReadStat(pid); err != nil || s.Ppid != os.Getpid() || s.Ended() || s.Name != "a\nb" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := ReadStatus(pid, pid); err != nil || s.Ppid != os.Getpid() || s.Tgid != pid || s.Tracer != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestGone(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if exe, err := Exe(pid); err == nil {
		t.Errorf("executes %q", exe)
	}
	if maps, err := Maps(pid); err == nil {
		t.Errorf("mappings %+v", maps)
	}
	if s, err := ReadStat(pid); err == nil {
		t.Errorf("%+v", s)
	}
	if s, err := ReadStatus(pid, pid); err == nil {
		t.Errorf("%+v", s)
	}
	if threads, err := Threads(pid); err == nil {
		t.Errorf("threads %v", threads)
	}
	if args := Args(pid); args != nil {
		t.Errorf("arguments %q", args)
	}
}
