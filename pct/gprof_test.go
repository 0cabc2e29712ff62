package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// circles is a program with recursion, two cycles, and static functions.
const circles = `#include <stdlib.h>
static volatile unsigned sink;
static void spin(int n) { for (int i = 0; i < n * 300; i++) sink += i; }
static int leaf(int n) { spin(n); return n; }
void even(int n);
void odd(int n) { spin(100); if (n > 0) even(n - 1); leaf(20); }
void even(int n) { spin(50); if (n > 0) odd(n - 1); leaf(10); }
int fact(int n) { spin(30); return n < 2 ? 1 : n * fact(n - 1); }
void p(int); void q(int); void r(int);
void p(int n) { spin(10); if (n) { q(n - 1); r(n - 1); } }
void q(int n) { spin(20); if (n) r(n - 1); }
void r(int n) { leaf(7); if (n) p(n - 1); }
void one(void) { odd(20); fact(10); }
void two(void) { even(11); p(9); leaf(500); }
void _under(void) { leaf(1); }
int main(int argc, char **argv) {
	for (int i = 0; i < atoi(argv[1]); i++) { one(); two(); two(); q(5); _under(); }
	return 0;
}
`

// figure1 is the program of csprof's Figure 1 (Froyd, Mellor-Crummey and Fowler, 2005),
// with less to do.
const figure1 = `#define HUGE (1 << 26)
void d() {}
void c(int n) { int i; for (i = 0; i < HUGE / n; ++i) d(); }
void b(void (*f)(int)) { f(2); f(2); f(2); f(2); }
void a(void (*f)(int)) { f(1); f(1); }
int main() { a(c); b(c); return 0; }
`

