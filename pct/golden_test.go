package main

import (
	"bytes"
	"crypto/sha256"
	stdflag "flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// The golden reports are those of runs of all kinds, collected on 2026-11-25. Reports of data that
// exist do not change: TestGolden compares every report with the one of that day, to the byte.
// What is meant to change is written anew by go test ./pct -run TestGolden -update.
//
// testdata/golden has the runs as runs.tar.gz, in the former ways of naming files and directories, and as named.tar.gz
// one of each collector in which paths.NAME are the files of resources, and as typed.tar.gz those that synthetic.WriteValues
// made of 500 samples, whose values have types; with the source of the program that ran; the
// functions and lines of their addresses as names, which the translator golden-names tells; and
// for each run the reports.
var update = stdflag.Bool("update", false, "write the golden reports anew")

// mostGolden is the size up to which a report is kept as it is; of a longer one the hash is kept.
const mostGolden = 2500

// reportsOfAll are made of each run.
const reportsOfAll = `
summary
paths
paths -e -l 3 -threshold 2%
paths -unfolded -n 7
paths -g call
paths -g line -n 12
paths -g addr -past-main
paths -g obj -past-main
paths -g src
paths -by pid -l 2
paths -by process -n 9
paths -through worker -e
paths -not sort -not worker
addr
addr% -total
line
line% -e -n 8
line -quickfix
line -total -threshold 5%
sym -e
sym% -total -e
sym -total -past-main -by process
sym -where 'weight > 4096'
src
src -total
obj
obj% -total -past-main
annotate -source /golden=.
annotate% -source /golden=. -total -all -e
phases
phases -n 5 -l 2
phases -n 4 -cpu -by pid
fn
fn -e -g call
fn -g line -n 12
body
body -g src -n 3
down main
down main -g obj
up *work* -threshold 0
up msort_with_tmp -g call -n 5
tree
tree -by pid -threshold 3%
gprof
explore -c 'fn; body; root main; down; up; through worker; fn; tree; threshold 0; body'
top
folded
folded -weights -by process
callgrind
speedscope
firefox
json
json -samples -g line
dot
flame
flame -inverted -threshold 1%
pprof
pprof -by pid
values
ps
info
`

// A goldenRun is what reports are made of: those of all unless it is compared, and its own. A report
// that begins with "alone" has its operands there.
type goldenRun struct {
	name, operands, reports string
	compared                bool
}

// typedReports are those of values, in either form.
const typedReports = `
paths -calls
paths -by kind
paths -by key -l 1 -n 5
paths -where 'cmd == "SET"'
paths -where 'kind ~ "GET" && load > 1'
paths -where 'req->len > 400 && strcmp(cmd, "GET") != 0'
paths -where 'kind == SET && key == "key1" || kind > 1 && req == 0x555500001040'
paths -where 'kind == DEL'
paths -where 'load'
values -by cmd
values -by thread -expr load
values -by path
values -by path -l 1 -n 2 -expr load -expr key
values -raw -expr kind -expr key
json -samples
pprof -by kind
json -by load`

var goldenRuns = []goldenRun{
	{name: "flat", operands: "flat/prog.9121", reports: `
sum -o flat.sum/
alone sym flat.sum`},
	{name: "log", operands: "log/prog.9428", reports: `
addr -window ,0.1
sym -by thread
values -expr time -raw
values -expr weight -by thread`},
	{name: "paths", operands: "paths/prog.9985", reports: `
paths -by thread
json -by thread`},
	{name: "calls", operands: "calls/prog.10661", reports: `
paths -calls
paths -calls -e -threshold 0 -n 12
json -calls`},
	{name: "gdb", operands: "gdb/prog.11322", reports: `
paths -window 0.1,0.3
phases -i 50ms -by thread
sum -o gdb.sum/
alone line gdb.sum`},
	{name: "alloc", operands: "-r alloc resources/prog.2442"},
	{name: "faults", operands: "-r faults resources/prog.2442"},
	{name: "mixed", operands: "resources/prog.2442"},
	{name: "cpu", operands: "-r cpu resources/prog.2442"},
	{name: "switches", operands: "-r switches ring/prog.13494"},
	{name: "real", operands: "-r real ring/prog.13494.real", reports: `
paths -window -0.1,
phases -i 20ms -g obj -past-main`},
	{name: "values", operands: "values/prog.14474", reports: `
paths -by n -l 1
fn -by n -threshold 10%
values -by thread
values -raw
paths -where 'n > 300000'
phases -by n -n 3
gprof -by n
json -by n
flame -by n
folded -by n
pprof -by n
dot -by n
speedscope -by n
sym -total -by n`},
	{name: "tree", operands: "-tree tree/prog.15170", reports: `
paths -by exe
sym% -by pid`},
	{name: "processes", operands: "-tree pathtree/prog.15572"},
	{name: "perf", operands: "perf/prog.16043"},
	{name: "killed", operands: "killed/prog.17675"},
	{name: "made", operands: "made/made.77", reports: `
paths -templates
paths -by n -l 2
paths -by name
phases -by n -n 4 -l 0
sym -total -by name
values -by name
paths -by time -i 3
fn -by cpu -i 200ms
paths -where 'partial'
json -by n -samples
line -total -e
json -by name`},
	{name: "folded", operands: "folded/folded"},
	{name: "pprof", operands: "pprof/prog"},
	{name: "script", operands: "script/prog.27055"},
	{name: "named-mixed", operands: "named/library/prog.9774"},
	{name: "named-alloc", operands: "-r alloc named/library/prog.9774"},
	{name: "named-real", operands: "-r real named/ring/prog.10346", reports: `
paths -window -0.1,
phases -i 20ms -g obj -past-main`},
	{name: "named-gdb", operands: "named/dbctl/prog.10660"},
	{name: "typed", operands: "typed/server.1000", reports: typedReports + `
phases -by kind -n 3
paths -by time -i 100ms -l 1`},
	{name: "counted", operands: "typed/server.1001", reports: typedReports},
	{name: "together", operands: "paths/prog.9985 calls/prog.10661 gdb/prog.11322 flat/prog.9121 log/prog.9428"},
	{name: "compared", operands: "gdb/prog.11322 values/prog.14474", reports: `
diff
diff -all
diff -by path -all
diff -by path -l 2 -all
diff -by addr -all
diff -by line -time -all
diff -by obj -all
diff -by src -all -through worker
diff -all -o compared.diff
alone sym compared.diff.more
alone addr compared.diff.less
flame -diff made/made.77`, compared: true},
	{name: "repeated", operands: "gdb/prog.11322 paths/prog.9985 -- values/prog.14474 killed/prog.17675 calls/prog.10661", reports: `
diff -all
diff -by path -all
diff -time -all`, compared: true},
}

func TestGolden(t *testing.T) {
	golden, err := filepath.Abs("testdata/golden")
	check(t, err)
	translator := goldenNames(t)
	runs := t.TempDir()
	for _, archive := range []string{"runs.tar.gz", "named.tar.gz", "typed.tar.gz"} {
		if out, err := exec.Command("tar", "-xzf", filepath.Join(golden, archive), "-C", runs).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	t.Chdir(runs)
	defer func(local *time.Location) { time.Local = local }(time.Local)
	time.Local = time.UTC
	for _, of := range goldenRuns {
		t.Run(of.name, func(t *testing.T) {
			lines := strings.TrimSpace(of.reports)
			if !of.compared {
				lines = strings.TrimSpace(reportsOfAll + lines)
			}
			var all []string
			for line := range strings.SplitSeq(lines, "\n") {
				line = strings.TrimSpace(line)
				all = append(all, goldenMark+line+"\n"+goldenReport(t, line, of.operands, translator, runs))
			}
			file := filepath.Join(golden, of.name+".txt")
			if *update {
				check(t, os.WriteFile(file, []byte(strings.Join(all, "")), 0o666))
				return
			}
			b, err := os.ReadFile(file)
			check(t, err)
			want := strings.SplitAfter(string(b), "\n"+goldenMark)
			for i := range want {
				want[i] = goldenMark + strings.TrimSuffix(strings.TrimPrefix(want[i], goldenMark), goldenMark)
			}
			if len(all) != len(want) {
				t.Fatalf("%d reports, want %d", len(all), len(want))
			}
			for i := range all {
				if all[i] != want[i] {
					t.Errorf("got:\n%s\nwant:\n%s", all[i], want[i])
				}
			}
		})
	}
}

// goldenMark begins the line that names a report in a golden file.
const goldenMark = "== pct "

// goldenTime is the time of day in the head of pct top.
var goldenTime = regexp.MustCompile(`(?m)^# \d\d:\d\d:\d\d `)

// goldenReport is what pct says, and behind it, in lines that begin with "! ", what is wrong.
func goldenReport(t *testing.T, line, operands, translator, runs string) string {
	t.Helper()
	line, alone := strings.CutPrefix(line, "alone ")
	var args []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
			continue
		}
		args = append(args, strings.Fields(part)...)
	}
	at := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
	takes := func(name string) bool {
		return slices.ContainsFunc(commands()[at].flags, func(flag string) bool { return strings.HasPrefix(flag+" ", name+" ") })
	}
	if takes("translator") {
		args = append(args, "-translator", translator)
	}
	words := strings.Fields(operands)
	for ; !alone && len(words) > 0; words = words[1:] {
		switch word := words[0]; {
		case word == "-tree" && !takes("tree"):
		case word == "-r" && !takes("r"):
			words = words[1:]
		default:
			args = append(args, word)
		}
	}
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(""), &stdout, &stderr)
	text := stdout.String()
	if args[0] == "pprof" && status == succeeded {
		p, err := profile.Parse(&stdout)
		check(t, err)
		text = p.String()
	}
	text = goldenTime.ReplaceAllString(strings.NewReplacer("pct "+version(), "pct VERSION", runs+"/", "").Replace(text), "# TIME ")
	if len(text) > mostGolden {
		text = fmt.Sprintf("%d bytes, SHA-256 %x\n", len(text), sha256.Sum256([]byte(text)))
	}
	for complaint := range strings.Lines(stderr.String()) {
		text += "! " + complaint
	}
	if status != succeeded {
		text += fmt.Sprintf("! status %d\n", status)
	}
	return text
}

// goldenNames is the command of the translator that answers the golden names. It has no race detector, which would take
// most of the time of a report.
func goldenNames(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "golden-names")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/golden-names").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	names, err := filepath.Abs("testdata/golden/names")
	check(t, err)
	return program + " " + names
}
