package collector_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var clocks = []string{"q4000", "q1000"}

// Programs that look after their signals, stacks and errno print what they do without us.
func TestProgramsKeepTheirOwn(t *testing.T) {
	for _, letters := range append(clocks, "IRq2000") {
		for _, args := range [][]string{
			{"profiler"}, {"handlers", "23", "5", "28", "27"}, {"errno"}, {"small-stacks"},
		} {
			s := prepare(t, letters, append([]string{"target"}, args...)...).run().ok("done\n")
			if stored, _ := samples(s.counts()); stored == 0 {
				t.Errorf("%v: no samples", args)
			}
		}
	}
}

func TestSignalsAreGivenUp(t *testing.T) {
	s := prepare(t, "q4000", "target", "handlers", "5", "23").run().ok("done\n")
	if note := "uses the signal of the clock"; !strings.Contains(s.notes, note) || !strings.Contains(strings.Join(s.meta().Notes, "\n"), note) {
		t.Errorf("notes %s, meta %q", s.notes, s.meta().Notes)
	}
}

// A program that handles SIGTRAP is sampled by it all the same.
func TestTrapsAreShared(t *testing.T) {
	s := prepare(t, "q1000", "target", "handlers", "5", "23").run().ok("done\n")
	if strings.Contains(s.notes, "uses SIGTRAP") {
		t.Errorf("notes %s", s.notes)
	}
}

func TestBlockedSignals(t *testing.T) {
	for _, letters := range clocks {
		s := prepare(t, letters, "target", "blocked").run().ok("done\n")
		if stored, lost := samples(s.counts()); stored < 5 || stored+lost < 20 {
			t.Errorf("%d samples, %d lost, of a program that blocks all signals", stored, lost)
		}
	}
}

func TestTrapsOfTheProgram(t *testing.T) {
	for _, letters := range clocks {
		s := prepare(t, letters, "target", "trap").run()
		if st := s.state.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != syscall.SIGTRAP {
			t.Errorf("%s: int3 ended the program with %v\n%s", letters, s.state, s.out)
		}
	}
	prepare(t, "q1000", "gdb", "-batch", "-nx", "-ex", "break puts", "-ex", "run", "-ex", "continue", "--args",
		filepath.Join(built, "target"), "ratio", "0.2").run().ok("")
}

func TestDescriptors(t *testing.T) {
	for _, letters := range clocks {
		bare := prepare(t, letters, "target", "close-all").setenv("LD_PRELOAD=").run().ok("")
		s := prepare(t, letters, "target", "close-all").run().ok(bare.out)
		// Some ticks of the kernel's come too late on a busy machine, and are told as lost.
		if stored, lost := samples(s.counts()); stored < 10 || stored+lost < 40 {
			t.Errorf("%d samples, %d lost, of a program that closes all descriptors", stored, lost)
		}
	}
}

