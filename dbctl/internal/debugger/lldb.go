package debugger

import (
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// lldbProgram is what lldb runs; the requests that it answers are in its header.
//
//go:embed lldb.py
var lldbProgram string

// LLDB is lldb 14 or later, with its Python. It's told to run a program of ours, which comes over
// descriptor 3, speaks for it in records of gdb/MI, and writes values and call paths as gdb does.
//
// lldb knows but processes of which all threads stand or all run. So it's shown one thread at a time
// that stands still, and runs nothing but functions that an expression calls.
func LLDB() *Table {
	return &Table{
		Name:      "lldb",
		Args:      []string{"--no-lldbinit", "--batch", "--one-line", "script import os; exec(os.read(3, 1 << 20).decode(), {})"},
		Program:   lldbProgram,
		Environ:   pythonOfLLDB,
		Memory:    64 << 20,
		Version:   "version",
		Supported: supportedLLDB,

		Connect: func(socket string) []string { return []string{"connect " + socket} },
		Look:    func(tid int) string { return fmt.Sprintf("look %d", tid) },
		Hit:     func(thread int) string { return fmt.Sprintf("hit %d", thread) },
		ReadHit: func(r *mi.Record) (Event, bool) {
			frame := r.Results.Get("frame")
			return Event{
				Kind: Breakpoint, Number: r.Str("number"),
				Func: frame.Str("func"), File: frame.Str("fullname"), Line: frame.Str("line"),
			}, r.Str("number") != ""
		},
		ReadPoints: readPoints,

		Symbols: func(_ int, path string, bias uint64) string { return fmt.Sprintf("symbols %#x %s", bias, path) },
		Command: func(thread int, text string) string { return fmt.Sprintf("do %d %s", thread, text) },
		Resumes: func(text string) bool { return plainContinue[strings.TrimSpace(text)] },

		Running:       func(string) bool { return false },
		Hardware:      func(string) string { return "" },
		Watches:       func(string) bool { return false },
		Ended:         func(string) bool { return false },
		NoThreadLocal: func(string) bool { return false },

		Evaluate: func(thread int, cfa uint64, expr string) []string {
			return []string{fmt.Sprintf("eval %d %#x %s", thread, cfa, expr)}
		},
		Frames:     func(thread int) string { return fmt.Sprintf("frames %d", thread) },
		ReadFrames: readFrames,
		EvaluateAt: func(thread, level int, expr string) []string {
			return []string{fmt.Sprintf("evalat %d %d %s", thread, level, expr)}
		},
		Value:  func(r *mi.Record) string { return r.Str("value") },
		Decode: func(*mi.Record) Event { return Event{} }, // it tells of nothing by itself
	}
}

var plainContinue = map[string]bool{"continue": true, "c": true, "fg": true}

func readPoints(r *mi.Record) (addresses []uint64, ok bool) {
	points := r.Results.Get("points")
	for _, item := range points.Items {
		addr, err := strconv.ParseUint(item.Text, 0, 64)
		if err != nil {
			return nil, false
		}
		addresses = append(addresses, addr)
	}
	return addresses, points.List
}

var lldbVersion = regexp.MustCompile(`lldb version ((\d+)\.\d+)`)

const oldestLLDB = 14

func supportedLLDB(text string) error {
	m := lldbVersion.FindStringSubmatch(text)
	if m == nil {
		return errors.New("it does not say that it is lldb")
	}
	if major, _ := strconv.Atoi(m[2]); major < oldestLLDB {
		return fmt.Errorf("it is version %s, and %d is the oldest that works", m[1], oldestLLDB)
	}
	return nil
}

// pythonOfLLDB has Debian's lldb find its modules of Python, which it looks for in the wrong place.
func pythonOfLLDB(path string, environ []string) []string {
	file, err := exec.LookPath(path)
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return environ
	}
	modules, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "../lib/python3.*/*-packages/lldb"))
	if len(modules) == 0 {
		return environ
	}
	return append(environ, "PYTHONPATH="+filepath.Dir(modules[0]))
}
