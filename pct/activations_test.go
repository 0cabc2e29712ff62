package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// makeCalls is the command "mkcalls FILE SPEC [uncounted]": it makes a file of call paths, in
// which activations are counted unless the last word forbids it. The first line of SPEC is
//
//	WEIGHT RESOURCE UNIT
//
// of a sample, in the unit. Each other one is a node,
//
//	PARENT WHERE SAMPLES CALLS
//
// where nodes are numbered from 2, 1 is the root, and WHERE is OBJECT:0xADDRESS, thread:NUMBER or
// partial.
func makeCalls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 || len(args) == 3 && args[2] != "uncounted" {
		ts.Fatalf("usage: mkcalls FILE SPEC [uncounted]")
	}
	const (
		header, objectsAt, treeAt, treeHeader = 512, 512, 8192, 240
		root, partial                         = 0xfff0, 0xfff1
	)
	size := 24
	if len(args) == 3 {
		size = 16
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n")
	b := make([]byte, treeAt+treeHeader+size*(len(lines)+1))
	u32 := func(at int, v uint64) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }
	u64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 0, 64)
		ts.Check(err)
		return n
	}
	about := strings.Fields(lines[0])
	copy(b, "PCTcalls1\n")
	u32(16, header)
	u32(20, objectsAt)
	u64(32, treeAt)
	clock := about[1]
	if about[2] == "µs" {
		u64(40, 1000*number(about[0]))
		clock = "perf"
	}
	u64(56, number(about[0]))
	copy(b[80:], clock)
	copy(b[96:], about[1])
	copy(b[112:], about[2])
	copy(b[treeAt:], "PCTtree2")
	u32(treeAt+16, treeHeader)
	u32(treeAt+20, uint64(size))
	u32(treeAt+24, uint64(len(lines)+1))
	u32(treeAt+28, uint64(len(lines)+1))
	objects := map[string]uint64{}
	var text strings.Builder
	for i, line := range append([]string{"0 thread:0 0 0"}, lines[1:]...) {
		words := strings.Fields(line)
		object, where, _ := strings.Cut(words[1], ":")
		id, address := uint64(0), uint64(0)
		switch object {
		case "thread":
			id, address = root, number(where)
		case "partial":
			id, address = partial, 1
		default:
			if objects[object] == 0 {
				objects[object] = uint64(len(objects) + 1)
				fmt.Fprintf(&text, "%d\t0\t0\t10000\t0\t\t%s\n", objects[object], ts.MkAbs(object))
			}
			id, address = objects[object], number(where)
		}
		at := treeAt + treeHeader + size*(i+1)
		u64(at, id<<48|address)
		u32(at+8, number(words[0]))
		u32(at+12, number(words[2]))
		if size == 24 {
			u32(at+16, number(words[3]))
		}
	}
	u32(24, treeAt-objectsAt)
	u32(28, uint64(text.Len()))
	copy(b[objectsAt:treeAt], text.String())
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}
