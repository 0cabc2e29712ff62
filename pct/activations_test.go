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

// makeCalls is the command "mkcalls FILE SPEC [uncounted|old]": it makes a file of call paths, in
// which activations are counted unless the last word forbids it; old is the version that does not tell
// by how many samples they were seen. The first line of SPEC is
//
//	WEIGHT RESOURCE UNIT
//
// of a sample, in the unit. Each other one is a node,
//
//	PARENT WHERE SAMPLES CALLS [TWICE THRICE MOST NEXT NEAR [ALONE HEAVY HEAVIER SQUARES]]
//
// where nodes are numbered from 2, 1 is the root, and WHERE is OBJECT:0xADDRESS, thread:NUMBER or
// partial.
func makeCalls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 || len(args) == 3 && args[2] != "uncounted" && args[2] != "old" {
		ts.Fatalf("usage: mkcalls FILE SPEC [uncounted|old]")
	}
	const (
		header, treeAt, treeHeader = 128, 128, 96
		root, partial              = 0xfff0, 0xfff1
	)
	lines := strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n")
	b := make([]byte, treeAt+treeHeader)
	u32 := func(at int, v uint64) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }
	u64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 0, 64)
		ts.Check(err)
		return n
	}
	about := strings.Fields(lines[0])
	copy(b, "PCTcalls2\n")
	u32(16, header)
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
	old := len(args) == 3 && args[2] == "old"
	copy(b[treeAt:], "PCTtree4")
	if old {
		copy(b[treeAt:], "PCTtree3")
	}
	u32(treeAt+16, treeHeader)
	counted := len(args) == 2 || old
	if counted {
		u32(treeAt+20, 1)
	}
	words := []uint32{0}
	at := make([]uint32, len(lines)+1) // the nodes' places
	objects := map[string]uint64{}
	var text strings.Builder
	for i, line := range append([]string{"0 thread:0 0 0"}, lines[1:]...) {
		field := strings.Fields(line)
		object, where, _ := strings.Cut(field[1], ":")
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
		at[i+1] = uint32(len(words) + 1)
		node := []uint32{at[number(field[0])], 63 << 26, uint32(address), uint32(id<<16 | address>>32)}
		if counted {
			node = append(node, uint32(number(field[3])))
		}
		node = append(node, uint32(number(field[2])))
		node[0] |= uint32(len(node)) << 24
		words = append(words, node...)
		if lasting := field[4:]; len(lasting) > 0 && counted && !old {
			record := make([]uint32, 10)
			record[0] = at[i+1]
			for j, word := range lasting {
				record[1+j] = uint32(number(word))
			}
			words = append(append(words, 11<<24|0xfffffe), record...)
		}
	}
	for rest := []byte(text.String()); len(rest) > 0; {
		chunk := make([]byte, 4*250)
		rest = rest[copy(chunk, rest):]
		words = append(words, 251<<24|0xffffff)
		for i := 0; i < len(chunk); i += 4 {
			words = append(words, binary.LittleEndian.Uint32(chunk[i:]))
		}
	}
	u32(28, uint64(text.Len()))
	u32(treeAt+24, uint64(len(words)))
	u32(treeAt+28, uint64(len(words)))
	for _, word := range words {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}
