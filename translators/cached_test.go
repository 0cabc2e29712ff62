package translators

import (
	"bytes"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/profilecollection/pct/internal/object"
)

// A keeper is a private cache, a program, and Default with a note of what it was asked.
type keeper struct {
	*testing.T
	cache, argv0, asked string
	program             string
	vaddrs              []uint64 // of its functions
}

const cachedSource = `
static inline int half(int x) { return x / 2 + 3; }
int first(int x) { return half(x) * x; }
int second(int x) { return half(x + 1) - x; }
int main(int argc, char **argv) { return first(argc) + second(argc); }
`

var buildDefault = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "cached-test")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, Default), "../tools").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	built, err := buildDefault()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	k := &keeper{T: t, cache: filepath.Join(dir, "cache"), argv0: filepath.Join(dir, Default), asked: filepath.Join(dir, "asked"), program: filepath.Join(dir, "program")}
	t.Setenv("PCT_CACHE", k.cache)
	k.write(k.argv0, "#!/bin/sh\necho start >>"+k.asked+"\ntee -a "+k.asked+" | "+filepath.Join(built, Default)+" \"$@\"\n", 0o700)
	k.write(dir+"/program.c", cachedSource, 0o600)
	k.run("gcc", "-O2", "-g", "-o", k.program, dir+"/program.c")
	f, err := elf.Open(k.program)
	k.check(err)
	defer f.Close()
	symbols, err := f.Symbols()
	k.check(err)
	for _, s := range symbols {
		if s.Name == "first" || s.Name == "second" || s.Name == "main" {
			for at := s.Value; at < s.Value+s.Size; at++ {
				k.vaddrs = append(k.vaddrs, at)
			}
		}
	}
	return k
}

func (k *keeper) check(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

func (k *keeper) write(path, text string, mode os.FileMode) {
	k.Helper()
	k.check(os.WriteFile(path, []byte(text), mode))
}

func (k *keeper) run(argv ...string) {
	k.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		k.Fatalf("%v: %v\n%s", argv, err, out)
	}
}

// ask asks as one process does, and returns how often a translator was started for it
// and how many requests that got.
func (k *keeper) ask(vaddrs []uint64, options ...string) (answers [][]Location, starts, requests int) {
	k.Helper()
	before, _ := os.ReadFile(k.asked)
	c, err := StartCached(append([]string{k.argv0}, options...))
	k.check(err)
	answers, err = c.TranslateBuild(k.program, "", vaddrs)
	k.check(err)
	again, err := c.TranslateBuild(k.program, "", vaddrs)
	k.check(err)
	if !reflect.DeepEqual(again, answers) {
		k.Errorf("asked again: %v, at first %v", again, answers)
	}
	k.check(c.Close())
	after, _ := os.ReadFile(k.asked)
	text := string(after[len(before):])
	starts = strings.Count(text, "start\n")
	return answers, starts, strings.Count(text, "\n") - starts
}

// want asks and compares with what the translator says without a cache.
func (k *keeper) want(what string, vaddrs []uint64, starts, requests int, options ...string) {
	k.Helper()
	got, n, asked := k.ask(vaddrs, options...)
	if n != starts || asked != requests {
		k.Errorf("%s: %d starts and %d requests, want %d and %d", what, n, asked, starts, requests)
	}
	client, err := Start(append([]string{k.argv0}, options...))
	k.check(err)
	defer client.Close()
	true, err := client.Translate(k.program, vaddrs)
	k.check(err)
	if !reflect.DeepEqual(got, true) {
		k.Errorf("%s: %v, want %v", what, got, true)
	}
}

// entry is the one file of the cache.
func (k *keeper) entry() string {
	k.Helper()
	files, err := filepath.Glob(filepath.Join(k.cache, "*"))
	if err != nil || len(files) != 1 {
		k.Fatalf("%q in the cache, error %v", files, err)
	}
	return files[0]
}

