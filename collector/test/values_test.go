package collector_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
)

// planned writes a file of plans for expressions "function@expression" in a program.
func planned(t testing.TB, exe string, wanted ...string) (file string, all []*expression.Code, of map[int]string) {
	t.Helper()
	f, err := object.Map(exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	o := expression.NewObject(debuginfo.Open(object.Installed(), object.Installed().DebugFile(f), f.LowestCode()))
	of = map[int]string{}
	var lists [][]*expression.Code
	for _, w := range wanted {
		function, text, _ := strings.Cut(w, "@")
		functions, err := expression.NewMeant(function)
		if err != nil {
			t.Fatal(err)
		}
		codes, err := o.Ranges(text, functions)
		if err != nil || len(codes) == 0 {
			t.Fatalf("%s: %v, %d codes", w, err, len(codes))
		}
		lists = append(lists, codes)
	}
	var uses []plan.Ranged
	for e, codes := range lists {
		for _, c := range codes {
			of[len(all)] = wanted[e]
			uses = append(uses, plan.Ranged{Low: c.Low, High: c.High, Use: plan.Use{Expression: e, Plan: len(all), Code: c.Code, Entries: o.Entries(c.Low, c.Code)}})
			all = append(all, c)
		}
	}
	thread, _ := f.ThreadOffset()
	head := make([]byte, 64)
	copy(head, "PCTvalues2\n")
	binary.LittleEndian.PutUint32(head[16:], 64)
	id := make([]byte, len(f.BuildID())/2)
	fmt.Sscanf(f.BuildID(), "%x", &id)
	b, err := plan.File(len(wanted), false, head, []plan.Object{{ID: id, Path: exe, Thread: thread, Stretches: plan.Stretches(uses)}})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "plans")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, all, of
}

// A record is what a sample's expressions came to, by their words.
type record struct {
	node, thread, count uint32
	time                uint64
	values              map[string]string
	whys                map[string]plan.Outcome
}

// readValues reads a file of values.
func readValues(t testing.TB, file string, codes []*expression.Code, of map[int]string) (all []record, lost uint64) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(b[:11]) != "PCTvalues2\n" {
		t.Fatalf("%s begins with %q", file, b[:16])
	}
	used, lost := binary.LittleEndian.Uint64(b[24:]), binary.LittleEndian.Uint64(b[32:])
	for b = b[64:][:used]; len(b) > 0; {
		head := binary.LittleEndian.Uint32(b)
		n := head &^ 3
		if head&1 == 0 || n < 24 || int(n) > len(b) {
			t.Fatalf("a record with head %#x of %d bytes", head, len(b))
		}
		r := record{binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint64(b[16:]), map[string]string{}, map[string]plan.Outcome{}}
		for v := b[24:n]; len(v) > 0; {
			number, why, length := int(binary.LittleEndian.Uint16(v)), plan.Outcome(v[2]), int(binary.LittleEndian.Uint32(v[4:]))
			word, c := of[number], codes[number]
			if why == plan.Got {
				value, ok := c.Value(v[8 : 8+length])
				if !ok {
					t.Fatalf("%s: % x is no %s", word, v[8:8+length], c.Type.Name)
				}
				r.values[word] = value.Viewed(nil)
			} else {
				r.whys[word] = why
			}
			v = v[8+(length+3)&^3:]
		}
		all = append(all, r)
		b = b[n:]
	}
	return all, lost
}

// buildValues builds testdata/values.c.
func buildValues(t testing.TB, compiler string, flags ...string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "values")
	args := append(flags, "-g", "-DNOIPA", "-fno-optimize-sibling-calls", "-o", exe, "testdata/values.c", "-lpthread")
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

var everyValue = []string{"down@depth", "down@total", "down@t.name", "down@t", "down@t.high", "down@above->depth", "down@t.half*2", "down@square", "top@total", "top@squared", "leaf@level", "leaf@share", "leaf@mine"}