// compile builds a C program.
func compile(t *testing.T, dir, name, source string, flags ...string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file+".c", []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("gcc", append(flags, "-o", file, file+".c")...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

// profiled runs a program that was built with -pg and returns its gmon.out.
func profiled(t *testing.T, program string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	command := exec.Command(program, args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "gmon.out")
}

// gprofOutput is what gprof says.
func gprofOutput(t *testing.T, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.Command("gprof", args...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("gprof: %v: %s", err, stderr.String())
	}
	return string(out)
}

// pctOutput is what pct says.
func pctOutput(t *testing.T, args ...string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	if status := run(args, nil, &out, &stderr); status != succeeded || stderr.Len() > 0 {
		t.Fatalf("pct %q: exit status %d, %s", args, status, stderr.String())
	}
	return out.String()
}

// tables are the numbers of both tables: of a function in the flat profile, of an entry
// in the call graph, and of each caller's, member's and callee's line of it.
type tables map[string][]string

var (
	indexNumber = regexp.MustCompile(`^\[\d+\] *`)
	indexBehind = regexp.MustCompile(` \[\d+\]$`)
)

// perCallUnit finds the unit of the last two columns of numbers.
var perCallUnit = regexp.MustCompile(`(\S*)s/call`)

// seconds in the units that calls are shown in.
var callUnits = map[string]float64{"": 1, "m": 1e-3, "u": 1e-6, "n": 1e-9, "K": 1e3}

// readTables reads what gprof or pct gprof -gmon wrote. ours says which: in the flat profile
// pct has the total behind self.
func readTables(t *testing.T, text string, ours bool) tables {
	t.Helper()
	all := tables{}
	flat, unit := true, 0.0
	entry, before := "", []string(nil)
	flush := func() {
		for _, line := range before {
			all.add(entry+" <- ", line)
		}
		entry, before = "", nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if found := perCallUnit.FindStringSubmatch(line); found != nil && unit == 0 {
			unit = callUnits[found[1]]
		}
		switch {
		case strings.Contains(line, "children") && strings.Contains(line, "called"):
			flat = false
		case strings.HasPrefix(line, "Index by"):
			return all
		case strings.Contains(line, "-------"):
			flush()
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" || strings.Contains(line, "cumulative") ||
			strings.Contains(line, "seconds") || strings.Contains(line, "Each sample") || strings.Contains(line, "granularity"):
		case strings.Contains(line, "Flat profile") || strings.Contains(line, "Call graph"):
		case flat:
			line, _, _ = strings.Cut(line, " <cycle")
			words := strings.Fields(line)
			numbers, name := words[:len(words)-1], words[len(words)-1]
			if ours {
				numbers = slices.Delete(numbers, 3, 4)
			}
			numbers = slices.Delete(numbers, 1, 2) // cumulative is a matter of the order
			for i := 3; i < len(numbers); i++ {
				x, err := strconv.ParseFloat(numbers[i], 64)
				if err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				numbers[i] = fmt.Sprint(x*unit, "±", 0.01*unit)
			}
			all["flat "+name] = numbers
		case entry == "" && indexNumber.MatchString(strings.TrimSpace(line)):
			line = indexNumber.ReplaceAllString(strings.TrimSpace(line), "")
			numbers, name := splitLine(line)
			entry = name
			all[entry] = numbers
		case entry == "":
			before = append(before, line)
		default:
			all.add(entry+" -> ", line)
		}
	}
	return all
}

// splitLine takes a line of the call graph apart.
func splitLine(line string) (numbers []string, name string) {
	line = indexBehind.ReplaceAllString(strings.TrimSpace(line), "")
	for {
		word, rest, more := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" || !more || strings.Trim(word, "0123456789./+-") != "" {
			return numbers, strings.TrimSpace(line)
		}
		numbers = append(numbers, word)
		line = rest
	}
}

func (all tables) add(prefix, line string) {
	numbers, name := splitLine(line)
	all[prefix+name] = numbers
}

// equal compares numbers: those with a point up to one in the last digit shown.
func equal(got, want string) bool {
	if got == want {
		return true
	}
	a, _, isCall := strings.Cut(got, "±")
	b, tolerance, _ := strings.Cut(want, "±")
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 != nil || err2 != nil || !strings.Contains(got+want, ".") && !isCall {
		return false
	}
	within := math.Pow(10, -float64(len(b)-1-strings.Index(b, ".")))
	if isCall {
		within, _ = strconv.ParseFloat(tolerance, 64)
	}
	return math.Abs(x-y) <= within*1.0001
}

// compareTables reports what pct says otherwise than gprof.
func compareTables(t *testing.T, got, want tables) {
	t.Helper()
	closed := map[string]bool{} // cycles that nothing calls, which gprof has no entry for
	for key, numbers := range got {
		if strings.HasSuffix(key, "as a whole>") && strings.HasPrefix(numbers[len(numbers)-1], "0+") {
			closed[key] = true
		}
	}
	lines := 0
	for key, numbers := range want {
		lines++
		have, ok := got[key]
		if !ok || !slices.EqualFunc(have, numbers, equal) {
			t.Errorf("%s: %v, gprof says %v", key, have, numbers)
		}
	}
	for key, numbers := range got {
		_, ok := want[key] // what follows is more than gprof says
		switch {
		case ok:
		case closed[key] || closed[strings.Split(key, " -> ")[0]]:
		case strings.Contains(key, "as a whole> <- "): // which gprof leaves out
		case strings.HasSuffix(key, " <- <spontaneous>") && len(numbers) == 0: // likewise, where there is recursion
		case strings.HasPrefix(key, "flat ") && numbers[1] == "0.00" && len(numbers) == 2: // likewise: never sampled, never called
		default:
			t.Errorf("%s: %v, which gprof doesn't say", key, numbers)
		}
	}
	if lines < 10 {
		t.Errorf("gprof said only %d lines", lines)
	}
}

// TestGmonAgainstGprof: on the files of real programs gprof and pct agree.
func TestGmonAgainstGprof(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, source string
		flags        []string
		args         []string
		runs         int
	}{
		{"circles", circles, []string{"-pg", "-O1", "-fno-inline", "-fno-optimize-sibling-calls"}, []string{"200"}, 1},
		{"sum", circles, []string{"-pg", "-O0"}, []string{"100"}, 3},
		{"nopie", circles, []string{"-pg", "-O0", "-no-pie"}, []string{"100"}, 2},
		{"static", circles, []string{"-pg", "-O0", "-static"}, []string{"100"}, 2},
		{"figure1", figure1, []string{"-pg", "-O0"}, nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			program := compile(t, dir, tt.name, tt.source, tt.flags...)
			var files []string
			for range tt.runs {
				files = append(files, profiled(t, program, tt.args...))
			}
			whole := files[0]
			if len(files) > 1 {
				command := exec.Command("gprof", append([]string{"-s", program}, files...)...)
				command.Dir = t.TempDir()
				if out, err := command.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				whole = filepath.Join(command.Dir, "gmon.sum")
				// The sum that gprof wrote is a gmon.out, too.
				if one, several := pctOutput(t, "gprof", "-graph", "-gmon", program, whole),
					pctOutput(t, append([]string{"gprof", "-graph", "-gmon", program}, files...)...); behindHead(one) != behindHead(several) {
					t.Errorf("of gprof -s:\n%s\nof the runs:\n%s", one, several)
				}
			}
			text := pctOutput(t, append([]string{"gprof", "-gmon", program}, files...)...)
			compareTables(t, readTables(t, text, true), readTables(t, gprofOutput(t, "-b", program, whole), false))
			if t.Failed() {
				t.Log(text, gprofOutput(t, "-b", program, whole))
			}
		})
	}
}