// A translator is started for what is not known yet, and asked nothing else.
func TestCached(t *testing.T) {
	k := newKeeper(t)
	n := len(k.vaddrs)
	k.want("at first", k.vaddrs[:n/2], 1, n/2)
	k.want("again", k.vaddrs[:n/2], 0, 0)
	k.want("more", k.vaddrs, 1, n-n/2)
	k.want("all", k.vaddrs, 0, 0)
	backwards := append([]uint64{1, k.vaddrs[n-1] + 1<<40}, k.vaddrs[n/2], k.vaddrs[1], k.vaddrs[n/2], k.vaddrs[0])
	k.want("unsorted, some of no code", backwards, 1, 2)
	k.want("the same again", backwards, 0, 0)
	if st, err := os.Stat(k.entry()); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, error %v", st, err)
	}
	k.want("less of each", k.vaddrs, 1, n, "-innermost", "-functions")
	k.want("less of each again", k.vaddrs, 0, 0, "-innermost", "-functions")
	k.want("the whole again", k.vaddrs, 0, 0)
	// What other options make the answers depend on is not known.
	for range 2 {
		k.want("another option", k.vaddrs, 1, 2*n, "-debug-dir", t.TempDir())
	}
}

// What has changed is asked for again.
func TestCachedChanges(t *testing.T) {
	k := newKeeper(t)
	n := len(k.vaddrs)
	dir := filepath.Dir(k.program)
	k.want("at first", k.vaddrs, 1, n)
	for _, c := range []struct {
		what string
		argv []string
	}{
		{"another time", []string{"touch", "-d", "2001-01-01", k.program}},
		{"another translator", []string{"touch", "-d", "2001-01-01", k.argv0}},
		{"another program", []string{"sh", "-c", "sed s/first/other/ " + dir + "/program.c | gcc -O2 -g -x c -o " + k.program + " -"}},
		{"debug data taken out", []string{"sh", "-c", "cd " + dir + " && objcopy --only-keep-debug program apart && strip program && objcopy --add-gnu-debuglink=apart program && mv apart kept"}},
		{"debug data put beside it", []string{"mv", dir + "/kept", dir + "/apart"}},
		{"debug data in a directory", []string{"sh", "-c", "cd " + dir + " && mkdir .debug && mv apart .debug"}},
		{"removed", []string{"rm", k.program}},
	} {
		k.run(c.argv...)
		k.want(c.what, k.vaddrs, 1, n)
		k.want(c.what+", again", k.vaddrs, 0, 0)
	}
	k.entry()
	// Files that the object names somewhere can't be watched.
	k.run("gcc", "-O2", "-g", "-gsplit-dwarf", "-o", k.program, dir+"/program.c")
	for range 2 {
		k.want("split", k.vaddrs, 1, 2*n)
	}
}

// Build-ids are told apart.
func TestCachedBuildID(t *testing.T) {
	k := newKeeper(t)
	f, err := object.Open(k.program)
	k.check(err)
	defer f.Close()
	for _, id := range []string{f.BuildID(), "c0ffee", ""} {
		for range 2 {
			c, err := StartCached([]string{k.argv0})
			k.check(err)
			got, err := c.TranslateBuild(k.program, id, k.vaddrs[:1])
			k.check(err)
			if known := got[0][0].Func != ""; known != (id != "c0ffee") {
				t.Errorf("build-id %q: %v", id, got)
			}
			k.check(c.Close())
		}
	}
	asked, err := os.ReadFile(k.asked)
	if n := strings.Count(string(asked), "start\n"); err != nil || n != 3 {
		t.Errorf("%d starts, error %v", n, err)
	}
}

