package main

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/resource"
)

// planned is the plan of a command line. What it asks for is as in found.
func planned(t *testing.T, line string, to target, found rights) (*collection, error) {
	t.Helper()
	o, err := parseOptions(strings.Fields(line))
	if err != nil {
		return nil, err
	}
	r := rights{probes: found.probes, low: found.low}
	for range 3 {
		c, err := plan(o, to, r)
		if err != nil || c.asks == nil {
			return c, err
		}
		yes := verdict("")
		for _, known := range []struct{ asked, answer **verdict }{{&r.events, &found.events}, {&r.counters, &found.counters}} {
			if *known.asked = *known.answer; *known.asked == nil {
				*known.asked = &yes
			}
		}
	}
	t.Fatalf("%s: the plan asks for ever", line)
	return nil, nil
}

var no = verdict("the kernel says no")

// Who samples, by the options, the program and what this user may do.
func TestCollectors(t *testing.T) {
	static := &unfit{"STATIC", "./p is linked statically"}
	compiled := target{native: &native{plans: "/tmp/plans"}}
	denied, noEvents, probes := rights{counters: &no}, rights{events: &no}, rights{probes: true}
	low := rights{low: "ulimit -v 500000"}
	for _, tt := range []struct {
		line      string
		to        target
		may       rights
		collector collector
		stop      string
		notes     []noteID
	}{
		{line: "p", collector: library},
		{line: "-paths p", collector: library},
		{line: "-calls p", collector: library},
		{line: "-R p", collector: library},
		{line: "-clock real p", collector: library, notes: []noteID{clockInterrupts}},
		{line: "p", may: low, collector: library},
		{line: "-k p", collector: kernel},
		{line: "-t 1 p", collector: kernel},
		{line: "-n 1 p", collector: kernel},
		{line: "-p 1", collector: kernel},
		{line: "-p 1", to: target{secret: true}, collector: kernel},
		{line: "-p 1", may: denied, collector: debugger},
		{line: "-R -t 1 p", collector: debugger},
		{line: "-gdb p", collector: debugger},
		{line: "-args p", collector: debugger},
		{line: "-args sh", to: compiled, collector: library},
		{line: "-args sh", to: target{native: &native{}}, collector: debugger},
		{line: "-args sh", to: target{native: &native{large: true}}, collector: debugger, notes: []noteID{largeProgram}},
		{line: "-args -gdb sh", to: compiled, collector: debugger},
		{line: "-args -t 1 sh", to: compiled, collector: debugger},
		{line: "-args sh", to: target{native: compiled.native, unfit: static}, collector: debugger, notes: []noteID{byDebugger}},
		{line: "-args -p 1 -tree -t 1", collector: debugger},
		{line: "-args -R -n 1 p", collector: debugger},
		{line: "-args p", to: target{unfit: static}, collector: debugger, notes: []noteID{byDebugger}},
		{line: "-expr p@f@n cat p", collector: debugger},
		{line: "-expr sh@f@n cat sh", to: target{native: &native{}}, collector: debugger},
		{line: "-expr sh@f@n cat sh", to: compiled, collector: library},
		{line: "-expr sh@f@n cat -expr true@f@n cat sh", to: compiled, collector: debugger},
		{line: "-gdb -expr sh@f@n cat sh", to: compiled, collector: debugger},
		{line: "-clock itimer -expr sh@f@n cat sh", to: compiled, collector: debugger},
		{line: "-t 1 -expr sh@f@n cat sh", to: compiled, collector: debugger},
		{line: "-expr sh@f@n cat -p 1", to: compiled, collector: debugger},
		{line: "-expr sh@f@n cat sh", to: target{native: compiled.native, unfit: static}, collector: debugger, notes: []noteID{byDebugger}},

		{line: "p", to: target{unfit: static}, collector: kernel, notes: []noteID{byKernel}},
		{line: "p", to: target{unfit: static}, may: denied, collector: debugger, notes: []noteID{byDebugger}},
		{line: "p", to: target{unfit: static}, may: low, collector: nothing, notes: []noteID{unroomy}},
		{line: "p", to: target{unfit: static, secret: true}, collector: nothing, notes: []noteID{unreadable}},
		{line: "-gdb p", to: target{secret: true}, collector: nothing, notes: []noteID{unreadable}},
		{line: "-args p", to: target{secret: true}, collector: nothing, notes: []noteID{unreadable}},
		{line: "-calls p", to: target{unfit: static}, collector: kernel, notes: []noteID{callsUncounted, byKernel}},
		{line: "-R p", to: target{unfit: static}, collector: debugger, notes: []noteID{byDebugger}},
		{line: "-r faults p", to: target{unfit: static}, collector: kernel, notes: []noteID{byKernel}},
		{line: "-r alloc p", to: target{unfit: static}, collector: debugger, stop: "alloc", notes: []noteID{byDebugger, breaksAlloc, trapsAtKill}},

		{line: "-r alloc p", collector: library},
		{line: "-r alloc -p 1", collector: debugger, stop: "alloc", notes: []noteID{breaksAlloc}},
		{line: "-r alloc -t 1 p", collector: debugger, stop: "alloc", notes: []noteID{breaksAlloc, trapsAtKill}},
		{line: "-r calls:f p", collector: debugger, stop: "calls:f", notes: []noteID{breaksCalls, trapsAtKill}},
		{line: "-r calls:f p", may: probes, collector: kernel},
		{line: "-r calls:f -r faults p", may: probes, collector: kernel},
		{line: "-r calls:f -k p", collector: kernel},
		{line: "-r faults p", may: noEvents, collector: kernel},
		{line: "-r read -r write p", collector: library},
		{line: "-r cpu -r alloc -r io -r faults -r fpe p", collector: library},
		{line: "-r cpu -r user p", collector: kernel},
		{line: "-r faults -r minor-faults p", collector: kernel},
		{line: "-r minor-faults -r major-faults p", collector: library},
	} {
		c, err := planned(t, tt.line, tt.to, tt.may)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		var notes []noteID
		for _, n := range c.before {
			notes = append(notes, n.id)
		}
		stop := ""
		if c.stop != nil {
			stop = c.stop.Name
		}
		if c.collector != tt.collector || stop != tt.stop || !slices.Equal(notes, tt.notes) {
			t.Errorf("%s, %+v, %+v: collector %d, %q by breakpoints, notes %v; want %d, %q, %v",
				tt.line, tt.to, tt.may, c.collector, stop, notes, tt.collector, tt.stop, tt.notes)
		}
	}
}