func TestFileSizeLimit(t *testing.T) {
	for _, limit := range []string{"0", "5000", "60000"} {
		s := prepare(t, "q4000", "target", "file-limit", limit)
		out, err := os.OpenFile("/dev/null", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		s.command.Stdout, s.command.Stderr = out, out
		if err := s.command.Run(); err != nil {
			t.Errorf("a limit of %s bytes: %v", limit, err)
		}
	}
}

// mounted makes a small file system that is full but for some pages.
func mounted(t *testing.T, size string, fill int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=1777,size="+size); err != nil {
		t.Fatalf("mounting a file system of %s (needs root): %v", size, err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, fill), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFullDisk(t *testing.T) {
	noted := 0
	for pages := range 12 {
		dir := mounted(t, "1m", 1<<20-pages*4096)
		for _, letters := range []string{"q1000w8", "lq100"} {
			s := prepare(t, letters, "target", "ratio", "0.1")
			s.root = filepath.Join(dir, "pct")
			s.setenv("PCT_DIR=" + s.root)
			told := s.command.Env
			s.command.Env = append(told, "PCT_RUN="+filepath.Join(t.TempDir(), "none"))
			var out bytes.Buffer
			s.command.Stdout, s.command.Stderr = &out, &out
			if err := s.command.Run(); err != nil || out.String() != "done\n" {
				t.Errorf("%d pages left: %v\n%s", pages, err, out.String())
			}
			s.state = s.command.ProcessState
			all := map[string]bool{}
			for _, c := range s.dirs(0) {
				all[c] = true
			}
			if len(all) > 0 {
				if _, lost := samples(s.counts()); lost > 0 {
					noted++
				}
			}
			if err := os.RemoveAll(s.root); err != nil {
				t.Fatal(err)
			}
		}
	}
	if noted == 0 {
		t.Error("no run told of lost samples")
	}
}

func TestHostileRoots(t *testing.T) {
	shared := t.TempDir()
	if err := os.Chmod(shared, os.ModeSticky|0o777); err != nil {
		t.Fatal(err)
	}
	victim := t.TempDir()
	link, file := filepath.Join(shared, "link"), filepath.Join(shared, "file")
	if err := os.Symlink(victim, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{link, link + "/", file, "/proc/none", filepath.Join(shared, "none", "none"), "/" + strings.Repeat("x", 300)} {
		// With the clock of events, whose ticks don't depend on what else the machine does: it's at a sample that a directory is wanted.
		s := prepare(t, "q1000", "target", "ratio", "0.1").setenv("PCT_DIR=" + root).run().ok("done\n")
		if !strings.Contains(s.notes, "nothing is recorded") {
			t.Errorf("%s: notes %q", root, s.notes)
		}
	}
	if entries, err := os.ReadDir(victim); err != nil || len(entries) != 0 {
		t.Errorf("the link was followed: %v, %v", entries, err)
	}
}

func TestOtherRootOrUser(t *testing.T) {
	for _, letters := range clocks {
		prepare(t, letters, "target", "chroot", t.TempDir()).run().ok("done\n")
		// Where other programs take turns with it the kernel's tick may not meet a program at all.
		const most = 5
		var stored uint64
		for try := 0; try < most && stored == 0; try++ {
			s := prepare(t, letters, "target", "drop-user")
			if err := os.Mkdir(s.root, 0o777); err != nil {
				t.Fatal(err)
			}
			s.run().ok("done\n")
			stored, _ = samples(s.counts())
		}
		if stored == 0 {
			t.Errorf("%s: no samples in %d runs", letters, most)
		}
	}
}

// Real programs: the same output and exit status.
func TestRealPrograms(t *testing.T) {
	source := filepath.Join(t.TempDir(), "a.c")
	text, err := os.ReadFile("testdata/target.c")
	if err != nil {
		t.Fatal(err)
	}
	header, err := os.ReadFile("testdata/burn.h")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, bytes.Replace(text, []byte(`#include "burn.h"`), header, 1), 0o600); err != nil {
		t.Fatal(err)
	}
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		names string // of run directories
	}{
		{[]string{python, "-c", "import json, re, threading\nx = 0\nfor i in range(600000): x += len(str(i))\nprint(x)"}, "python3*"},
		{[]string{"sh", "-c", "seq 1 300000 | bzip2 -9 | cksum"}, "bzip2.*"},
		{[]string{"sqlite3", ":memory:", "with recursive n(i) as (select 1 union all select i+1 from n where i<200000) select count(*), sum(i*i % 17) from n;"}, "sqlite3.*"},
		{[]string{"sh", "-c", "gcc -O2 -S -o - " + source + " | cksum"}, "cc1.*"},
		{[]string{"sh", "-c", "exit 7"}, ""},
		{[]string{"sh", "-c", "kill -9 $$"}, ""},
	} {
		bare := prepare(t, "", append([]string{}, c.args...)...).setenv("LD_PRELOAD=").run()
		for _, letters := range clocks {
			s := prepare(t, letters, append([]string{}, c.args...)...).run()
			if s.out != bare.out || s.state.String() != bare.state.String() {
				t.Errorf("%v: %v %q, without the collector %v %q", c.args, s.state, s.out, bare.state, bare.out)
			}
			if c.names == "" {
				continue
			}
			dirs, err := filepath.Glob(filepath.Join(s.root, c.names))
			if err != nil || len(dirs) == 0 {
				t.Errorf("%v: no run directory %s, %v", c.args, c.names, err)
			} else if stored, _ := samples(countsOf(t, dirs...)); stored == 0 {
				t.Errorf("%v: no samples", c.args)
			}
		}
	}
}

func TestAddressSanitizer(t *testing.T) {
	for _, letters := range clocks {
		s := prepare(t, letters, "sanitized", "threads", "0.05").setenv("ASAN_OPTIONS=verify_asan_link_order=0").run().ok("done\n")
		if stored, _ := samples(s.counts()); stored == 0 {
			t.Error("no samples")
		}
	}
}

func TestLinksNothingButLibc(t *testing.T) {
	out, err := exec.Command("readelf", "-dW", filepath.Join(built, "libpct.so")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if needed := regexp.MustCompile(`NEEDED.*\[(.*)\]`).FindAllStringSubmatch(string(out), -1); len(needed) != 1 || needed[0][1] != "libc.so.6" {
		t.Errorf("needs %v", needed)
	}
}
