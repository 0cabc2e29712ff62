package collector_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// paths are the letters of call paths, at random intervals so that no program runs in step with the clock.
const paths = "s r1 q1000"

// A profile is the call paths of one process.
type profile struct {
	t       testing.TB
	run     *data.Run
	symbols map[data.ObjectID][]elf.Symbol
	objects map[data.ObjectID]bool // whose symbols are read
	all     uint64
	partial uint64
}

// profile reads a run directory.
func (s *sampled) profile(dir string) *profile {
	s.t.Helper()
	r, err := data.Open(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(r.Damage) > 0 {
		s.t.Errorf("%s: %v", dir, r.Damage)
	}
	return newProfile(s.t, r)
}

func newProfile(t testing.TB, r *data.Run) *profile {
	p := &profile{t: t, run: r, symbols: map[data.ObjectID][]elf.Symbol{}, objects: map[data.ObjectID]bool{}}
	for _, s := range r.Samples() {
		p.all += s.Count
		if s.Partial {
			p.partial += s.Count
		}
	}
	return p
}

// own is the profile of the program's own process.
func (s *sampled) own() *profile {
	s.t.Helper()
	dirs := s.dirs(s.state.Pid())
	if len(dirs) != 1 {
		s.t.Fatalf("run directories: %v\n%s", dirs, s.notes)
	}
	return s.profile(dirs[0])
}

// name is the function at a node, "" if its object has no such symbol.
func (p *profile) name(n data.Node) string {
	if !p.objects[n.Object] {
		p.objects[n.Object] = true
		if f, err := elf.Open(p.run.Objects[n.Object].Path); err == nil {
			static, _ := f.Symbols()
			dynamic, _ := f.DynamicSymbols()
			p.symbols[n.Object] = append(static, dynamic...)
			f.Close()
		}
	}
	for _, s := range p.symbols[n.Object] {
		if n.Vaddr >= s.Value && n.Vaddr < s.Value+s.Size {
			return s.Name
		}
	}
	return ""
}

// on counts the samples on whose path the functions stand in this order, the outermost first,
// each called by the one before it.
func (p *profile) on(functions ...string) uint64 {
	var n uint64
	for _, s := range p.run.Samples() {
		var path []string
		for at := s.Node; at != 0; at = p.run.Nodes[at].Parent {
			path = append(path, p.name(p.run.Nodes[at]))
		}
		slices.Reverse(path)
		if strings.Contains("/"+strings.Join(path, "/")+"/", "/"+strings.Join(functions, "/")+"/") {
			n += s.Count
		}
	}
	return n
}

// whole fails unless at least 99.5 % of the paths reach their outermost frame.
func (p *profile) whole() *profile {
	p.t.Helper()
	if p.all == 0 || p.partial*200 > p.all {
		p.t.Errorf("%d of %d call paths are partial", p.partial, p.all)
	}
	if p.run.Meta.Samples != p.all || p.run.Meta.Partial != p.partial {
		p.t.Errorf("meta tells of %d samples, %d partial: want %d, %d", p.run.Meta.Samples, p.run.Meta.Partial, p.all, p.partial)
	}
	return p
}

// mostly fails unless at least nine of ten samples are on the path.
func (p *profile) mostly(functions ...string) {
	p.t.Helper()
	if n := p.on(functions...); n*10 < p.all*9 || n == 0 {
		p.t.Errorf("%d of %d samples are on %.200q", n, p.all, strings.Join(functions, " "))
	}
}

func TestPathRatio(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { pathRatio(t, d) })
}

func pathRatio(t *testing.T, d *chance.Draw) {
	p := prepare(t, paths, "paths", "ratio").run().ok("done\n").own().whole()
	working := p.on("main", "ratio", "once", "work") + p.on("main", "ratio", "twice", "work")
	within(d, "work of once", p.on("once", "work"), working, 1.0/3)
	if working*10 < p.all*8 {
		t.Errorf("%d of %d samples are in work", working, p.all)
	}
}

func TestDeepPaths(t *testing.T) {
	for _, levels := range []string{"250", "20000"} {
		p := prepare(t, paths, "paths", "deep", levels).run().ok("done\n").own().whole()
		p.mostly("main", "down", "down", "down")
		if levels == "250" {
			p.mostly(append([]string{"main"}, slices.Repeat([]string{"down"}, 251)...)...)
		}
	}
}

