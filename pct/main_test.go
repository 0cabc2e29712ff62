package main

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/pct/data"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv("PCT_CACHE") == "" {
		os.Setenv("PCT_CACHE", "none") // not the user's own
	}
	testscript.Main(m, map[string]func(){"pct": main})
}

// promptly has a command that was built with the race detector end without waiting
// a second for reports.
const promptly = "atexit_sleep_ms=0"

// TestScripts runs testdata/*.txtar on the real command, the real translator
// and programs compiled there.
func TestScripts(t *testing.T) {
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, defaultTranslator), "../tools")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", e.Getenv("PATH")+string(os.PathListSeparator)+bin)
			e.Setenv("GORACE", promptly)
			e.Setenv("PCT_DIR", filepath.Join(e.WorkDir, "runs"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"mkrun": makeRun, "mktree": makeTree, "mkcounts": makeCounts, "mkcalls": makeCalls, "mkwide": makeWide, "fails": fails},
	})
}

// fails is the command "fails STATUS COMMAND ARG...": COMMAND must end with STATUS.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fails STATUS COMMAND ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != args[0] {
		ts.Fatalf("%v, want exit status %s", err, args[0])
	}
}

// makeRun is the command "mkrun SPEC [META]": it makes the run directory that SPEC
// describes, with the file META as its meta. The lines of SPEC are
//
//	run PROG PID [RESOURCE UNIT]
//	lost NUMBER REASON
//	COUNT WEIGHT [partial] [FIELD=VALUE]... : FRAME...
//
// where the frames are innermost first, each OBJECT:SYMBOL, OBJECT:0xADDRESS,
// OBJECT:inlined:FUNCTION (an instruction of FUNCTION's that was inlined), or
// 0xADDRESS.
func makeRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: mkrun SPEC [META]")
	}
	var w *data.Writer
	var d *data.Dir
	at := time.Duration(0)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		words := strings.Fields(line)
		var err error
		switch words[0] {
		case "run":
			pid, _ := strconv.Atoi(words[2])
			d, err = data.Create(ts.MkAbs("."), words[1], pid)
			ts.Check(err)
			h := data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond}
			if len(words) > 3 {
				h.Resource, h.Unit = words[3], words[4]
				if h.Unit != "µs" {
					h.Period = 0
				}
			}
			w, err = d.NewWriter(h)
		case "lost":
			n, _ := strconv.ParseUint(words[1], 10, 64)
			err = w.Lost(n, strings.Join(words[2:], " "))
		default:
			err = addSamples(ts, w, words, &at)
		}
		ts.Check(err)
	}
	ts.Check(w.Close())
	if len(args) == 2 {
		ts.Check(os.WriteFile(filepath.Join(d.Path(), "meta"), []byte(ts.ReadFile(args[1])), 0o600))
	}
}

func addSamples(ts *testscript.TestScript, w *data.Writer, words []string, at *time.Duration) error {
	count, err := strconv.Atoi(words[0])
	ts.Check(err)
	weight, err := strconv.ParseUint(words[1], 10, 64)
	ts.Check(err)
	s := data.Sample{Weight: weight, Thread: 1}
	words = words[2:]
	for ; words[0] != ":"; words = words[1:] {
		if words[0] == "partial" {
			s.Partial = true
			continue
		}
		name, value, _ := strings.Cut(words[0], "=")
		s.Fields = append(s.Fields, data.FieldValue{Field: w.Field(name), Value: strings.ReplaceAll(value, "_", " ")})
	}
	for i := len(words) - 1; i > 0; i-- {
		path, where, ok := strings.Cut(words[i], ":")
		if !ok {
			path, where = "", words[i]
		}
		var o data.ObjectID
		if path != "" {
			id := ""
			if f, err := object.Open(ts.MkAbs(path)); err == nil {
				id = f.BuildID()
				f.Close()
			}
			o = w.Object(ts.MkAbs(path), id, 'f', 0, 0, 0)
		}
		vaddr, err := address(ts.MkAbs(path), where)
		ts.Check(err)
		s.Node = w.Node(s.Node, o, vaddr)
	}
	for range count {
		*at += 10 * time.Millisecond
		s.Time, s.CPU = *at, *at
		if err := w.Sample(s); err != nil {
			return err
		}
	}
	return nil
}

// address finds what a frame of a SPEC stands for.
func address(object, where string) (uint64, error) {
	if hex, ok := strings.CutPrefix(where, "0x"); ok {
		return strconv.ParseUint(hex, 16, 64)
	}
	f, err := elf.Open(object)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if function, ok := strings.CutPrefix(where, "inlined:"); ok {
		return inlined(f, function)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return 0, err
	}
	for _, s := range symbols {
		if s.Name == where {
			return s.Value, nil
		}
	}
	return 0, fmt.Errorf("%s: no symbol %s", object, where)
}

// inlined returns the first instruction of an inlined activation of a function.
func inlined(f *elf.File, function string) (uint64, error) {
	d, err := f.DWARF()
	if err != nil {
		return 0, err
	}
	names := map[dwarf.Offset]string{}
	for pass := range 2 {
		r := d.Reader()
		for e, err := r.Next(); e != nil; e, err = r.Next() {
			if err != nil {
				return 0, err
			}
			if name, ok := e.Val(dwarf.AttrName).(string); ok && pass == 0 {
				names[e.Offset] = name
			}
			origin, _ := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
			if pass == 0 || e.Tag != dwarf.TagInlinedSubroutine || names[origin] != function {
				continue
			}
			ranges, err := d.Ranges(e)
			if err != nil {
				return 0, err
			}
			for _, r := range ranges {
				if r[0] < r[1] {
					return r[0], nil
				}
			}
		}
	}
	return 0, fmt.Errorf("%s was not inlined", function)
}

func TestNamesInComplaintsDoNotSteerTheTerminal(t *testing.T) {
	var stderr bytes.Buffer
	status := run([]string{"fn", "/absent\x1b[2J\r/a\n  b"}, strings.NewReader(""), io.Discard, &stderr)
	if want := "pct: no data in /absent\\x1b[2J\\x0d/a\n  b: no such file or directory\n"; status != failed || stderr.String() != want {
		t.Errorf("status %d, %q, want %q", status, stderr.String(), want)
	}
}

// makeWide is the command "mkwide N": the run directory wide.1 has a sample in each of N functions, which nothing calls.
func makeWide(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mkwide N")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	d, err := data.Create(ts.MkAbs("."), "wide", 1)
	ts.Check(err)
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond})
	ts.Check(err)
	o := w.Object(ts.MkAbs("wide"), "", 0, 0, 0, 0)
	for i := range n {
		ts.Check(w.Sample(data.Sample{Node: w.Node(0, o, uint64(0x100+i)), Weight: 10_000, Thread: 1}))
	}
	ts.Check(w.Close())
}
