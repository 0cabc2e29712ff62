package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
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

// TestGrowth checks that the cost of reports grows with the size of their data, not with its square. The cost is the
// user time of this process and the bytes that it allocates. System time is left out: most of it is the first touch
// of pages, which the bytes tell already, and whose price depends on the machine. Other processes can only add to the
// user time, so that its least over several rounds is an upper bound of what the report takes.
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
				small, large := costIn(roots[0]), costIn(roots[1])
				for round := 1; round < mostRounds && small.outgrownBy(large); round++ {
					small, large = small.least(costIn(roots[0])), large.least(costIn(roots[1]))
				}
				if small.outgrownBy(large) {
					t.Errorf("pct %s: %d take %.3f s and %.1f MB, %d of them %.3f s and %.1f MB", report,
						of.n, small.user, small.bytes/1e6, doubled*of.n, large.user, large.bytes/1e6)
				}
			}
		})
	}
}

const (
	// mostFixed is the user time, in s, that a report may take whatever the size of its data.
	mostFixed = 0.05
	// mostRounds is how often a report is made of data of each size before its cost is believed to grow too fast.
	mostRounds = 6
)

// cost is that of a report: user time in s, and allocated bytes.
type cost struct{ user, bytes float64 }

// least is the lesser of each of two costs.
func (c cost) least(other cost) cost {
	return cost{min(c.user, other.user), min(c.bytes, other.bytes)}
}

// outgrownBy tells whether large, the cost of doubled times as much data, is more than it may be.
func (c cost) outgrownBy(large cost) bool {
	return large.user > mostGrowth*max(c.user, mostFixed) || large.bytes > mostGrowth*c.bytes
}

// costOf makes a report once. The garbage collector is off, so that its concurrent workers are not counted.
func costOf(t *testing.T, args []string) cost {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := userTime(t)
	var complaints bytes.Buffer
	if run(args, nil, io.Discard, &complaints) != succeeded {
		t.Fatalf("pct %s: %s", strings.Join(args, " "), complaints.String())
	}
	used := userTime(t) - begun
	runtime.ReadMemStats(&after)
	return cost{used.Seconds(), float64(after.TotalAlloc - before.TotalAlloc)}
}

// userTime is what this process has used so far.
func userTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano())
}