func TestPathsOfExceptions(t *testing.T) {
	p := prepare(t, paths, "throws").run().ok("done\n").own().whole()
	p.mostly("main", "_Z7catcherv")
	// Where libgcc goes to the handler its frame tells nothing of its caller.
	for _, program := range []string{"throws", "throws-static"} {
		p = prepare(t, "s r1 q200", program, "often").run().ok("done\n").own()
		if p.all < 100 || p.partial*1000 > p.all {
			t.Errorf("%d of %d call paths are partial", p.partial, p.all)
		}
		p.mostly("main", "_Z7catcherv")
	}
	prepare(t, paths, "paths", "jumps").run().ok("done\n").own().whole().mostly("main", "jumps", "jump", "jump")
}

func TestPathsOfThreads(t *testing.T) {
	p := prepare(t, paths, "paths", "threads").run().ok("done\n").own().whole()
	threads := map[uint32]bool{}
	for _, s := range p.run.Samples() {
		threads[s.Thread] = true
	}
	if len(threads) < 8 {
		t.Errorf("samples of %d threads, want 8", len(threads))
	}
	p.mostly("of_thread")
}

// What the tree's header sums up is what its nodes say. (Of time in user mode each path is one sample.)
func TestPathSums(t *testing.T) {
	for _, letters := range []string{paths + " IV", paths + " IV e"} {
		p := prepare(t, letters, "paths", "threads").run().ok("done\n").own()
		file, err := os.ReadFile(filepath.Join(p.run.Dir, "paths.cpu"))
		if err != nil {
			t.Fatal(err)
		}
		tree := file[binary.LittleEndian.Uint64(file[32:]):]
		u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(tree[at:]) }
		samples, weight, partial, guessed, lost, saturated, frames, fresh := u64(32), u64(40), u64(48), u64(56), u64(64), u64(72), u64(80), u64(88)
		depth, all := make([]uint64, len(p.run.Nodes)), uint64(0)
		for i, n := range p.run.Nodes[1:] {
			depth[i+1] = depth[n.Parent] + 1
		}
		for _, s := range p.run.Samples() {
			all += s.Count * depth[s.Node]
		}
		if samples == 0 || samples != weight || weight != p.all || partial != p.partial || guessed > samples || saturated > 0 || frames != all || fresh > frames {
			t.Errorf("%s: samples %d, weight %d, partial %d, guessed %d, saturated %d, frames %d, fresh %d; the nodes have %d samples, %d partial, %d frames",
				letters, samples, weight, partial, guessed, saturated, frames, fresh, p.all, p.partial, all)
		}
		if told := lost + binary.LittleEndian.Uint64(file[64:]); told != p.run.Meta.Lost || told > samples {
			t.Errorf("%s: %d samples lost and %d in the file, of %d", letters, p.run.Meta.Lost, told, samples)
		}
	}
}

func TestPathsOfFamily(t *testing.T) {
	s := prepare(t, paths, "paths", "family").run().ok("")
	s.own().whole().mostly("main", "of_parent")
	found := map[string]bool{}
	for _, dir := range s.dirs(0) {
		if p := s.profile(dir); p.on("main", "of_child") > 0 {
			found["forked"] = true
			p.whole().mostly("main", "of_child")
		} else if p.on("main", "down", "down") > 0 {
			found["executed"] = true
			p.whole().mostly("main", "down")
		}
	}
	if !found["forked"] || !found["executed"] {
		t.Errorf("found %v in %v", found, s.dirs(0))
	}
}

func TestPathsOfLoadedCode(t *testing.T) {
	s := prepare(t, paths, "paths", "loaded", filepath.Join(built, "first.so"), filepath.Join(built, "second.so")).run().ok("done\n")
	p := s.own().whole()
	for _, o := range []string{"first.so", "second.so"} {
		if n := p.in(o); n*5 < p.all {
			t.Errorf("%d of %d samples are in %s", n, p.all, o)
		}
	}
	p.mostly("main", "work")
}

// in counts the samples whose innermost frame is in an object.
func (p *profile) in(object string) uint64 {
	var n uint64
	for _, s := range p.run.Samples() {
		if filepath.Base(p.run.Objects[p.run.Nodes[s.Node].Object].Path) == object {
			n += s.Count
		}
	}
	return n
}

func TestPathsOnOtherStacks(t *testing.T) {
	prepare(t, paths, "paths", "handler").run().ok("done\n").own().whole().mostly("main", "interrupted")
}

