package path

import (
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

func TestParseWindow(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		text   string
		want   Window
		string string
		says   string
	}{
		{"2,5", Window{2 * s, 5 * s, false}, "2,5", "from 2s to 5s of real time"},
		{",5", Window{0, 5 * s, false}, "0,5", "from 0s to 5s of real time"},
		{"2,", Window{2 * s, endless, false}, "2,", "from 2s of real time on"},
		{"0,0.000001", Window{0, time.Microsecond, false}, "0,0.000001", "from 0s to 1µs of real time"},
		{"500ms,1m30s", Window{s / 2, 90 * s, false}, "0.5,90", "from 500ms to 1m30s of real time"},
		{"1e1,1E2", Window{10 * s, 100 * s, false}, "10,100", "from 10s to 1m40s of real time"},
		{"-10,", Window{-10 * s, endless, false}, "-10,", "the last 10s of real time"},
		{"-500ms,", Window{-s / 2, endless, false}, "-0.5,", "the last 500ms of real time"},
		{"cpu:2,5", Window{2 * s, 5 * s, true}, "cpu:2,5", "from 2s to 5s of CPU time"},
		{"cpu:,300ms", Window{0, 3 * s / 10, true}, "cpu:0,0.3", "from 0s to 300ms of CPU time"},
		{"cpu:7,", Window{7 * s, endless, true}, "cpu:7,", "from 7s of CPU time on"},
	} {
		w, err := ParseWindow(c.text)
		if err != nil || *w != c.want {
			t.Errorf("%s: %+v, %v", c.text, w, err)
			continue
		}
		if w.String() != c.string || w.Text() != c.says {
			t.Errorf("%s: %s, %s", c.text, w, w.Text())
		}
		if again, err := ParseWindow(w.String()); err != nil || *again != *w {
			t.Errorf("%s: %+v, %v from its own text %s", c.text, again, err, w)
		}
	}
	for _, text := range []string{"", ",", "cpu:", "cpu:,", "2", "2-5", "5,2", "2,2", "-1,2", "--1,", "cpu:-1,", ",-1", "2,-1", "1,2,3", "x,2", "1,5kg", "NaN,2", "Inf,", "1e30,", "mem:1,2"} {
		if w, err := ParseWindow(text); err == nil {
			t.Errorf("%q is the window %+v", text, w)
		}
	}
}

// aRun writes a run in root of samples at these times, with as much CPU time; meta
// says when it started.
func aRun(t *testing.T, root, prog string, m data.Meta, at ...time.Duration) string {
	t.Helper()
	d, err := data.Create(root, prog, m.Pid)
	check(t, err)
	check(t, d.WriteMeta(m))
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Period: 10 * time.Millisecond, Start: m.Start})
	check(t, err)
	node := w.Node(0, w.Object("/bin/"+prog, "", 0, 0, 0x100, 0), atMain)
	for _, moment := range at {
		check(t, w.Sample(data.Sample{Time: moment, CPU: moment, Node: node, Weight: 1}))
	}
	check(t, w.Close())
	check(t, d.Close())
	return d.Path()
}

func count(t *testing.T, runs *Runs, window string) int {
	t.Helper()
	w, err := ParseWindow(window)
	check(t, err)
	s, err := runs.Select(w, nil)
	if err != nil {
		if _, ok := err.(*NoSamples); !ok {
			t.Error(err)
		}
		return 0
	}
	return s.Samples()
}

// TestWindowsDivide has windows that follow each other share no sample and leave
// none out.
func TestWindowsDivide(t *testing.T) {
	var at []time.Duration
	for i := range 100 {
		at = append(at, time.Duration(i+1)*10*time.Millisecond)
	}
	runs, err := Open([]string{aRun(t, t.TempDir(), "p", data.Meta{Pid: 1, Start: time.Unix(1000, 0)}, at...)})
	check(t, err)
	for _, prefix := range []string{"", "cpu:"} {
		for _, windows := range [][]string{{",0.5", "0.5,"}, {",100ms", "0.1,0.2", "0.2,0.205", "205ms,0.99", "0.99,1", "1,"}} {
			sum := 0
			for _, w := range windows {
				sum += count(t, runs, prefix+w)
			}
			if sum != len(at) {
				t.Errorf("%s%v hold %d of %d samples", prefix, windows, sum, len(at))
			}
		}
		if n := count(t, runs, "-0.25,"); n != 26 {
			t.Errorf("the last 250ms hold %d samples, want 26", n)
		}
		if n := count(t, runs, prefix+"0.1,0.2"); n != 10 {
			t.Errorf("%s0.1,0.2 holds %d samples, want 10", prefix, n)
		}
	}
}

// TestWindowWithoutCPU says why samples that have no CPU time are in no window of it.
func TestWindowWithoutCPU(t *testing.T) {
	runs, err := Open([]string{writeRun(t, "/bin/prog", data.Meta{}, calls...)})
	check(t, err)
	w, err := ParseWindow("cpu:0,1")
	check(t, err)
	if _, err := runs.Select(w, nil); err == nil || !strings.HasSuffix(err.Error(), "; they have no CPU times") {
		t.Errorf("%v", err)
	}
	s, err := runs.Select(nil, nil)
	check(t, err)
	if _, err := s.Phases(nil, Options{}, true); err == nil || !strings.Contains(err.Error(), "no CPU times") {
		t.Errorf("phases: %v", err)
	}
}

// TestErrorsOfWindow has the standard error be that of the samples in the window.
func TestErrorsOfWindow(t *testing.T) {
	at := make([]time.Duration, 400)
	for i := range at {
		at[i] = time.Duration(i) * time.Millisecond
	}
	runs, err := Open([]string{aRun(t, t.TempDir(), "p", data.Meta{Pid: 1, Start: time.Unix(1000, 0)}, at...)})
	check(t, err)
	w, err := ParseWindow("0,0.1")
	check(t, err)
	s, err := runs.Select(w, nil)
	check(t, err)
	p, err := s.Flat(translator, Options{Granularity: Symbol})
	check(t, err)
	if p.Samples != 100 || p.Weight != 100 || p.StandardError(0.5) != 0.05 {
		t.Errorf("%d samples of weight %d, error of one half %v", p.Samples, p.Weight, p.StandardError(0.5))
	}
}
