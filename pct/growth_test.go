package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/internal/synthetic"
)

// Growth is measured over two doublings. What is proportional to n log n grows less than mostGrowth-fold, what is
// quadratic sixteenfold.
const (
	doubled    = 4
	mostGrowth = 2.6 * 2.6
)

// TestGrowth has the cost of reports grow with the size of their data, not with its square: the CPU time of this
// process, which others on the machine disturb little, and the bytes that are allocated, which they don't disturb.
func TestGrowth(t *testing.T) {
	translator := filepath.Join(t.TempDir(), "translator")
	if err := os.WriteFile(translator, []byte(callTranslator), 0o600); err != nil {
		t.Fatal(err)
	}
	shaped := func(shape func(n int) synthetic.Shape) func(string, int) error {
		return func(root string, n int) error {
			_, err := synthetic.Write(root, shape(n))
			return err
		}
	}
	common := "paths, fn, body, down f0, up f1, tree, summary, gprof, sym, sym -total, paths -l 3, json, folded, callgrind, flame"
	for _, of := range []struct {
		what    string
		n       int
		make    func(root string, n int) error
		reports string
	}{
		{"depth of a recursion, with calls", 1500, func(root string, n int) error {
			_, err := synthetic.WriteCalls(root, n, 1)
			return err
		}, "paths -calls, paths -l 3, fn, body, tree, summary, gprof, sym, json -calls, flame"},
		{"depth of a mutual recursion", 10_000, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Depth: n, Symbols: 3}
		}), "paths, fn, body, down f0, up f1, tree, summary, gprof, sym, sym -total, paths -l 3, json, folded, flame, top, diff -by path, callgrind"},
		{"run directories", 250, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Dirs: n, Symbols: 10, Depth: 5, Samples: 2}
		}), "sym, summary, ps"},
		{"processes of a tree", 250, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Dirs: n, Tree: true, Symbols: 10, Depth: 5, Samples: 2}
		}), "info, paths -by process"},
		{"call paths", 8000, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Paths: n, Symbols: 500, Depth: 12}
		}), common},
		{"threads", 500, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Threads: n, Symbols: 20, Depth: 5, Paths: 10, Samples: 10 * n}
		}), "paths -by thread, fn -by thread, summary, ps, flame -by thread, firefox"},
		{"groups", 500, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Fields: n, Symbols: 500, Depth: 12, Paths: n, Samples: 10 * n}
		}), "paths -by value, fn -by value, tree -by value, gprof -by value, sym -total -by value, values"},
		{"objects", 2000, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Objects: n, Symbols: n, Depth: 20, Paths: n}
		}), "obj, sym, paths, fn, summary, info, pprof"},
		{"symbols", 2000, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Symbols: n, Depth: n, Paths: 1}
		}), "sym -total, paths, fn, body, down f0, up f1, tree, summary, gprof, json, dot, flame, diff -by path -all, callgrind"},
		{"samples", 20_000, shaped(func(n int) synthetic.Shape {
			return synthetic.Shape{Samples: n, Symbols: 100, Depth: 12, Paths: 100, Threads: 4}
		}), common + ", phases, speedscope, firefox, pprof, top, diff, diff -by path"},
	} {
		t.Run(strings.ReplaceAll(of.what, " ", "-"), func(t *testing.T) {
			roots := [2]string{t.TempDir(), t.TempDir()}
			for i, n := range []int{of.n, doubled * of.n} {
				if err := of.make(roots[i], n); err != nil {
					t.Fatal(err)
				}
			}
			for report := range strings.SplitSeq(of.reports, ", ") {
				args := append(strings.Fields(report), "-translator", "sh "+translator)
				if verb := args[0]; verb == "ps" || verb == "info" || verb == "values" {
					args = args[:len(args)-2]
				}
				costIn := func(root string) cost {
					operands := []string{root}
					if args[0] == "diff" {
						operands = []string{root, root}
					}
					return costOf(t, append(args, operands...))
				}
				least := costIn(roots[0])
				if most := costIn(roots[1]); most.cpu > mostGrowth*max(least.cpu, mostFixed) || most.bytes > mostGrowth*least.bytes {
					t.Errorf("pct %s: %d take %.3f s and %.1f MB, %d of them %.3f s and %.1f MB", report,
						of.n, least.cpu, least.bytes/1e6, doubled*of.n, most.cpu, most.bytes/1e6)
				}
			}
		})
	}
}

// mostFixed is a time, in s, below which what has nothing to do with the data may be the most of it, as on a busy machine.
const mostFixed = 0.05

// cost is that of a report.
type cost struct{ cpu, bytes float64 }

// costOf makes a report some times, and returns the least that it took. Up to 30 ms it takes some
// time that has nothing to do with the data.
func costOf(t *testing.T, args []string) cost {
	const times, start, enough = 3, 0.03, 0.3 // the last two in seconds
	of := cost{cpu: 1e9}
	for range times {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := cpuTime(t)
		var complaints bytes.Buffer
		if run(args, nil, io.Discard, &complaints) != succeeded {
			t.Fatalf("pct %s: %s", strings.Join(args, " "), complaints.String())
		}
		of.cpu = min(of.cpu, max(start, (cpuTime(t)-begun).Seconds()))
		runtime.ReadMemStats(&after)
		of.bytes = float64(after.TotalAlloc - before.TotalAlloc)
		if of.cpu == start || of.cpu > enough {
			break
		}
	}
	return of
}

// cpuTime is what this process used so far.
func cpuTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
