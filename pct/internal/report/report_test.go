package report

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/internal/path"
)

func TestProfile(t *testing.T) {
	p := &path.Profile{
		Rows: []path.Row{
			{Path: path.PathOf("worker", "main"), Weight: 95, Samples: 90},
			{Group: "n=\x1b[2J", Path: path.PathOf("two\nlines"), Weight: 5, Samples: 10},
		},
		Samples: 100,
		Weight:  100,
	}
	for _, c := range []struct {
		name  string
		style Style
		want  string
	}{
		{"plain", Style{}, " 95.0%   worker <- main\n  5.0%   n=\\x1b[2J   two\\x0alines\n"},
		{"errors", Style{Errors: true}, " 95.0% ±2.2    worker <- main\n  5.0% ±2.2    n=\\x1b[2J   two\\x0alines\n"},
		{"counts", Style{Counts: true}, "     90   worker <- main\n     10   n=\\x1b[2J   two\\x0alines\n"},
		{"count errors", Style{Counts: true, Errors: true}, "     90 ±3.0     worker <- main\n     10 ±3.0     n=\\x1b[2J   two\\x0alines\n"},
		{"hot rows in bold", Style{Colour: true}, "\x1b[1m 95.0%   worker <- main\x1b[m\n  5.0%   n=\\x1b[2J   two\\x0alines\n"},
	} {
		var b strings.Builder
		if err := Profile(&b, p, c.style); err != nil || b.String() != c.want {
			t.Errorf("%s: %v, got\n%swant\n%s", c.name, err, b.String(), c.want)
		}
	}
}

func TestScattered(t *testing.T) {
	rows := []path.Row{{Path: path.PathOf("f"), Weight: 10}}
	for _, c := range []struct {
		hidden uint64
		most   int
		said   bool
	}{{90, 0, true}, {90, 5, true}, {90, 1, false}, {10, 0, false}} {
		var out strings.Builder
		p := &path.Profile{Rows: rows, Weight: 10 + c.hidden, Hidden: 1, HiddenWeight: c.hidden}
		if err := Scattered(&out, p, c.most); err != nil || strings.HasPrefix(out.String(), "# few call paths are equal: ") != c.said {
			t.Errorf("%+v: %q, %v", c, out.String(), err)
		}
	}
}

func TestHead(t *testing.T) {
	s := path.Summary{
		Commands: []string{"a\x1b", "b", strings.Repeat("c", 200), "d", "e", "f", "g"},
		Programs: 10, Processes: 9, Running: 2, Cut: 1, Samples: 1, Clocks: []string{"perf", "itimer"}, Lost: 2,
	}
	want := "# a\\x1b\n# b\n# " + strings.Repeat("c", 160) + "…\n# d\n# e\n# and 2 commands more\n" +
		"# 1 sample of 9 processes (10 programs), clock perf and itimer, 2 lost\n" +
		"# still running: 2 of 9 processes; the report covers the data so far\n" +
		"# 1 process: the collector was killed; this is what it left\n" +
		"# 1 sample selected: from 1s to 2s of CPU time; n > 1\n"
	var b strings.Builder
	if err := Head(&b, s, 1, []string{"from 1s to 2s of CPU time", "n > 1"}); err != nil || b.String() != want {
		t.Errorf("%v, got\n%swant\n%s", err, b.String(), want)
	}
}

func TestProcesses(t *testing.T) {
	all := []path.Process{
		{Pid: 10, Ppid: 9, How: "launch", State: "running", Mode: "sampled", Wall: 2500 * time.Millisecond, CPU: time.Second,
			Subtree: 3 * time.Second, Samples: 100, Lost: 1, Commands: []string{"make all"}},
		{Depth: 1, Pid: 11, Ppid: 10, How: "fork", State: "signal SIGKILL", Start: time.Second, CPU: 2 * time.Second,
			Subtree: 2 * time.Second, Commands: []string{"cc\n", "as \x1b[2J"}},
		{Depth: 2, Pid: 12000, Ppid: 11},
	}
	want := `
  PID  PPID  HOW     STATE           MODE     START   WALL    CPU   TREE  SAMPLES  LOST  COMMAND
   10     9  launch  running         sampled  0.000  2.500  1.000  3.000      100     1  make all
   11    10  fork    signal SIGKILL  ?        1.000      ?  2.000  2.000        0     0   \_ cc\x0a => as \x1b[2J
12000    11  ?       ?               ?        0.000      ?      ?      ?        0     0       \_
`
	var b strings.Builder
	if err := Processes(&b, all); err != nil || "\n"+b.String() != want {
		t.Errorf("%v, got\n%swant%s", err, b.String(), want)
	}
}

