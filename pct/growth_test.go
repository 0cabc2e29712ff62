package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/synthetic"
)

// Growth is measured over four doublings. What is proportional to n grows sixteenfold, and up to
// twice that where the larger data do not fit into caches; what is proportional to its square grows
// 256-fold. The bound is the geometric mean of the two.
const (
	doubled    = 16
	mostGrowth = 64
)

// TestGrowth checks that the cost of reports grows with the size of their data, not with its square.
// The cost is the user time and the greatest memory of the command, which time(1) tells, as this
// process would count its own memory to that of its children. The command is built without the race
// detector and runs without the garbage collector, which would add work of its own. System time is left out:
// most of it is the first touch of pages, which the memory tells already, and whose price depends on
// the machine. Other processes can only add to the user time, so the least of several rounds is an
// upper bound of what the report takes.
func TestGrowth(t *testing.T) {
	translator := filepath.Join(t.TempDir(), "translator")
	if err := os.WriteFile(translator, []byte(callTranslator), 0o600); err != nil {
		t.Fatal(err)
	}
	pct := buildPct(t)
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
		{"threads", 2000, shaped(func(n int) synthetic.Shape {
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
					return costOf(t, pct, append(args, operands...), "GOGC=off")
				}
				small, large := costIn(roots[0]), costIn(roots[1])
				for round := 1; round < mostRounds && small.outgrownBy(large); round++ {
					small, large = small.least(costIn(roots[0])), large.least(costIn(roots[1]))
				}
				if small.outgrownBy(large) {
					t.Errorf("pct %s: %d take %v, %d of them %v", report, of.n, small, doubled*of.n, large)
				}
			}
		})
	}
}

const (
	// fixedTime and fixedMemory are what a report may take whatever the size of its data, in s and
	// KiB: user time is told in hundredths of a second, and the command itself takes 12 MiB.
	fixedTime, fixedMemory = 0.01, 12 << 10
	// mostRounds is how often a report is made of data of each size before its cost is believed to
	// grow too fast.
	mostRounds = 6
)

// cost is that of a report: user time in s, and the greatest resident set in KiB.
type cost struct{ user, memory float64 }

func (c cost) String() string { return fmt.Sprintf("%.2f s and %.1f MiB", c.user, c.memory/1024) }

// least is the lesser of each of two costs.
func (c cost) least(other cost) cost {
	return cost{min(c.user, other.user), min(c.memory, other.memory)}
}

// outgrownBy tells whether large, the cost of doubled times as much data, is more than it may be.
func (c cost) outgrownBy(large cost) bool {
	return large.user > mostGrowth*max(c.user, fixedTime) || large.memory > mostGrowth*max(c.memory-fixedMemory, 1024)
}

// buildPct builds the command without the race detector, and returns where it is.
func buildPct(t *testing.T) string {
	pct := filepath.Join(t.TempDir(), "pct")
	if out, err := exec.Command("go", "build", "-o", pct, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return pct
}

// costOf makes a report once, in an environment with one more variable.
func costOf(t *testing.T, pct string, args []string, variable string) cost {
	told := filepath.Join(t.TempDir(), "told")
	cmd := exec.Command("/usr/bin/time", append([]string{"-f", "%U %M", "-o", told, pct}, args...)...)
	cmd.Env = append(os.Environ(), variable)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("pct %s: %v: %s", strings.Join(args, " "), err, complaints.String())
	}
	text, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	var c cost
	if _, err := fmt.Sscan(string(text), &c.user, &c.memory); err != nil {
		t.Fatalf("time says %q: %v", text, err)
	}
	return c
}