// Code that nothing is known of is left by its frame pointer, if it has one; else its paths are partial.
func TestPathsOfGeneratedCode(t *testing.T) {
	p := prepare(t, paths, "paths", "generated", "fp").run().ok("done\n").own().whole()
	if n := p.in("[anon]"); n*10 < p.all*9 {
		t.Errorf("%d of %d samples are in generated code", n, p.all)
	}
	p.mostly("main", "")
	p = prepare(t, paths, "paths", "generated").run().ok("done\n").own()
	if n := p.in("[anon]"); n*10 < p.all*9 || p.partial*10 < n*9 || p.partial != p.run.Meta.Partial {
		t.Errorf("%d of %d samples are in generated code, %d partial, %d by meta", n, p.all, p.partial, p.run.Meta.Partial)
	}
}

// A tree of 2 million contexts is full. What it has no room for is told.
func TestPathsOfFullTree(t *testing.T) {
	p := prepare(t, paths, "paths", "bushy").run().ok("done\n").own()
	if len(p.run.Nodes) < 2_000_000 || p.all == 0 || p.partial > 0 || p.run.Meta.Lost == 0 {
		t.Errorf("%d contexts, %d samples, %d partial, %d lost", len(p.run.Nodes), p.all, p.partial, p.run.Meta.Lost)
	}
	if !slices.ContainsFunc(p.run.Meta.Notes, func(n string) bool { return strings.Contains(n, "more call paths") }) {
		t.Errorf("notes %q", p.run.Meta.Notes)
	}
}

// Where files can't grow, or memory is short, programs do what they did, and of what there is no room for nothing is stored but its number.
func TestPathsWithoutRoom(t *testing.T) {
	check := func(s *sampled, what string) (stored, lost uint64) {
		t.Helper()
		var out bytes.Buffer
		s.command.Stdout, s.command.Stderr = &out, &out
		if err := s.command.Run(); err != nil || out.String() != "done\n" {
			t.Errorf("%s: %v\n%s", what, err, out.String())
		}
		s.state = s.command.ProcessState
		for _, dir := range s.dirs(0) {
			if !exists(filepath.Join(dir, "paths.cpu")) {
				continue
			}
			p := s.profile(dir)
			stored, lost = stored+p.all, lost+p.run.Meta.Lost
			if p.partial > 0 {
				t.Errorf("%s: %d of %d call paths are partial", what, p.partial, p.all)
			}
		}
		return stored, lost
	}
	noted, stored := false, false
	for _, pages := range []int{0, 1, 2, 4, 6, 9} {
		dir := mounted(t, "1m", 1<<20-pages*4096)
		s := prepare(t, "s q1000", "paths", "deep", "1000")
		s.root = filepath.Join(dir, "pct")
		s.setenv("PCT_DIR="+s.root, "PCT_RUN="+filepath.Join(t.TempDir(), "none"))
		some, lost := check(s, fmt.Sprintf("%d pages left", pages))
		noted, stored = noted || lost > 0, stored || some > 0
	}
	if !noted || !stored {
		t.Errorf("some samples lost: %v, some stored: %v", noted, stored)
	}
	for _, limit := range []string{"-f 0", "-f 1", "-f 1100", "-v 16384", "-v 262144", "-d 16384", "-d 40960", "-d 262144"} {
		check(prepare(t, "s q1000", "sh", "-c", "ulimit "+limit+"; exec "+filepath.Join(built, "paths")+" deep 250"), "ulimit "+limit)
	}
}

// All that was counted is there when a process is killed.
func TestPathsOfKilled(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { pathsOfKilled(t, d) })
}

func pathsOfKilled(t *testing.T, d *chance.Draw) {
	s := prepare(t, paths, "paths", "killed").run()
	if st := s.state.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != syscall.SIGKILL {
		t.Fatalf("%v\n%s", s.state, s.out)
	}
	p := s.own().whole()
	if p.run.Meta.State != "killed" {
		t.Errorf("state %s", p.run.Meta.State)
	}
	within(d, "work of once", p.on("ratio", "once", "work"), p.on("work"), 1.0/3)
}

// Programs behave as they do without us, and call paths of them are found.
func TestPathsOfProgramsWithHabits(t *testing.T) {
	letters := []string{"s q1000"}
	if times, _ := abuse(t); times > 1 {
		letters = append(letters, "s q4000")
	}
	for _, program := range []string{
		"target profiler", "target handlers 23 5 28 27", "target errno", "target small-stacks", "target blocked",
		"polite own-clock", "polite old-signals", "polite waits-for-trap", "polite confined", "polite little-space",
		"polite locked", "polite leaderless",
	} {
		for _, l := range letters {
			prepare(t, l, strings.Fields(program)...).run().ok("done\n").own().whole()
		}
	}
}
