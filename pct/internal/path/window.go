package path

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// A Window is a stretch of time. Windows that follow each other share no moment
// and leave none out.
type Window struct {
	From time.Duration // the first moment in it; if negative, so long before the last sample
	To   time.Duration // the first moment after it; endless
	CPU  bool          // CPU time of the process, in place of real time
}

// endless is the end of a window that has none.
const endless time.Duration = math.MaxInt64

// cpuPrefix stands before windows of CPU time.
const cpuPrefix = "cpu:"

// ParseWindow reads FROM,TO or cpu:FROM,TO. Both are seconds, or have a unit, as
// in 500ms; where one is left out the window begins, or ends, with the run. -FROM, is
// the last part of the run.
func ParseWindow(s string) (*Window, error) {
	rest, cpu := strings.CutPrefix(s, cpuPrefix)
	from, to, ok := strings.Cut(rest, ",")
	w := &Window{To: endless, CPU: cpu}
	if !ok || from == "" && to == "" {
		return nil, fmt.Errorf("want FROM,TO such as 2,5 or 500ms,2s or 2, or cpu:2,5 or -10, (the last 10 s), not %q", s)
	}
	if last, ok := strings.CutPrefix(from, "-"); ok && to == "" && !cpu {
		d, err := ParseTime(last)
		w.From = -d
		return w, err
	}
	for _, bound := range []struct {
		text string
		at   *time.Duration
	}{{from, &w.From}, {to, &w.To}} {
		if bound.text == "" {
			continue
		}
		var err error
		if *bound.at, err = ParseTime(bound.text); err != nil {
			return nil, err
		}
	}
	if w.From >= w.To {
		return nil, fmt.Errorf("the window %s ends before it begins", s)
	}
	return w, nil
}

// ParseTime reads seconds, as in 2 or 0.5, or a time with its unit, as in 500ms.
func ParseTime(s string) (time.Duration, error) {
	if f, err := strconv.ParseFloat(s, 64); err == nil && f >= 0 && f < endless.Seconds() {
		return time.Duration(math.Round(f * float64(time.Second))), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("want a time such as 2 (seconds), 0.5 or 500ms, not %q", s)
	}
	return d, nil
}

// String returns the window as ParseWindow reads it.
func (w Window) String() string {
	prefix := ""
	if w.CPU {
		prefix = cpuPrefix
	}
	return prefix + w.span()
}

// span is the window without what it is a window of.
func (w Window) span() string {
	if w.To == endless {
		return seconds(w.From) + ","
	}
	return seconds(w.From) + "," + seconds(w.To)
}

// Text says which samples are in the window.
func (w Window) Text() string {
	of := "of real time"
	if w.CPU {
		of = "of CPU time"
	}
	if w.From < 0 {
		return fmt.Sprintf("the last %v of real time", -w.From)
	}
	if w.To == endless {
		return fmt.Sprintf("from %v %s on", w.From, of)
	}
	return fmt.Sprintf("from %v to %v %s", w.From, w.To, of)
}

// holds reports whether a sample is in the window. One without a time is in none, and
// one whose CPU time is not known in none of CPU time.
func (w Window) holds(r *run, s *data.Sample) bool {
	if s.Untimed || w.CPU && s.CPU == 0 {
		return false
	}
	at := moment(r, s, w.CPU)
	return w.From <= at && at < w.To
}

// moment is when a sample was taken: CPU time of its process, or real time since
// the run began, that of the first process of a tree.
func moment(r *run, s *data.Sample, cpu bool) time.Duration {
	if cpu {
		return max(0, s.CPU)
	}
	return max(0, r.offset+s.Time)
}

// bin is the window of this length that the moment is in; the first begins at 0.
func bin(at, length time.Duration, cpu bool) Window {
	from := at - at%length
	return Window{From: from, To: from + length, CPU: cpu}
}
