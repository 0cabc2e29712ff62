package report

import (
	"strings"
	"testing"
	"time"
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

// No rate is recommended where time in the kernel is in no sample.
func TestAdviceOfUserMode(t *testing.T) {
	o := &Overview{Samples: 10}
	o.Runs.Resource, o.Runs.Asked, o.Runs.CPU = "cpu", 300, time.Second
	if text := o.more(); !strings.Contains(text, "-F") {
		t.Errorf("%q recommends no rate", text)
	}
	o.Runs.Notes = []string{"user-mode samples only at this rate; add -k for the kernel"}
	if text := o.more(); strings.Contains(text, "-F") || !strings.Contains(text, "-k") {
		t.Errorf("%q recommends a rate", text)
	}
}

// Reasons why a thread was off the processor are no functions that somebody calls; an interpreter's
// loop is one, of which calls say little.
func TestReasonsInWords(t *testing.T) {
	for _, c := range []struct {
		path    string
		caller  string
		callers int
		want    string
		not     string
	}{
		{"main work [preempted]", "", 0, "is time in which work could run and had no processor for main; the same elsewhere takes 20%. Call path: (main work [preempted]). Other threads had the processors: ", "saved there"},
		{"work [preempted]", "", 0, "is time in which work could run and had no processor; the same", " calls"},
		{"[preempted]", "work", 1, "is time in which work could run and had no processor. Call path", " call"},
		{"[preempted]", "", 3, "is time in which a thread could run and had no processor, in 3 functions. Call path", " call"},
		{"main read [blocked_in_read]", "", 0, "is time in which read waited in the system call read for main; the same elsewhere takes 20%", " calls"},
		{"main [blocked_in_a_page_fault]", "", 0, "is time in which main waited in a page fault; the same", " calls"},
		{"main [stopped]", "", 0, "is time in which main was stopped, as by ^Z or a debugger; the same", " calls"},
		{"main luaV_execute", "", 0, "saved there. luaV_execute is the loop in which Lua programs are executed: ", "time in which"},
		{"main [kernel]:do_work", "", 0, "is spent in [kernel]:do_work when main calls it; all other calls", "waited"},
	} {
		path := strings.Fields(c.path)
		for i := range path {
			path[i] = strings.ReplaceAll(path[i], "_in_", " in ")
			path[i] = strings.ReplaceAll(path[i], "a_page_fault", "a page fault")
		}
		o := &Overview{Samples: 100}
		text := o.context(&OverviewContext{Path: path, Share: 0.5, Fresh: 0.5, Others: 0.2, Caller: c.caller, Callers: c.callers})
		if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s: %q; want %q, not %q", c.path, text, c.want, c.not)
		}
	}
}