// What can't be measured is refused, with what is in the way. (TestProfileMisuse has the refusals of options.)
func TestRefusals(t *testing.T) {
	static, setuid := &unfit{"STATIC", "./p is linked statically"}, &unfit{"RIGHTS", "./p takes other rights"}
	for _, tt := range []struct {
		line  string
		to    target
		may   rights
		wrong bool // the command line is
		text  string
	}{
		{line: "-k p", may: rights{counters: &no}, text: "-k: the kernel says no"},
		{line: "-r switches p", may: rights{counters: &no}, text: "-r switches: the kernel says no"},
		{line: "-r faults p", may: rights{events: &no, counters: &no}, text: "-r faults: the kernel says no"},
		{line: "-r alloc -r faults p", may: rights{events: &no}, text: "-r alloc faults: the library cannot measure page faults here, and alloc needs the library: the kernel says no"},
		{line: "-r fpe p", to: target{unfit: static}, text: "-r fpe is measured by the library, but ./p is linked statically"},
		{line: "-r alloc:1k p", to: target{unfit: setuid}, text: "-r alloc:1024 is measured by the library, but ./p takes other rights"},
		{line: "-r alloc -r cpu p", to: target{unfit: static}, text: "-r alloc is measured by the library, but ./p is linked statically"},
		{line: "-args p", may: rights{low: "ulimit -v 5"}, text: "under the limit on memory (ulimit -v 5) only the library can sample, not -gdb, -k and the like: " + needs},
		{line: "-gdb p", may: rights{low: "ulimit -v 5"}, text: "under the limit on memory (ulimit -v 5) only the library can sample, not -gdb, -k and the like: " + needs},
		{line: "-r real p", may: rights{low: "ulimit -v 5"}, text: "under the limit on memory (ulimit -v 5) only the library can sample, not -gdb, -k and the like: " + needs},
		{line: "-r calls:f -r faults p", wrong: true, text: "-r calls:f faults: calls:f is counted by breakpoints here and cannot be combined with other resources"},
		{line: "-r alloc -k p", wrong: true, text: "-r alloc is measured by the library and cannot be combined with -p, -t, -n and -k"},
		{line: "-r io -r real p", wrong: true, text: "-r io real: one run cannot measure both io (by the library only) and real (by the kernel only): use two runs"},
		{line: "-log -r switches p", wrong: true, text: "-log and -last cannot be combined with -r, which stores counts only"},
		{line: "-verbose -k p", wrong: true, text: "-clock, -log, -last and -verbose need the library: they cannot be combined with -p, -t, -n, -k and most of -r"},
		{line: "-R -r alloc p", wrong: true, text: "-R cannot be combined with -r, whose intervals are random anyway"},
		{line: "-R -k p", wrong: true, text: "-R cannot be combined with -k, whose intervals are regular"},
	} {
		c, err := planned(t, tt.line, tt.to, tt.may)
		var m *misuse
		if err == nil || err.Error() != tt.text || errors.As(err, &m) != tt.wrong {
			t.Errorf("%s: %+v, %v; want %s", tt.line, c, err, tt.text)
		}
	}
}