// checkValues looks at each sample, and returns how often an expression had a value.
func checkValues(t *testing.T, records []record) map[string]int {
	t.Helper()
	got := map[string]int{}
	wrong := 0
	for _, r := range records {
		v := r.values
		for word, text := range v {
			got[word]++
			if text == "<optimized out>" {
				delete(v, word)
				got[word]--
			}
		}
		is := func(word string, want any) {
			if s, ok := v[word]; ok && s != fmt.Sprint(want) {
				if wrong++; wrong < 10 {
					t.Errorf("%s is %s, not %v: node %d of %s, %v %v", word, s, want, r.node, t.Name(), v, r.whys)
				}
			}
		}
		_, inLeaf := v["leaf@share"]
		half, ok := v["down@t.half*2"]
		if !inLeaf || !ok {
			continue
		}
		depth, _ := strconv.Atoi(half)
		is("leaf@level", depth+1)
		is("down@depth", depth)
		is("down@total", depth)
		is("top@total", depth)
		is("top@squared", depth*depth)
		is("down@square", depth*depth)
		is("down@t.high", depth&31)
		is("leaf@share", 0.5)
		is("leaf@mine", depth+1000)
		if depth > 0 {
			is("down@above->depth", depth-1)
		}
		if s, ok := v["down@t.name"]; ok && !strings.HasPrefix(s, fmt.Sprintf(`"depth-%d"`, depth)) && !strings.HasPrefix(s, fmt.Sprintf(`"depth-%d\000`, depth)) {
			is("down@t.name", depth)
		}
		if s, ok := v["down@t"]; ok && (!strings.HasPrefix(s, fmt.Sprintf(`{depth = %d, name = "depth-%d`, depth, depth)) || depth > 0 && !strings.Contains(s, fmt.Sprintf(`"depth-%d"`, depth-1))) {
			is("down@t", depth)
		}
	}
	return got
}

// Values are those of one and the same moment, of the frame that they belong to, wherever the compiler keeps them.
func TestValues(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		for _, flags := range []string{"-O0", "-O1", "-O2", "-O2 -fomit-frame-pointer", "-Os", "-O2 -no-pie"} {
			t.Run(compiler+flags, func(t *testing.T) {
				exe := buildValues(t, compiler, strings.Fields(flags)...)
				file, codes, of := planned(t, exe, everyValue...)
				s := prepare(t, "s q500", exe, "400").setenv("PCT_PLANS=" + file).run().ok("done\n")
				records, lost := readValues(t, filepath.Join(s.dirs(s.state.Pid())[0], "values.cpu"), codes, of)
				got := checkValues(t, records)
				t.Logf("%d records, %d lost: %v", len(records), lost, got)
				if len(records) < 20 || lost > 0 {
					t.Errorf("%d records, %d lost", len(records), lost)
				}
				for _, word := range []string{"leaf@level", "down@t.name", "down@depth", "top@total", "leaf@mine"} {
					if got[word] < len(records)/2 && (flags == "-O0" || !strings.HasSuffix(word, "l")) {
						t.Errorf("%s has %d values of %d", word, got[word], len(records))
					}
				}
			})
		}
	}
}

// Threads have their own values, and each process its own file.
func TestValuesOfThreadsAndProcesses(t *testing.T) {
	exe := buildValues(t, "gcc", "-O1")
	file, codes, of := planned(t, exe, everyValue...)
	s := prepare(t, "s q500", exe, "300", "threads").setenv("PCT_PLANS=" + file).run().ok("done\n")
	records, _ := readValues(t, filepath.Join(s.dirs(s.state.Pid())[0], "values.cpu"), codes, of)
	checkValues(t, records)
	threads := map[uint32]bool{}
	for _, r := range records {
		if len(r.values) > 0 {
			threads[r.thread] = true
		}
	}
	if len(threads) != 4 {
		t.Errorf("%d threads have values", len(threads))
	}
	s = prepare(t, "s q500", exe, "200", "fork").setenv("PCT_PLANS=" + file).run().ok("done\n")
	dirs, err := filepath.Glob(filepath.Join(s.root, "*"))
	if err != nil || len(dirs) != 2 {
		t.Fatalf("%d run directories (%v)", len(dirs), err)
	}
	for _, dir := range dirs {
		records, _ := readValues(t, filepath.Join(dir, "values.cpu"), codes, of)
		if len(records) < 10 {
			t.Errorf("%s: %d records", dir, len(records))
		}
		checkValues(t, records)
	}
}

