package path

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// phaseText writes phases for comparison: window, group, weight, samples, heaviest.
func phaseText(p *Phases) string {
	var b strings.Builder
	for _, r := range p.Rows {
		fmt.Fprintf(&b, "%s [%s] %d %d %d %s\n", r.Window, r.Group, r.Weight, r.Samples, r.Top.Weight, strings.Join(r.Top.Path.Names(), " <- "))
	}
	return b.String()
}

func TestPhases(t *testing.T) {
	// The samples are taken at 0, 1, … s.
	s := selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, calls...))
	for _, c := range []struct {
		name    string
		options Options
		want    string
	}{
		{"by number", Options{Granularity: Symbol, Rows: 2, Levels: 1}, `
0,5 [] 94 5 58 leaf
5,10 [] 6 2 3 ?
`},
		{"by length, with empty ones", Options{Granularity: Symbol, Interval: 1500 * time.Millisecond, Levels: 2}, `
0,1.5 [] 70 2 50 leaf <- odd
1.5,3 [] 10 1 10 sym <- main
3,4.5 [] 14 2 8 leaf <- odd
4.5,6 [] 3 1 3 sym <- main
6,7.5 [] 3 1 3 ?
`},
		{"in groups", Options{Granularity: Symbol, Interval: 4 * time.Second, Levels: 1, By: "partial"}, `
0,4 [partial=false] 88 4 58 leaf
4,8 [partial=true] 9 2 9 sym
4,8 [partial=false] 3 1 3 ?
`},
	} {
		p, err := s.Phases(translator, c.options, false)
		check(t, err)
		if got := phaseText(p); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s: got\n%swant%s", c.name, got, c.want)
		}
		sum := uint64(0)
		for _, r := range p.Rows {
			sum += r.Weight
		}
		if sum != p.Weight || p.Samples != len(calls) {
			t.Errorf("%s: the slices have the weight %d of %d", c.name, sum, p.Weight)
		}
	}
	if _, err := s.Phases(translator, Options{Interval: time.Microsecond}, false); err == nil || !strings.Contains(err.Error(), "more than 100000 slices") {
		t.Errorf("slices without number: %v", err)
	}
}

// TestPhasesAreWindows has each slice hold what the window that it prints selects.
func TestPhasesAreWindows(t *testing.T) {
	var at []time.Duration
	for i := range 1000 {
		at = append(at, 3*time.Second+time.Duration(i*i)*10*time.Microsecond)
	}
	runs, err := Open([]string{aRun(t, t.TempDir(), "p", data.Meta{Pid: 1, Start: time.Unix(1000, 0)}, at...)})
	check(t, err)
	s, err := runs.Select(nil, nil)
	check(t, err)
	for _, cpu := range []bool{false, true} {
		for rows := 1; rows < 100; rows += 7 {
			p, err := s.Phases(nil, Options{Rows: rows}, cpu)
			check(t, err)
			if len(p.Rows) > rows {
				t.Errorf("%d slices, at most %d were wanted", len(p.Rows), rows)
			}
			for _, r := range p.Rows {
				if n := count(t, runs, r.Window.String()); n != r.Samples {
					t.Errorf("-window %s selects %d samples, the slice has %d", r.Window, n, r.Samples)
				}
			}
		}
	}
}

func TestRoundInterval(t *testing.T) {
	for _, c := range []struct {
		first, last time.Duration
		n           int
		want        time.Duration
	}{
		{0, 0, 20, 1}, {0, 10 * time.Second, 20, time.Second}, {0, 9999 * time.Millisecond, 20, 500 * time.Millisecond},
		{100 * time.Second, 101 * time.Second, 20, 100 * time.Millisecond}, {0, endless, 1, endless},
	} {
		if got := roundInterval(c.first, c.last, c.n); got != c.want {
			t.Errorf("from %v to %v in %d: %v, want %v", c.first, c.last, c.n, got, c.want)
		}
	}
}

func TestHot(t *testing.T) {
	s := selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, calls...))
	rows, weight, err := s.Hot(translator, Options{Granularity: Symbol, Rows: 5})
	check(t, err)
	want := []HotRow{{"", "leaf", 58, 78}, {"", "even", 20, 78}, {"", "sym", 19, 19}, {"", "?", 3, 3}, {"", "main", 0, 91}}
	if weight != 100 || fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("of %d: %+v, want %+v", weight, rows, want)
	}
	rows, _, err = s.Hot(translator, Options{Granularity: Symbol, By: "partial", Rows: 1})
	check(t, err)
	if want := (HotRow{"partial=false", "leaf", 58, 78}); rows[0] != want {
		t.Errorf("%+v, want %+v", rows[0], want)
	}
}
