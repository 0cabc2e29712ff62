package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/path"
)

func TestProfile(t *testing.T) {
	p := &path.Profile{
		Rows: []path.Row{
			{Frames: []string{"worker", "main"}, Weight: 95, Samples: 90},
			{Group: "n=\x1b[2J", Frames: []string{"two\nlines"}, Weight: 5, Samples: 10},
		},
		Samples: 100,
		Weight:  100,
	}
	for _, c := range []struct {
		name  string
		style Style
		want  string
	}{
		{"plain", Style{}, " 95.0%   worker <- main\n  5.0%   n=?[2J   two?lines\n"},
		{"errors", Style{Errors: true}, " 95.0% ±2.2    worker <- main\n  5.0% ±2.2    n=?[2J   two?lines\n"},
		{"counts", Style{Counts: true}, "     90   worker <- main\n     10   n=?[2J   two?lines\n"},
		{"count errors", Style{Counts: true, Errors: true}, "     90 ±3.0     worker <- main\n     10 ±3.0     n=?[2J   two?lines\n"},
		{"hot rows in bold", Style{Colour: true}, "\x1b[1m 95.0%   worker <- main\x1b[m\n  5.0%   n=?[2J   two?lines\n"},
	} {
		var b strings.Builder
		if err := Profile(&b, p, c.style); err != nil || b.String() != c.want {
			t.Errorf("%s: %v, got\n%swant\n%s", c.name, err, b.String(), c.want)
		}
	}
}

func TestHead(t *testing.T) {
	s := path.Summary{
		Commands: []string{"a\x1b", "b", strings.Repeat("c", 200), "d", "e", "f", "g"},
		Programs: 10, Processes: 9, Running: 2, Cut: 1, Samples: 1, Clocks: []string{"perf", "itimer"}, Lost: 2,
	}
	want := "# a?\n# b\n# " + strings.Repeat("c", 160) + "…\n# d\n# e\n# and 2 commands more\n" +
		"# 1 sample of 9 processes (10 programs), clock perf and itimer, 2 lost\n" +
		"# still running: 2 of 9 processes; this is what there is so far\n" +
		"# 1 process: the collector was killed; this is what it left\n" +
		"# 1 sample selected: from 1s to 2s of CPU time; n > 1\n"
	var b strings.Builder
	if err := Head(&b, s, 1, []string{"from 1s to 2s of CPU time", "n > 1"}); err != nil || b.String() != want {
		t.Errorf("%v, got\n%swant\n%s", err, b.String(), want)
	}
}

// A report that can't be written is no success.
func TestWriteErrors(t *testing.T) {
	p := &path.Profile{Rows: []path.Row{{Frames: []string{"f"}}}}
	if err := Profile(broken{}, p, Style{}); !errors.Is(err, errBroken) {
		t.Errorf("Profile: %v", err)
	}
	if err := Head(broken{}, path.Summary{}, 0, nil); !errors.Is(err, errBroken) {
		t.Errorf("Head: %v", err)
	}
	if err := Table(broken{}, nil); !errors.Is(err, errBroken) {
		t.Errorf("Table: %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
