package bench

import (
	"encoding/binary"
	"math"
	"testing"
)

func TestDistance(t *testing.T) {
	a, b := shares{"f": 3, "g": 1}, shares{"f": 20, "h": 20}
	if got := distance(a, b); got != 25+25+50 {
		t.Errorf("%g points, want 100", got)
	}
	if got := distance(a, shares{"f": 300, "g": 100}); got != 0 {
		t.Errorf("%g points between equal shares", got)
	}
}

// TestExpected: for two functions of equal shares the expectation is known. The
// difference of two shares has the variance 1/4n + 1/4m, its mean size is √(2/π) of
// the deviation, and it counts twice.
func TestExpected(t *testing.T) {
	a, b := shares{"f": 500, "g": 500}, shares{"f": 2000, "g": 2000}
	want := 100 * 2 * math.Sqrt(2/math.Pi*(1./4000+1./16000))
	mean, deviation := expected(a, b)
	// The mean of 60 draws, within four of its standard errors.
	if tolerance := 4 * deviation / math.Sqrt(60); deviation <= 0 || math.Abs(mean-want) > tolerance {
		t.Errorf("%.2f points ± %.2f, want %.2f ± %.2f", mean, deviation, want, tolerance)
	}
}

// TestAgreement: two rounds of equal weight, and that few samples can't be surer than chance lets them.
func TestAgreement(t *testing.T) {
	var a agreement
	a.add(shares{"work": 30, "put": 70}, shares{"work": 40, "put": 60})
	a.add(shares{"work": 3, "put": 7}, shares{"work": 50, "put": 50})
	points, deviation := a.of("work")
	if math.Abs(points-15) > 1e-9 || math.Abs(deviation-5) > 1e-9 {
		t.Errorf("%g ± %g, want 15 ± 5", points, deviation)
	}
	a = agreement{}
	a.add(shares{"work": 1, "put": 1}, shares{"work": 2, "put": 2})
	if points, deviation := a.of("work"); points != 0 || math.Abs(deviation-25) > 1e-9 {
		t.Errorf("%g ± %g, want 0 ± 25", points, deviation)
	}
	for _, text := range []string{"", "work", "work x", "work 0\n"} {
		if s, err := parseShares(text); err == nil {
			t.Errorf("%q is understood as %v", text, s)
		}
	}
	if s, err := parseShares("work 1\nput 2\nwork 3\n"); err != nil || s["work"] != 4 || s["put"] != 2 {
		t.Errorf("%v, %v", s, err)
	}
}

func TestParseMapping(t *testing.T) {
	for _, tt := range []struct {
		line string
		want mapping
		ok   bool
	}{
		{" 5680 PERF_RECORD_MMAP2 5680/5680: [0x5564984d5000(0x1000) @ 0x2000 fe:00 10070271 3407759944]: r-xp /tmp/a program",
			mapping{0x5564984d5000, 0x1000, 0x2000, "/tmp/a program"}, true},
		{" 5680 PERF_RECORD_MMAP2 5680/5680: [0x7fa819d2a000(0x2000) @ 0 00:00 0 0]: r-xp [vdso]",
			mapping{0x7fa819d2a000, 0x2000, 0, "[vdso]"}, true},
		{" 5680 PERF_RECORD_MMAP2 5680/5680: [0x7fa819d2a000(0x2000) @ 0 00:00 0 0]: rw-p /dev/zero", mapping{0x7fa819d2a000, 0x2000, 0, "/dev/zero"}, false},
		{"    0 PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x120bb08) @ 0xffffffff81000000]: x [kernel.kallsyms]_text", mapping{}, false},
		{" 5680 ABI:2    IP:0x5564984d5313 ", mapping{}, false},
	} {
		if got, ok := parseMapping(tt.line); got != tt.want || ok != tt.ok {
			t.Errorf("%s\nis %+v, %v; want %+v, %v", tt.line, got, ok, tt.want, tt.ok)
		}
	}
}

func TestSamplesOfProfile(t *testing.T) {
	words := []uint64{0, 3, 0, 10000, 0 /**/, 5, 2, 0x401000, 0x401010 /**/, 7, 1, 0x402000 /**/, 0, 1, 0}
	var file []byte
	for _, w := range words {
		file = binary.LittleEndian.AppendUint64(file, w)
	}
	file = append(file, "00400000-00401000 r-xp /bin/p\n"...)
	if got := samplesOfProfile(file); got != 12 {
		t.Errorf("%d samples, want 12", got)
	}
	if got := samplesOfProfile(file[:9*8]); got != 5 {
		t.Errorf("%d samples in what was cut off, want 5", got)
	}
	if got := samplesOfProfile(nil); got != 0 {
		t.Errorf("%d samples in nothing", got)
	}
}

func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   string
	}{
		{[]float64{1.5}, "+1.50"},
		{[]float64{-1, 3}, "+1.00"},
		{[]float64{1, 2, 3, 4, 900}, "+3.00 ± 0.83"},
	} {
		if got := percent(tt.values); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.values, got, tt.want)
		}
	}
}
