// Package collector_test builds the library collectors with the real compiler and
// samples real programs with them.
package collector_test

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// built is where TestMain puts the libraries and the programs of testdata.
var built string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "collector")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Programs that take another user look for the library too.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	built = dir
	lib := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range [][]string{
		{"make", "-s", "-C", "..", "OUT=" + dir},
		{"gcc", "-O2", "-g", "-o", lib("target"), "testdata/target.c", "-lm"},
		{"gcc", "-O2", "-g", "-fsanitize=address", "-o", lib("sanitized"), "testdata/target.c", "-lm"},
		{"gcc", "-O2", "-g", "-o", lib("large"), "testdata/large.c", "-lpthread"},
		{"gcc", "-O2", "-fomit-frame-pointer", "-o", lib("paths"), "testdata/paths.c", "-ldl", "-lpthread"},
		{"gcc", "-O1", "-o", lib("counted"), "testdata/counted.c"},
		{"gcc", "-O1", "-o", lib("coroutines"), "testdata/coroutines.c"},
		{"gcc", "-O2", "-o", lib("counted-optimized"), "testdata/counted.c"},
		{"gcc", "-O2", "-o", lib("marked"), "testdata/marked.c", "-lpthread"},
		{"g++", "-O2", "-o", lib("caught"), "testdata/caught.cc"},
		{"g++", "-O2", "-static-libgcc", "-static-libstdc++", "-o", lib("caught-static"), "testdata/caught.cc"},
		{"g++", "-O2", "-shared", "-fPIC", "-DLIBRARY", "-static-libgcc", "-static-libstdc++", "-Wl,--exclude-libs,ALL", "-o", lib("caught.so"), "testdata/caught.cc"},
		{"gcc", "-O2", "-o", lib("reopens"), "testdata/reopens.c", "-ldl"},
		{"g++", "-O2", "-o", lib("unwinds"), "testdata/unwinds.cc", "-lpthread"},
		{"g++", "-O2", "-static-libgcc", "-static-libstdc++", "-o", lib("unwinds-static"), "testdata/unwinds.cc", "-lpthread"},
		{"g++", "-O2", "-shared", "-fPIC", "-static-libgcc", "-static-libstdc++", "-Wl,--exclude-libs,ALL", "-o", lib("unwinds.so"), "testdata/unwinds.cc", "-lpthread"},
		{"g++", "-O2", "-static-libgcc", "-static-libstdc++", "-o", lib("sees"), "testdata/sees.cc", "-ldl"},
		{"gcc", "-O1", "-o", lib("deep"), "testdata/deep.c"},
		{"gcc", "-O2", "-o", lib("asks"), "testdata/asks.c"},
		{"gcc", "-O2", "-o", lib("opens"), "testdata/opens.c", "-ldl"},
		{"g++", "-O2", "-fomit-frame-pointer", "-o", lib("throws"), "testdata/throws.cc"},
		{"g++", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-o", lib("news"), "testdata/news.cc"},
		{"gcc", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-o", lib("allocations"), "testdata/allocations.c", "-lpthread"},
		{"gcc", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-fno-builtin", "-DOWN_MALLOC", "-o", lib("allocations-own"), "testdata/allocations.c", "-lpthread"},
		{"gcc", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-no-pie", "-fno-pic", "-DTAKES_MALLOC", "-o", lib("allocations-fixed"), "testdata/allocations.c", "-lpthread"},
		{"gcc", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-o", lib("exceptions"), "testdata/exceptions.c", "-lm", "-lpthread"},
		{"g++", "-O2", "-static-libgcc", "-o", lib("throws-static"), "testdata/throws.cc"},
		{"gcc", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-o", lib("faulting"), "testdata/faulting.c", "-lpthread"},
		{"gcc", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-o", lib("moves"), "testdata/moves.c"},
		{"gcc", "-O1", "-fno-inline", "-o", lib("limits"), "testdata/limits.c", "-lm", "-lpthread"},
		{"gcc", "-O2", "-o", lib("blocks"), "testdata/blocks.c", "-lm", "-lpthread"},
		{"gcc", "-O2", "-o", lib("truth"), "../bench/target/truth.c", "-lpthread"},
		{"gcc", "-O2", "-o", lib("waits"), "testdata/waits.c"},
		{"gcc", "-O2", "-g", "-o", lib("polite"), "testdata/polite.c", "-lm"},
		{"gcc", "-O2", "-g", "-o", lib("polite-linked"), "testdata/polite.c", lib("pct.o"), "-lm"},
		{"gcc", "-O2", "-g", "-shared", "-fPIC", "-o", lib("first.so"), "testdata/work.c", "-Wl,--defsym=is_first=1"},
		{"gcc", "-O2", "-g", "-shared", "-fPIC", "-o", lib("second.so"), "testdata/work.c", "-Wl,--defsym=is_second=1"},
		{"gcc", "-O2", "-shared", "-fPIC", "-DLIBRARY", "-o", lib("confines.so"), "testdata/confines.c"},
		{"gcc", "-O2", "-o", lib("confines"), "testdata/confines.c", lib("confines.so"), "-lm"},
		{"gcc", "-O2", "-o", lib("signals"), "testdata/signals.c", "-lm", "-lpthread"},
		{"gcc", "-O2", "-o", lib("stacks"), "testdata/stacks.c", "-lm", "-lpthread"},
		{"gcc", "-O2", "-o", lib("processes"), "testdata/processes.c", "-lm", "-lpthread"},
		{"gcc", "-O2", "-o", lib("loads"), "testdata/loads.c", "-lm", "-lpthread", "-ldl"},
		{"gcc", "-O2", "-D_GNU_SOURCE", "-o", lib("kernelclock"), "testdata/kernelclock.c"},
		{"gcc", "-O2", "-D_GNU_SOURCE", "-o", lib("memory"), "testdata/memory.c"},
		{"gcc", "-O2", "-g", "-I..", "-o", lib("switch"), "testdata/switch.c", lib("pct.o")},
		{"gcc", "-O2", "-g", "-I..", "-static", "-o", lib("switch-static"), "testdata/switch.c", lib("libpct.a")},
		{"gcc", "-O2", "-g", "-I..", "-static", "-o", lib("switch-profil"), "testdata/switch.c", lib("libpctprof.a")},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n%s", strings.Join(c, " "), err, out)
			return 1
		}
	}
	return m.Run()
}

// A sampled is a run of a program with the collector, and what it left.
type sampled struct {
	t       testing.TB
	root    string // of the run directories
	out     string
	state   *os.ProcessState
	notes   string // lines of $PCT_RUN
	command *exec.Cmd
}

// start prepares a program to run with $PCT set; what, if given, changes the command.
func prepare(t testing.TB, letters string, args ...string) *sampled {
	t.Helper()
	dir := t.TempDir()
	s := &sampled{t: t, root: filepath.Join(dir, "root")}
	told := filepath.Join(dir, "told")
	if err := os.WriteFile(told, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(args[0], "/") {
		if p := filepath.Join(built, args[0]); exists(p) {
			args[0] = p
		}
	}
	s.command = exec.Command(args[0], args[1:]...)
	s.command.Env = append(os.Environ(), "PCT="+letters, "PCT_DIR="+s.root, "PCT_RUN="+told,
		"LD_PRELOAD="+filepath.Join(built, "libpct.so"))
	return s
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// setenv changes the environment of the program.
func (s *sampled) setenv(v ...string) *sampled {
	s.command.Env = append(s.command.Env, v...)
	return s
}

// run runs the program to its end.
func (s *sampled) run() *sampled {
	s.t.Helper()
	var out bytes.Buffer
	s.command.Stdout, s.command.Stderr = &out, &out
	err := s.command.Run()
	if s.command.ProcessState == nil {
		s.t.Fatal(err)
	}
	s.state, s.out = s.command.ProcessState, out.String()
	told, err := os.ReadFile(filepath.Join(filepath.Dir(s.root), "told"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.notes = string(told)
	return s
}

// begin starts the program, and returns when it has written a line.
func (s *sampled) begin() {
	s.t.Helper()
	out, err := s.command.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		s.t.Fatal(err)
	}
}

// ok fails the test unless the program ended well and printed want ("" for anything).
func (s *sampled) ok(want string) *sampled {
	s.t.Helper()
	if !s.state.Success() || want != "" && s.out != want {
		s.t.Fatalf("%s: %v\n%s(notes: %s)", strings.Join(s.command.Args, " "), s.state, s.out, s.notes)
	}
	return s
}

// dirs are the run directories of the process pid, of all if it is 0.
func (s *sampled) dirs(pid int) []string {
	pattern := "*"
	if pid != 0 {
		pattern = fmt.Sprintf("*.%d*", pid)
	}
	dirs, err := filepath.Glob(filepath.Join(s.root, pattern))
	if err != nil {
		s.t.Fatal(err)
	}
	return dirs
}

// counts opens the count files of the program's own process, by the names of their objects.
func (s *sampled) counts() map[string]*data.Counts {
	s.t.Helper()
	return countsOf(s.t, s.dirs(s.state.Pid())...)
}

func countsOf(t testing.TB, dirs ...string) map[string]*data.Counts {
	t.Helper()
	all := map[string]*data.Counts{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() == "meta" {
				continue
			}
			c, err := data.OpenCounts(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.Base(c.Object)] = c
		}
	}
	return all
}

// meta reads the one run directory of the program's own process.
func (s *sampled) meta() data.Meta {
	s.t.Helper()
	dirs := s.dirs(s.state.Pid())
	if len(dirs) != 1 {
		s.t.Fatalf("run directories: %v", dirs)
	}
	r, err := data.Open(dirs[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Meta
}

// total adds up the counters of a file.
func total(t testing.TB, c *data.Counts) uint64 {
	t.Helper()
	var n uint64
	if err := c.Each(func(_, count uint64) { n += count }); err != nil {
		t.Fatal(err)
	}
	return n
}

// samples adds up the samples stored and lost of many files.
func samples(all map[string]*data.Counts) (stored, lost uint64) {
	for _, c := range all {
		stored += c.Samples
		lost += c.Lost
	}
	return stored, lost
}

// inFunction adds up the counts of a function of the object. A bin belongs to where it begins.
func inFunction(t testing.TB, c *data.Counts, name string) uint64 {
	t.Helper()
	f, err := elf.Open(c.Object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var n uint64
	for _, s := range symbols {
		if s.Name != name || s.Size == 0 {
			continue
		}
		if err := c.Each(func(vaddr, count uint64) {
			if vaddr+uint64(c.BinSize) > s.Value && vaddr < s.Value+s.Size {
				n += count
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// within has n of all samples be what the share p predicts.
func within(d *chance.Draw, what string, n, all uint64, p float64) {
	d.Helper()
	d.Check(chance.Share(what, float64(n), float64(all), p))
}