// behindHead is a report without its lines about the files.
func behindHead(report string) string { return report[strings.Index(report, "#\n"):] }

// gmonFile writes a gmon.out.
func gmonFile(t *testing.T, name string, low, high uint64, bins []uint16, arcs [][3]uint64) {
	t.Helper()
	b := append([]byte("gmon\x01\x00\x00\x00"), make([]byte, 12)...)
	le := binary.LittleEndian
	b = append(b, 0)
	b = le.AppendUint64(le.AppendUint64(b, low), high)
	b = le.AppendUint32(le.AppendUint32(b, uint32(len(bins))), 100)
	b = append(b, "seconds\x00\x00\x00\x00\x00\x00\x00\x00s"...)
	for _, n := range bins {
		b = le.AppendUint16(b, n)
	}
	for _, a := range arcs {
		b = le.AppendUint32(le.AppendUint64(le.AppendUint64(append(b, 1), a[0]), a[1]), uint32(a[2]))
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRandomGmon: gprof and pct agree on call graphs of all shapes.
func TestRandomGmon(t *testing.T) {
	dir := t.TempDir()
	var source strings.Builder
	const functions = 14
	for i := range functions {
		fmt.Fprintf(&source, "int f%c(int n) { return n * %d; }\n", 'a'+i, i+3)
	}
	source.WriteString("int main(void) { return 0; }\n")
	program := compile(t, dir, "many", source.String(), "-pg", "-O0")
	addresses := map[string]uint64{}
	out, err := exec.Command("nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) == 3 {
			addresses[words[2]], _ = strconv.ParseUint(words[0], 16, 64)
		}
	}
	low, high := addresses["fa"]&^3, (addresses["main"]+3)&^3
	r := rand.New(rand.NewPCG(11, 12))
	cycles := 0
	for round := range 60 {
		bins := make([]uint16, (high-low)/4)
		for i := range bins {
			if r.IntN(3) == 0 {
				bins[i] = uint16(r.IntN(300))
			}
		}
		bins[0]++
		var arcs [][3]uint64
		for range 1 + r.IntN(3*functions) {
			from, to := r.IntN(functions), r.IntN(functions)
			if round%3 == 0 && from > to {
				from, to = to, from
			}
			arcs = append(arcs, [3]uint64{addresses["f"+string(rune('a'+from))] + 5, addresses["f"+string(rune('a'+to))] + 4, uint64(r.IntN(50))})
		}
		file := filepath.Join(dir, fmt.Sprintf("gmon.%d", round))
		gmonFile(t, file, low, high, bins, arcs)
		text, theirs := pctOutput(t, "gprof", "-gmon", program, file), gprofOutput(t, "-b", program, file)
		cycles += strings.Count(text, "as a whole")
		compareTables(t, readTables(t, text, true), readTables(t, theirs, false))
		if t.Failed() {
			t.Fatalf("round %d:\n%s\n%s", round, text, theirs)
		}
	}
	if cycles < 20 {
		t.Errorf("only %d cycles", cycles)
	}
}

// TestGmonOfAnotherProgram: it is told of a program that is not the one that was run.
func TestGmonOfAnotherProgram(t *testing.T) {
	dir := t.TempDir()
	program := compile(t, dir, "circles", circles, "-pg", "-O0")
	file := profiled(t, program, "20")
	for _, tt := range []struct {
		name, source, want string
		flags              []string
	}{
		{"circles", circles, "", []string{"-pg", "-O0"}},
		{"nopie", circles, "its histogram is of 0x", []string{"-pg", "-O0", "-no-pie"}},
		{"long", "int f(int n) { volatile int s = n; " + strings.Repeat("s += 3; ", 500) + "return s; } int main(void) { return f(1); }",
			"arcs lead to where no function of the program begins", []string{"-pg", "-O0"}},
	} {
		other := compile(t, dir, tt.name, tt.source, tt.flags...)
		var out, warnings strings.Builder
		status := run([]string{"gprof", "-gmon", other, file}, nil, &out, &warnings)
		if nothing := tt.name == "nopie"; nothing != (status == failed) { // in which no address is a function's
			t.Errorf("%s: status %d: %s", tt.name, status, &warnings)
		}
		if got := warnings.String(); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: warnings %q, want %q", tt.name, got, tt.want)
		}
	}
}