// Where activations are counted as well, frames may be known from the path before by a mark alone.
func TestValuesOfActivations(t *testing.T) {
	for _, flags := range []string{"-O0", "-O2"} {
		t.Run(flags, func(t *testing.T) {
			exe := buildValues(t, "gcc", flags)
			file, codes, of := planned(t, exe, everyValue...)
			s := prepare(t, "s e q300", exe, "500").setenv("PCT_PLANS=" + file).run().ok("done\n")
			records, _ := readValues(t, filepath.Join(s.dirs(s.state.Pid())[0], "values.cpu"), codes, of)
			if got := checkValues(t, records); got["top@total"] < len(records)*9/10 || len(records) < 20 {
				t.Errorf("%d records: %v", len(records), got)
			}
		})
	}
}

// What finds no room is lost, and told; the program and its samples are as they are without values.
func TestValuesWithoutRoom(t *testing.T) {
	exe := buildValues(t, "gcc", "-O1")
	file, codes, of := planned(t, exe, everyValue...)
	for limit, note := range map[string]string{
		"ulimit -f 280":      "values of expressions are lost", // blocks of 512 bytes
		"ulimit -v 400000":   "",
		"PCT_PLANS=/nowhere": "values of expressions are not recorded",
		"PCT_PLANS=" + exe:   "values of expressions are not recorded",
	} {
		// Some 10,000 samples, of which the file has room for 17,000 under the limit of memory.
		s := prepare(t, "s q200", "/bin/sh", "-c", limit+"; exec "+exe+" 1000 threads").setenv("PCT_PLANS=" + file).run().ok("done\n")
		dirs, err := filepath.Glob(filepath.Join(s.root, "values.*"))
		if err != nil || len(dirs) != 1 {
			t.Fatalf("%s: run directories %v (%v)", limit, dirs, err)
		}
		meta, err := os.ReadFile(filepath.Join(dirs[0], "meta"))
		if err != nil || !strings.Contains(string(meta), note) {
			t.Errorf("%s: no note in %s (%v)", limit, meta, err)
		}
		log := filepath.Join(dirs[0], "values.cpu")
		if strings.HasPrefix(limit, "PCT_PLANS") {
			if exists(log) {
				t.Errorf("%s: there are values", limit)
			}
			continue
		}
		records, lost := readValues(t, log, codes, of)
		checkValues(t, records)
		if len(records) < 20 || (lost > 0) != (note != "") {
			t.Errorf("%s: %d records, %d lost", limit, len(records), lost)
		}
	}
}

// What the signal's frame overwrites has no value: it lies below the stack pointer.
func TestValuesBelowTheStack(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "below")
	if out, err := exec.Command("gcc", "-g", "-O1", "-fno-stack-protector", "-o", exe, "testdata/below.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, codes, of := planned(t, exe, "work@*above", "work@*below")
	s := prepare(t, "s q500", exe, "300").setenv("PCT_PLANS=" + file).run().ok("done\n")
	records, _ := readValues(t, filepath.Join(s.dirs(s.state.Pid())[0], "values.cpu"), codes, of)
	above := 0
	for _, r := range records {
		if v := r.values["work@*above"]; v == "77" {
			above++
		} else if v != "" && v != "<optimized out>" {
			t.Errorf("*above is %s", v)
		}
		if v := r.values["work@*below"]; v != "" && v != "<optimized out>" {
			t.Fatalf("*below is %s", v)
		}
	}
	if len(records) < 20 || above < len(records)/2 {
		t.Errorf("%d records, %d values above the stack pointer", len(records), above)
	}
}

// Where no stack is known, every word is read by asking the kernel.
func TestMemory(t *testing.T) {
	if out, err := exec.Command(filepath.Join(built, "memory")).CombinedOutput(); err != nil || string(out) != "done\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
