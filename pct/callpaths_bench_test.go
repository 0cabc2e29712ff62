package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// Sizes of BenchmarkCallPaths.
const (
	callSamples   = 10_000_000
	callPaths     = 1_000_000
	callFunctions = 5_000
	callDepth     = 30
)

// callTranslator names each address by itself: the time is that of pct.
const callTranslator = "while IFS='\t' read -r object address; do echo \"f${address#0x}|?|?\"; done\n"

// BenchmarkCallPaths makes profiles of 10 million samples with a million different call
// paths, about 30 frames deep, of 5,000 functions. PCT_BENCH_DIR names where the data are
// kept, for other tools.
func BenchmarkCallPaths(b *testing.B) {
	dir := os.Getenv("PCT_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	run1, err := filepath.Glob(filepath.Join(dir, "calls.*"))
	benchCheck(b, err)
	if len(run1) == 0 {
		run1 = []string{manyPaths(b, dir)}
	}
	translator := filepath.Join(dir, "translator")
	benchCheck(b, os.WriteFile(translator, []byte(callTranslator), 0o600))
	for _, argv := range [][]string{
		{"fn"}, {"body"}, {"down", "f0"}, {"down", "f123"}, {"up", "f123"}, {"up", "f4990"}, {"tree"},
	} {
		b.Run(argv[0]+"/"+argv[len(argv)-1], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var complaints bytes.Buffer
				args := append(append([]string{}, argv...), "-translator", "sh "+translator, run1[0])
				if run(args, nil, io.Discard, &complaints) != succeeded {
					b.Fatal(complaints.String())
				}
			}
		})
	}
}

// manyPaths writes the samples, as a collector does that has whole paths. Each path has the
// outer frames of the one before and others further in. A function calls a few that come
// later, and one call in fifty is of an earlier one.
func manyPaths(b *testing.B, dir string) string {
	d, err := data.Create(dir, "calls", 1)
	benchCheck(b, err)
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: time.Millisecond})
	benchCheck(b, err)
	o := w.Object(filepath.Join(dir, "prog"), "", 0, 0, 0, 0)
	random := rand.New(rand.NewPCG(1, 2))
	var nodes []data.NodeID
	seen := map[data.NodeID]bool{}
	var functions []int
	for len(nodes) < callPaths {
		depth := callDepth/2 + random.IntN(callDepth)
		keep := min(len(functions), depth-1, int(float64(callDepth)-random.ExpFloat64()*callDepth/5))
		functions = functions[:max(0, keep)]
		for len(functions) < depth {
			at := 0
			if n := len(functions); n > 0 {
				at = callee(functions[n-1], random)
			}
			functions = append(functions, at)
		}
		var node data.NodeID
		for _, f := range functions {
			node = w.Node(node, o, address10(f))
		}
		if !seen[node] {
			seen[node] = true
			nodes = append(nodes, node)
		}
	}
	popular := rand.NewZipf(random, 1.1, 10, callPaths-1)
	at := time.Duration(0)
	for i := range callSamples {
		at += time.Millisecond
		n := i
		if i >= callPaths { // each path once, then the popular ones
			n = int(popular.Uint64())
		}
		benchCheck(b, w.Sample(data.Sample{Time: at, CPU: at, Thread: 1, Node: nodes[n], Weight: 1000}))
	}
	benchCheck(b, w.Close())
	return d.Path()
}

// address10 is an address whose hexadecimal digits are the decimal ones of a number.
func address10(n int) (addr uint64) {
	_, err := fmt.Sscanf(fmt.Sprint(n), "%x", &addr)
	if err != nil {
		panic(err) // digits are digits
	}
	return addr
}

// callee is a function that another one calls.
func callee(at int, random *rand.Rand) int {
	if random.IntN(50) == 0 {
		return at / 2
	}
	const callees = 6
	which := min(random.IntN(callees), random.IntN(callees))
	return (at + 1 + which*(which+at%29)*3 + at%7) % callFunctions
}