// A file that is not as it should be counts as none.
func TestCachedDamage(t *testing.T) {
	k := newKeeper(t)
	n := len(k.vaddrs)
	k.want("at first", k.vaddrs, 1, n)
	whole, err := os.ReadFile(k.entry())
	k.check(err)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-20] ^= 4
	for what, damaged := range map[string][]byte{
		"cut in the middle": whole[:len(whole)/2],
		"cut at the end":    whole[:len(whole)-1],
		"longer":            append(bytes.Clone(whole), 0),
		"empty":             nil,
		"a bit flipped":     flipped,
		"another name":      bytes.Replace(whole, []byte("second"), []byte("sekond"), 1),
		"another version":   bytes.Replace(whole, []byte("pct-answers 2"), []byte("pct-answers 3"), 1),
		"no head":           []byte(answersMagic + "\n"),
		"text":              bytes.Repeat([]byte("?|?|?\n"), 100),
	} {
		k.write(k.entry(), string(damaged), 0o600)
		k.want(what, k.vaddrs, 1, n)
		k.want(what+", then mended", k.vaddrs, 0, 0)
	}
	k.check(os.Chmod(k.entry(), 0o666))
	k.want("writable by others", k.vaddrs, 1, n)
	entry, elsewhere := k.entry(), filepath.Join(t.TempDir(), "elsewhere")
	k.check(os.Rename(entry, elsewhere))
	k.check(os.Symlink(elsewhere, entry))
	k.want("a link", k.vaddrs, 1, n)
	if st, err := os.Lstat(k.entry()); err != nil || !st.Mode().IsRegular() {
		t.Errorf("the link was not replaced: %v, error %v", st, err)
	}
}

// Where nothing can be kept the answers are the same.
func TestCachedNowhere(t *testing.T) {
	k := newKeeper(t)
	open := filepath.Join(t.TempDir(), "open")
	k.check(os.Mkdir(open, 0o700))
	k.check(os.Chmod(open, 0o1777))
	link := filepath.Join(t.TempDir(), "link")
	k.check(os.Symlink(t.TempDir(), link))
	requests := func(dir string) int {
		if dir == "/proc/self/task" { // which can be opened, but not written
			return len(k.vaddrs)
		}
		return 2 * len(k.vaddrs)
	}
	for _, dir := range []string{"none", open, link, "/dev/full/cache", "/proc/self/task"} {
		t.Setenv("PCT_CACHE", dir)
		for range 2 {
			k.want(dir, k.vaddrs, 1, requests(dir))
		}
	}
	for _, dir := range []string{open, link} {
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%d files in %s, error %v", len(files), dir, err)
		}
	}
	// Who has no home gets none made.
	home := filepath.Join(t.TempDir(), "missing")
	for name, value := range map[string]string{"PCT_CACHE": "", "XDG_CACHE_HOME": "", "HOME": home} {
		t.Setenv(name, value)
	}
	k.want("no home", k.vaddrs, 1, 2*len(k.vaddrs))
	if _, err := os.Stat(home); err == nil {
		t.Errorf("%s was made", home)
	}
}

// Any number of processes may ask at once.
func TestCachedAtOnce(t *testing.T) {
	k := newKeeper(t)
	client, err := Start([]string{k.argv0})
	k.check(err)
	defer client.Close()
	want, err := client.Translate(k.program, k.vaddrs)
	k.check(err)
	answer := map[uint64][]Location{}
	for i, vaddr := range k.vaddrs {
		answer[vaddr] = want[i]
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			var some []uint64
			for range 10 {
				some = append(some, k.vaddrs[rand.IntN(len(k.vaddrs))])
			}
			c, err := StartCached([]string{k.argv0})
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			got, err := c.TranslateBuild(k.program, "", some)
			for i, vaddr := range some {
				if err != nil || !reflect.DeepEqual(got[i], answer[vaddr]) {
					t.Errorf("%#x: %v, error %v", vaddr, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
	k.ask(k.vaddrs)
	k.want("afterwards", k.vaddrs, 0, 0)
	k.entry()
}

// A command that says that it is a translator of ours is the one in PATH or beside us;
// others are started at once, whatever is kept.
func TestCachedOthers(t *testing.T) {
	k := newKeeper(t)
	other := filepath.Join(t.TempDir(), "other")
	k.run("cp", k.argv0, other)
	k.argv0 = other
	for range 2 {
		k.want("another translator", k.vaddrs, 1, 2*len(k.vaddrs))
	}
	if _, err := os.Stat(k.cache); err == nil {
		t.Error("a directory was made for nothing")
	}
	if _, err := StartCached([]string{filepath.Join(t.TempDir(), "missing")}); err == nil {
		t.Error("a missing program was started")
	}
}
