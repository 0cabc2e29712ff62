package main

import (
	commandline "flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/synthetic"
)

var everySize = commandline.Bool("whole", false, "reports of the largest data, too")

// mostMemory is what a report of large data may take, in KiB.
const mostMemory = 1 << 20

// TestSizes makes reports of data as large as they may come, in the memory of a small machine. Unlike in
// TestGrowth, the garbage collector runs as it does for users.
func TestSizes(t *testing.T) {
	translator := filepath.Join(t.TempDir(), "translator")
	if err := os.WriteFile(translator, []byte(callTranslator), 0o600); err != nil {
		t.Fatal(err)
	}
	pct := buildPct(t)
	type size struct {
		what    string
		make    func(root string) error
		reports string
	}
	sizes := []size{
		{"1,000,000 frames", func(root string) error {
			_, err := synthetic.WriteCalls(root, 1_000_000, 3)
			return err
		}, "fn, paths -threshold 1%, diff -by path"},
		{"1,000,000 functions", func(root string) error {
			_, err := synthetic.WriteCalls(root, 1_000_000, 1_000_000)
			return err
		}, "fn"},
		{"1,000,000 paths", func(root string) error {
			_, err := synthetic.Write(root, synthetic.Shape{Paths: 1_000_000, Symbols: 500, Depth: 20})
			return err
		}, "fn, paths -threshold 0.5%, summary, diff -by path"},
	}
	if *everySize {
		// To be made, or to be reported on, these take more than some seconds.
		sizes = append(sizes, []size{
			{"10,000,000 paths", func(root string) error {
				_, err := synthetic.Write(root, synthetic.Shape{Paths: 10_000_000, Symbols: 500, Depth: 20})
				return err
			}, "fn, sym, tree, summary, flame"},
			{"100,000 run directories", func(root string) error {
				_, err := synthetic.Write(root, synthetic.Shape{Dirs: 100_000, Symbols: 10, Depth: 5, Samples: 2})
				return err
			}, "sym"},
		}...)
	}
	for _, of := range sizes {
		t.Run(strings.ReplaceAll(of.what, " ", "-"), func(t *testing.T) {
			root := t.TempDir()
			if err := of.make(root); err != nil {
				t.Fatal(err)
			}
			for report := range strings.SplitSeq(of.reports, ", ") {
				args := append(strings.Fields(report), "-translator", "sh "+translator, root)
				if args[0] == "diff" {
					args = append(args, root) // with itself
				}
				c := costOf(t, pct, args, "GOGC=")
				t.Logf("pct %s: %v", report, c)
				if c.memory > mostMemory {
					t.Errorf("pct %s takes %v", report, c)
				}
			}
		})
	}
}
