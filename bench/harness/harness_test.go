package harness

import (
	"math"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestQuartiles(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   Quartiles
	}{
		{[]float64{4}, Quartiles{4, 4, 4}},
		{[]float64{5, 1, 3}, Quartiles{2, 3, 4}},
		{[]float64{1, 2, 3, 4, 5}, Quartiles{2, 3, 4}},
		{[]float64{2, 1}, Quartiles{1.25, 1.5, 1.75}},
	} {
		if got := QuartilesOf(tt.values); got != tt.want {
			t.Errorf("quartiles of %v are %v, want %v", tt.values, got, tt.want)
		}
	}
	if q := QuartilesOf(nil); !math.IsNaN(q.Middle) {
		t.Errorf("the middle of nothing is %g", q.Middle)
	}
}

func TestSpread(t *testing.T) {
	got := SpreadOf([]float64{5, 1, 9}, func(x float64) float64 { return 2 * x })
	if want := (Spread{10, 2, 18}); got != want {
		t.Errorf("spread is %v, want %v", got, want)
	}
	if got := SpreadOf(nil, func(x float64) float64 { return x }); got != (Spread{}) {
		t.Errorf("spread of nothing is %v", got)
	}
}

func TestInRounds(t *testing.T) {
	r := Run{Rounds: 3}
	if n := r.InRounds(0, func() {}); n != 3 {
		t.Errorf("%d rounds without a budget, want 3", n)
	}
	if n := r.InRounds(time.Nanosecond, func() { time.Sleep(time.Millisecond) }); n != 1 {
		t.Errorf("%d rounds within no time, want the first", n)
	}
}

func TestMeasure(t *testing.T) {
	if c, err := Measure(exec.Command("true"), 0); err != nil || c.Wall <= 0 || c.Kilobytes <= 0 {
		t.Errorf("true: %+v, error %v", c, err)
	}
	if _, err := Measure(exec.Command("sh", "-c", "echo no luck >&2; exit 3"), time.Minute); err == nil || !strings.Contains(err.Error(), "exit status 3: no luck") {
		t.Errorf("error %v", err)
	}
	if _, err := Measure(exec.Command("sh", "-c", "sleep 1000 | sleep 1000"), 10*time.Millisecond); err == nil || err.Error() != "stopped after 10ms" {
		t.Errorf("error %v", err)
	}
}
