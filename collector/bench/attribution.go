package bench

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// attribution is how much of a program's cost a profiler gives to the function c as a called
// it, and as b did.
type attribution struct {
	whole float64
	from  map[string]float64
	calls map[string]float64 // none if they are not counted
}

func newAttribution() attribution {
	return attribution{from: map[string]float64{}, calls: map[string]float64{}}
}

// output runs a command in dir and returns what it prints.
func output(dir string, words ...string) (string, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", words[0], err, &stderr)
	}
	return string(out), nil
}

func number(text string) float64 {
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		return 0
	}
	return x
}

func readGprof(program, dir string) (attribution, error) {
	found, err := filepath.Glob(filepath.Join(dir, "gmon.*"))
	if err != nil || len(found) != 1 {
		return attribution{}, fmt.Errorf("%d files gmon.*: %v", len(found), err)
	}
	text, err := output(dir, "gprof", "-b", "-q", program, found[0])
	if err != nil {
		return attribution{}, err
	}
	return parseGprof(text), nil
}

var (
	gprofFunction = regexp.MustCompile(`^\[\d+\] +[\d.]+ +([\d.]+) +([\d.]+) .* (\w+) \[\d+\]$`)
	gprofCall     = regexp.MustCompile(`^ +([\d.]+) +([\d.]+) +(\d+)/\d+ +(\w+) \[\d+\]$`)
)

// parseGprof reads a call graph: a function, after its callers and before what it calls.
func parseGprof(text string) attribution {
	a := newAttribution()
	function := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "---") {
			function = ""
		}
		if m := gprofFunction.FindStringSubmatch(line); m != nil {
			if function = m[3]; function == "main" {
				a.whole = number(m[1]) + number(m[2])
			}
		} else if m := gprofCall.FindStringSubmatch(line); m != nil && m[4] == "c" {
			a.from[function] += number(m[1]) + number(m[2])
			a.calls[function] += number(m[3])
		}
	}
	return a
}

func readCallgrind(_, dir string) (attribution, error) {
	text, err := output(dir, "callgrind_annotate", "--tree=calling", "--inclusive=yes", "--threshold=100", "out")
	if err != nil {
		return attribution{}, err
	}
	return parseCallgrind(text), nil
}

var callgrindLine = regexp.MustCompile(`^ *([\d,]+) \([ \d.]+%\)  ([*>])  .*:(\w+) (?:\(([\d,]+)x\) )?\[`)

// parseCallgrind reads functions, each before what it calls.
func parseCallgrind(text string) attribution {
	a := newAttribution()
	function := ""
	for line := range strings.Lines(text) {
		m := callgrindLine.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[2] == "*":
			if function = m[3]; function == "main" {
				a.whole = number(m[1])
			}
		case m[3] == "c":
			a.from[function] += number(m[1])
			a.calls[function] += number(m[4])
		}
	}
	return a
}

func readUftrace(_, dir string) (attribution, error) {
	text, err := output(dir, "uftrace", "graph", "--no-pager", "-d", "trace", "main")
	if err != nil {
		return attribution{}, err
	}
	return parseUftrace(text), nil
}

var (
	uftraceLine  = regexp.MustCompile(`^ *([\d.]+) +(\w+) :[ |+-]*\((\d+)\) (\w+)$`)
	uftraceUnits = map[string]float64{"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}
)

// parseUftrace reads a tree of calls.
func parseUftrace(text string) attribution {
	a := newAttribution()
	caller := ""
	for line := range strings.Lines(text) {
		m := uftraceLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		seconds := number(m[1]) * uftraceUnits[m[2]]
		switch m[4] {
		case "main":
			a.whole = seconds
		case "c":
			a.from[caller] += seconds
			a.calls[caller] += number(m[3])
		default:
			caller = m[4]
		}
	}
	return a
}

// stack adds a sampled stack, the innermost function first.
func (a *attribution) stack(functions []string, samples float64) {
	a.whole += samples
	if i := slices.Index(functions, "c"); i >= 0 && i+1 < len(functions) {
		a.from[functions[i+1]] += samples
	}
}

func readPerfStacks(_, dir string) (attribution, error) {
	text, err := output(dir, "perf", "script", "-i", "perf.data", "-F", "ip,sym")
	if err != nil {
		return attribution{}, err
	}
	return parsePerfStacks(text), nil
}

// parsePerfStacks reads stacks, of which each frame is an address and a name.
func parsePerfStacks(text string) attribution {
	a := newAttribution()
	for block := range strings.SplitSeq(text, "\n\n") {
		var functions []string
		for line := range strings.Lines(block) {
			if words := strings.Fields(line); len(words) > 1 {
				functions = append(functions, words[1])
			}
		}
		if len(functions) > 0 {
			a.stack(functions, 1)
		}
	}
	return a
}

func readCollapsed(program, dir string) (attribution, error) {
	files, err := filepath.Glob(filepath.Join(dir, "prof*"))
	if err != nil || len(files) != 1 {
		return attribution{}, fmt.Errorf("%d profiles: %v", len(files), err)
	}
	text, err := output(dir, "google-pprof", "--collapsed", program, files[0])
	if err != nil {
		return attribution{}, err
	}
	return parseCollapsed(text), nil
}

// parseCollapsed reads "main<0000000000001234>;a<…>;c<…> 5": the outermost function first.
func parseCollapsed(text string) attribution {
	a := newAttribution()
	for line := range strings.Lines(text) {
		stack, samples, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			continue
		}
		functions := strings.Split(stack, ";")
		for i := range functions {
			functions[i], _, _ = strings.Cut(functions[i], "<")
		}
		slices.Reverse(functions)
		a.stack(functions, number(samples))
	}
	return a
}

// report runs pct on the one run below dir.
func (b *bench) report(dir string, words ...string) (string, error) {
	runs, err := filepath.Glob(filepath.Join(dir, "contexts*"))
	if err != nil || len(runs) != 1 {
		return "", fmt.Errorf("%d run directories: %v", len(runs), err)
	}
	return output(dir, append(append([]string{filepath.Join(b.Bin, "pct")}, words...), "-threshold", "0", runs[0])...)
}

var upRow = regexp.MustCompile(`(?m)^([\d.]+) \((\w+) c\) `)

func (b *bench) readPaths(_, dir string) (attribution, error) {
	text, err := b.report(dir, "up", "c")
	if err != nil {
		return attribution{}, err
	}
	a := newAttribution()
	a.whole = 1
	for _, m := range upRow.FindAllStringSubmatch(text, -1) {
		a.from[m[2]] = number(m[1])
	}
	return a, nil
}

var callsRow = regexp.MustCompile(`(?m)^ *([\d.]+)% +(\d+) .*[^-] c <- (\w+) <- main$`)

func (b *bench) readCalls(_, dir string) (attribution, error) {
	text, err := b.report(dir, "paths", "-calls")
	if err != nil {
		return attribution{}, err
	}
	return parseCalls(text), nil
}

// parseCalls reads a report of pct paths -calls.
func parseCalls(text string) attribution {
	a := newAttribution()
	a.whole = 100
	for _, m := range callsRow.FindAllStringSubmatch(text, -1) {
		a.from[m[3]] += number(m[1])
		a.calls[m[3]] += number(m[2])
	}
	return a
}