func TestPhases(t *testing.T) {
	p := &path.Phases{Weight: 10, Samples: 10, Rows: []path.Phase{
		{Window: path.Window{To: time.Second}, Weight: 8, Samples: 8, Top: path.Row{Path: path.PathOf("f\x1b", "main"), Weight: 4}},
		{Window: path.Window{From: time.Second, To: 2 * time.Second}},
		{Window: path.Window{From: 9500 * time.Millisecond, To: 10 * time.Second}, Group: "n=\n", Weight: 2, Samples: 2,
			Top: path.Row{Path: path.PathOf("g"), Weight: 2}},
	}}
	want := "# window, its share, and the heaviest in it with its share of the row\n" +
		"-window 0,1       80.0%   ####################    50.0%   f\\x1b <- main\n" +
		"-window 1,2        0.0%\n" +
		"-window 9.5,10    20.0%   #####                  n=\\x0a   100.0%   g\n"
	var b strings.Builder
	if err := Phases(&b, p); err != nil || b.String() != want {
		t.Errorf("%v, got\n%swant\n%s", err, b.String(), want)
	}
}

func TestTop(t *testing.T) {
	pulse := Pulse{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Alive: 1, Processes: 2, Samples: 30, Lost: 4, SampleRate: 99.96,
		CPU: 1500 * time.Millisecond, Cores: 1.5, Limits: []string{"name ~ \x1b"}}
	rows := []path.HotRow{{Name: "f\n", Self: 3, Total: 4}, {Group: "pid=7", Name: "g", Total: 4}}
	want := "# 03:04:05   1 of 2 processes alive   30 samples (100.0/s), 4 lost   CPU 1.50s (1.50 cores)\n" +
		"# name ~ \\x1b\n#  self    total\n  75.0%   100.0%   f\\x0a\n   0.0%   100.0%   pid=7   g\n"
	var b strings.Builder
	if err := Top(&b, pulse, rows, 4); err != nil || b.String() != want {
		t.Errorf("%v, got\n%swant\n%s", err, b.String(), want)
	}
}

// A report that can't be written is no success.
func TestWriteErrors(t *testing.T) {
	p := &path.Profile{Rows: []path.Row{{Path: path.PathOf("f")}}}
	if err := Profile(broken{}, p, Style{}); !errors.Is(err, errBroken) {
		t.Errorf("Profile: %v", err)
	}
	if err := Head(broken{}, path.Summary{}, 0, nil); !errors.Is(err, errBroken) {
		t.Errorf("Head: %v", err)
	}
	if err := Processes(broken{}, nil); !errors.Is(err, errBroken) {
		t.Errorf("Processes: %v", err)
	}
	if err := Phases(broken{}, &path.Phases{}); !errors.Is(err, errBroken) {
		t.Errorf("Phases: %v", err)
	}
	if err := Top(broken{}, Pulse{}, nil, 0); !errors.Is(err, errBroken) {
		t.Errorf("Top: %v", err)
	}
	if err := Table(broken{}, nil, 0, ""); !errors.Is(err, errBroken) {
		t.Errorf("Table: %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestUnits(t *testing.T) {
	for unit, want := range map[string]string{
		"": "", "µs": "µs", "B": "B", "byte": "bytes", "bytes": "bytes", "fault": "faults", "miss": "misses", "switch": "switches", "seconds": "seconds",
	} {
		if got := Units(unit); got != want {
			t.Errorf("Units(%q) = %q, want %q", unit, got, want)
		}
	}
}