// Each resource that help lists is sampled by who can by the table, here with all rights.
func TestResourcesHaveCollectors(t *testing.T) {
	for _, k := range resource.All() {
		name := k.Name
		if name == resource.Calls {
			name += ":f"
		}
		launched, err := planned(t, "-r "+name+" p", target{}, rights{probes: true})
		want := kernel
		if whoCan(k).inside {
			want = library
		}
		if err != nil || launched.collector != want {
			t.Errorf("-r %s of a program: %+v, %v; want collector %d", name, launched, err, want)
		}
		attached, err := planned(t, "-r "+name+" -p 1", target{}, rights{probes: true})
		switch can := whoCan(k); {
		case can.outside && (err != nil || attached.collector != kernel),
			!can.outside && can.stop && (err != nil || attached.collector != debugger),
			!can.outside && !can.stop && err == nil:
			t.Errorf("-r %s of a process that runs: %+v, %v", name, attached, err)
		}
	}
}

// The arguments of each collector.
func TestArguments(t *testing.T) {
	for line, want := range map[string]string{
		"p":               "q10000",
		"-paths -F 500 p": "q2000 s",
		"-calls -i 1ms p": "q1000 s e",
		"-clock virtual -log -last 5 -R -verbose p": "q10000 IV r1 l c5 v",
		"-r alloc:1k -r user:2ms -r io p":           "q10000 s xalloc:1024 xuser:2000 xio",
		"-k -paths -t 2 -n 7 -r real:1ms p":         "-as profile -i 10000us -k -paths -t 2 -n 7 -r real:1ms",
		"-gdb -clock poll -i 5ms p":                 "-as profile -D clock=poll -D interval=5000 -D random=0",
		"-args -F 500 -t 2 p":                       "-as profile -D clock=best -D interval=2000 -D random=0 -t 2",
		"-F 1000 -expr sh@f@n cat sh":               "q1000 s",
		"-R -args sh":                               "q10000 r1 s",
		"-R -t 1 p":                                 "-as profile -D clock=best -D interval=10000 -D random=1 -t 1",
		"-r alloc -n 3 -p 1":                        "-as profile -D clock=alloc -D interval=524288 -D random=0 -samples 3",
		"-r calls:f p":                              "-as profile -D clock=calls:f -D interval=100 -D random=0",
		"-r calls:f:7 p":                            "-as profile -D clock=calls:f -D interval=7 -D random=0",
	} {
		c, err := planned(t, line, target{native: &native{plans: "/tmp/plans"}}, rights{})
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if got := strings.Join(c.arguments, " "); got != want {
			t.Errorf("%s: %s; want %s", line, got, want)
		}
	}
}

// Notes of the library have the names that their meanings are known by.
func TestMeaningsOfNotes(t *testing.T) {
	text, err := os.ReadFile("../collector/note.c")
	if err != nil {
		t.Fatal(err)
	}
	sentences := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\tNOTE\((\w+), "(.*)"\),$`).FindAllStringSubmatch(string(text), -1) {
		sentences[m[1]] = m[2]
	}
	for name := range meanings {
		if sentences[name] == "" && name != noteNested {
			t.Errorf("the library has no note %s", name)
		}
	}
	for name, sentence := range sentences {
		isLost := strings.Contains(sentence, "samples are lost") || strings.Contains(sentence, "nothing is recorded")
		if isLost != (meanings[name]&lost != 0) {
			t.Errorf("%s: %s: means samples were lost: %v", name, sentence, isLost)
		}
	}
}

// Every note has words.
func TestTexts(t *testing.T) {
	for id := clockInterrupts; id <= waitsCostGDB; id++ {
		if texts[id] == "" {
			t.Errorf("note %d has no text", id)
		}
	}
}

// Help fits a terminal, and has the resources.
func TestHelp(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(help(), "\n"), "\n")
	if len(lines) > 60 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	words := strings.FieldsFunc(help(), func(r rune) bool { return strings.ContainsRune(" \n,.:()", r) })
	for _, k := range resource.All() {
		if k.Summary != "" && !slices.Contains(words, k.Name) && !strings.HasPrefix(k.Name, "fpe-") {
			t.Errorf("profile -h tells nothing of -r %s", k.Name)
		}
	}
}

// A mistyped program is told beside the one that was meant, if that ran.
func TestSimilar(t *testing.T) {
	ran := []string{"sh", "work", "sort"}
	for name, want := range map[string]string{"wrok": "work", "works": "work", "srt": "sort", "other": "", "work.old": "", "": ""} {
		if got := similar(name, ran); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
