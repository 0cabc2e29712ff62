package bench

import (
	"bytes"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

// What profilers say of the calls of c is found in their reports.
func TestAttributions(t *testing.T) {
	both := func(a, b float64) map[string]float64 { return map[string]float64{"a": a, "b": b} }
	for _, tt := range []struct {
		name        string
		parse       func(string) attribution
		text        string
		whole       float64
		from, calls map[string]float64
	}{
		{"gprof", parseGprof, `
index % time    self  children    called     name
                                                 <spontaneous>
[1]     71.4    0.05    0.00                 frame_dummy [1]
-----------------------------------------------
                0.25    0.00 268435456/268435456     c [3]
[2]     28.6    0.25    0.00 268435456         d [2]
-----------------------------------------------
                0.25    0.25       2/6           a [6]
                0.50    0.50       4/6           b [5]
[3]     28.6    0.75    0.75       6         c [3]
                0.25    0.00 268435456/268435456     d [2]
-----------------------------------------------
                                                 <spontaneous>
[4]     28.6    0.50    1.50                 main [4]
                0.00    1.00       1/1           b [5]
                0.00    0.50       1/1           a [6]
-----------------------------------------------
                0.00    1.00       1/1           main [4]
[5]     19.0    0.00    1.00       1         b [5]
                0.50    0.50       4/6           c [3]
-----------------------------------------------
                0.00    0.50       1/1           main [4]
[6]      9.5    0.00    0.50       1         a [6]
                0.25    0.25       2/6           c [3]
-----------------------------------------------
`, 2, both(0.5, 1), both(2, 4)},
		{"callgrind", parseCallgrind, `
83,890,253 (99.85%)  *  dir/contexts.c:main [/bin/contexts]
41,943,108 (49.92%)  >   dir/contexts.c:b (1x) [/bin/contexts]
41,943,076 (49.92%)  >   dir/contexts.c:a (1x) [/bin/contexts]
     2,694 ( 0.00%)  >   ./stdio-common/./stdio-common/printf.c:printf (1x) [/lib/libc.so.6]

83,886,164 (99.85%)  *  dir/contexts.c:c [/bin/contexts]
16,777,216 (19.97%)  >   dir/contexts.c:d (16,777,216x) [/bin/contexts]

41,943,108 (49.92%)  *  dir/contexts.c:b [/bin/contexts]
41,943,094 (49.92%)  >   dir/contexts.c:c (4x) [/bin/contexts]

41,943,076 (49.92%)  *  dir/contexts.c:a [/bin/contexts]
41,943,070 (49.92%)  >   dir/contexts.c:c (2x) [/bin/contexts]
`, 83890253, both(41943070, 41943094), both(2, 4)},
		{"uftrace", parseUftrace, `
# Function Call Graph for 'main' (session: 31aff555ab3eb84d)
   [0] main (0x55a207f80292)
# TOTAL TIME   FUNCTION
    1.500  s : (1) main
  750.000 ms :  +-(1) a
  750.000 ms :  | (2) c
             :  |
    1.250  s :  +-(1) b
  500.000 us :    (4) c
`, 1.5, both(0.75, 0.0005), both(2, 4)},
		{"perf", parsePerfStacks, `
	            1179 d
	            1180 c
	            11b4 a
	            11f3 main

	            1179 c
	            11b5 b
	            11f3 main

	            1179 c


	           1462a handle
	               0 [unknown]
`, 4, both(1, 1), nil},
		{"google-pprof", parseCollapsed, `_start<0000000000001070>;main<00000000000011be>;a<00000000000011aa>;c<000000000000115a>;d<0000000000001159> 8
main<00000000000011be>;b<0000000000001188>;c<000000000000115a> 18
main<00000000000011be> 4
`, 30, both(8, 18), nil},
		{"pct", parseCalls, `# ./contexts
# 2104 samples, clock perf
# total   calls seen        cost/call   call path
  99.8%            1   2.10 ±0.58 s     main
  47.5%            1   1.00 ±0.58 s     a <- main
  47.5%            2   500.00 ±0.41 ms   c <- a <- main
  47.4%            4   250.00 ±0.33 ms   c <- b <- main
   1.0%           97           < 1.2 ms   d <- c <- b <- main
`, 100, both(47.5, 47.4), both(2, 4)},
	} {
		a := tt.parse(tt.text)
		delete(a.from, "") // d, by c
		delete(a.calls, "")
		if a.whole != tt.whole || !maps.Equal(a.from, tt.from) || !maps.Equal(a.calls, tt.calls) {
			t.Errorf("%s: %+v", tt.name, a)
		}
	}
}

// TestContexts runs all profilers on little.
func TestContexts(t *testing.T) {
	bin := t.TempDir()
	for _, command := range [][]string{
		{"make", "-s", "-C", "..", "OUT=" + filepath.Join(bin, "lib")},
		{"go", "build", "-o", filepath.Join(bin, "pct"), "../../pct"},
		{"go", "build", "-o", filepath.Join(bin, "pct-addr2line"), "../../tools"},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var stdout, stderr bytes.Buffer
	b := &bench{Run: &harness.Run{Bin: bin, Rounds: 1, Match: regexp.MustCompile("^contexts$"), Dir: t.TempDir(), Out: &stdout, Err: &stderr}}
	var err error
	if b.methods, err = b.findMethods(); err != nil {
		t.Fatal(err)
	}
	if err := b.inContexts(24, time.Minute); err != nil || b.Failures > 0 {
		t.Fatalf("%v: %s%s", err, &stdout, &stderr)
	}
	for _, row := range []string{
		`(?m)^signals alone +[0-9.]+ *$`,
		`(?m)^gprof .*$`,
		`(?m)^uftrace .*$`,
		`(?m)^callgrind +[0-9.]+ +(49|50)\.\d +(49|50)\.\d +2 +4 +0\.50 *$`,
		`(?m)^perf fp .*$`,
		`(?m)^libpct -paths +[0-9.]+ +[1-8]\d\.\d +[1-8]\d\.\d +- +- +- *$`,
		`(?m)^libpct -calls .*$`,
	} {
		if !regexp.MustCompile(row).MatchString(stdout.String()) {
			t.Errorf("no row %s in\n%s", row, &stdout)
		}
	}
}
