package report

import (
	"strings"
	"testing"
)

// A long call path is shortened in the middle, where it is told and where it is listed.
func TestLongPath(t *testing.T) {
	o := &Overview{Samples: 100}
	text := o.context(&OverviewContext{Path: strings.Fields("a b c d e f g h"), Share: 1, Fresh: 1})
	for _, want := range []string{"Call path: (a b c … f g h).", "is spent in h when g calls it for f for e for … for a;"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if text := o.context(&OverviewContext{Path: strings.Fields("a b c d e f"), Share: 1, Fresh: 1}); !strings.Contains(text, "(a b c d e f)") {
		t.Errorf("%q is shortened", text)
	}
}

// Advice is about what can be done again.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		attached, imported bool
		want               string
	}{
		{false, false, "rely on: a longer run, a higher -F,"},
		{true, false, "rely on: -t with more seconds, a higher -F,"},
		{false, true, "too few to rely on."},
	} {
		o := &Overview{Samples: 10, Attached: c.attached, Imported: c.imported}
		o.Runs.Resource = "samples"
		if text := o.sampled(); !strings.Contains(text, c.want) || strings.Contains(text, "of samples") {
			t.Errorf("%q lacks %q", text, c.want)
		}
	}
}
