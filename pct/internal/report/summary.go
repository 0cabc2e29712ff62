package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
)

// Overview is what Summary says in words.
type Overview struct {
	Runs     path.Summary
	Limits   []string // what selected the samples
	Wall     time.Duration
	Samples  int    // selected
	Weight   uint64 // of these
	Separate int    // runs, one by one
	Callers  bool
	Attached bool // to a program that ran already
	Imported bool // from a file of another tool
	Contexts []OverviewContext
	Rest     float64         // share in no context
	Values   []path.Column   // of the fields
	Phases   []OverviewPhase // over time, none if it does not change
	Unnamed  []Share         // objects whose functions are not known
}

// OverviewContext is a call path that holds a part of the weight. Shares are between 0
// and 1, of the whole.
type OverviewContext struct {
	Path    []string // the outermost function first
	Share   float64
	Fresh   float64 // what is in no context before this one
	Others  float64 // of the last function, by other paths
	Itself  bool    // Fresh is what the last function does itself
	Caller  string  // that calls the path, "" none or several
	Callers int
	Bodies  []Share // functions, of Fresh
	Lines   []Share // FILE:LINE, of Fresh
	Waiters []Share // functions on whose behalf a thread waits, of Fresh
}

// Share is a part by name.
type Share struct {
	Name  string
	Share float64
}

// OverviewPhase is a stretch of time and the context that is the heaviest in it.
type OverviewPhase struct {
	From, To time.Duration
	Context  int     // from 1, 0 in none
	Share    float64 // of the weight of the phase
}

const (
	width     = 80    // of a line
	fewest    = 100   // samples that say something
	enough    = 400   // samples that one asks for
	maxPath   = 6     // frames of a path; more are left out in its middle
	maxDetail = 3     // of what there may be many
	told      = 0.005 // a share that is not nothing
)

// Summary writes half a page for people who have not seen a profile before.
func Summary(w io.Writer, o *Overview) error {
	p := &prose{bufio.NewWriter(w)}
	for i, c := range o.Runs.Commands {
		if i == maxDetail {
			p.say("# ", "and %s more", plural(len(o.Runs.Commands)-i, "command"))
			break
		}
		fmt.Fprintf(p, "# %s\n", visible.Text(clip(c)))
	}
	p.say("", "%s", o.ran())
	p.say("", "%s", o.sampled())
	for i := range o.Contexts {
		p.say(fmt.Sprintf("%d. ", i+1), "%s", o.context(&o.Contexts[i]))
	}
	switch {
	case len(o.Contexts) == 0 && o.Weight == 0:
		p.say("", "The samples weigh nothing: none of it was used.")
	case len(o.Contexts) == 0:
		p.say("", "No function has a part that so few samples can tell from chance.")
	case o.Rest >= told:
		p.say("", "The other %s are spread over functions of which none has a significant part.", percentage(o.Rest))
	}
	if !o.Callers {
		p.say("", "The samples have no callers: who calls these functions is not known.")
	}
	o.values(p)
	o.phases(p)
	o.missing(p)
	return p.Flush()
}

// prose is text in lines of 80 columns.
type prose struct{ *bufio.Writer }

// say writes a paragraph behind a mark, its other lines indented as that.
func (p *prose) say(mark, format string, args ...any) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(mark))
	at := utf8.RuneCountInString(mark)
	p.WriteString(mark)
	for i, word := range strings.Fields(visible.Text(fmt.Sprintf(format, args...))) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			p.WriteString("\n" + indent)
			at = len(indent)
		default:
			p.WriteByte(' ')
			at++
		}
		p.WriteString(word)
		at += n
	}
	p.WriteByte('\n')
}

// percentage is a share in whole percent, or with a digit more if it is small.
func percentage(share float64) string {
	if share > 0 && share < 0.0095 {
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

func duration(d time.Duration) string { return fmt.Sprintf("%.3g s", d.Seconds()) }

// ran says what ran, and how busy it was.
func (o *Overview) ran() string {
	s := &o.Runs
	text := plural(s.Processes, "process")
	if s.Programs > s.Processes {
		text += fmt.Sprintf(" (%s)", plural(s.Programs, "program"))
	}
	if o.Separate > 1 {
		text = fmt.Sprintf("%s in %d runs", text, o.Separate)
	}
	busy := s.CPU.Seconds() / o.Wall.Seconds()
	switch {
	case o.Wall > 0 && s.CPU > 0 && busy <= 1.05:
		text += fmt.Sprintf(" ran for %s and used %s of CPU time: a processor was busy for %s of that time",
			duration(o.Wall), duration(s.CPU), percentage(min(busy, 1)))
	case o.Wall > 0 && s.CPU > 0:
		text += fmt.Sprintf(" ran for %s and used %s of CPU time: %.1f processors were busy in the mean",
			duration(o.Wall), duration(s.CPU), busy)
	case s.CPU > 0:
		text += fmt.Sprintf(" used %s of CPU time", duration(s.CPU))
	case o.Wall > 0:
		text += fmt.Sprintf(" ran for %s", duration(o.Wall))
	default:
		text += " ran"
	}
	text += "."
	if s.Running > 0 {
		text += fmt.Sprintf(" Of these, %s still ran when this was written.", plural(s.Running, "process"))
	}
	if s.Cut > 0 {
		text += fmt.Sprintf(" The collector of %s was killed; this is what it left.", plural(s.Cut, "process"))
	}
	return text
}

// sampled says what the samples are, and whether they are enough.
func (o *Overview) sampled() string {
	s := &o.Runs
	text := plural(s.Samples, "sample")
	if s.Resource != "samples" { // of imported ones it may not be known what they measure
		text += " of " + s.Resource
	}
	if len(s.Clocks) > 0 {
		text += ", by the clock " + strings.Join(s.Clocks, " and ")
	}
	if s.Asked > 0 {
		text += fmt.Sprintf(", requested %s", hertz(s.Asked))
	}
	if s.Got > 0 {
		text += fmt.Sprintf(", actual %s", hertz(s.Got))
	}
	text += "."
	if len(o.Limits) > 0 {
		text += fmt.Sprintf(" Of these %d count: %s.", o.Samples, strings.Join(o.Limits, "; "))
	}
	text += fmt.Sprintf(" A share of 50%% has a standard error of %s (± below).", percentage(0.5/math.Sqrt(float64(o.Samples))))
	if o.Samples < fewest {
		text += " That is too few to rely on"
		if !o.Imported {
			text += fmt.Sprintf(": %s would do", o.more())
		}
		text += "."
	}
	return text
}

// more says how to get enough samples.
func (o *Overview) more() string {
	longer := "a longer run"
	if o.Attached {
		longer = "-t with more seconds"
	}
	if path.UserMode(o.Runs.Notes) {
		return longer + ", or several runs together, or -k for the kernel as well," // a higher rate shows no more of it
	}
	const most = 10000                                            // Hz
	if cpu := o.Runs.CPU.Seconds(); cpu > 0 && o.Runs.Asked > 0 { // else the samples are of no time
		for rate := 100.0; rate <= most; rate *= 10 {
			for _, digit := range []float64{1, 2, 5} {
				if rate*digit*cpu >= enough && rate*digit <= most && rate*digit > o.Runs.Asked {
					return fmt.Sprintf("%s, or -F %.0f,", longer, rate*digit)
				}
			}
		}
	}
	return longer + ", a higher -F, or several runs together"
}

// plusMinus is a share with its standard error.
func (o *Overview) plusMinus(share float64) string {
	return fmt.Sprintf("%s ± %s", percentage(share), percentage(math.Sqrt(max(0, share*(1-share))/float64(o.Samples))))
}

// context says what a context holds.
func (o *Overview) context(c *OverviewContext) string {
	last := c.Path[len(c.Path)-1]
	text := o.plusMinus(c.Fresh)
	if c.Share-c.Fresh >= told && !c.Itself && c != &o.Contexts[0] {
		text = "Another " + text
	}
	outer := c.Path[:len(c.Path)-1]
	wait := waiting(last)
	switch {
	case wait != "" && len(outer) > 0:
		text += fmt.Sprintf(" is time in which %s %s", outer[len(outer)-1], wait)
	case wait != "" && c.Caller != "":
		text += fmt.Sprintf(" is time in which %s %s", c.Caller, wait)
	case wait != "":
		text += fmt.Sprintf(" is time in which a thread %s, in %s", wait, plural(max(1, c.Callers), "function"))
	case c.Itself:
		text += fmt.Sprintf(" is spent in %s itself and in functions with small parts that it calls", last)
	default:
		text += " is spent in " + last
	}
	switch {
	case wait != "" && len(outer) == 0:
	case len(outer) == 0 && c.Caller != "":
		text += fmt.Sprintf(", called by %s", c.Caller)
	case len(outer) == 0 && c.Callers > 1:
		text += fmt.Sprintf(", which %d functions call", c.Callers)
	case len(outer) > 0:
		if wait == "" {
			text += fmt.Sprintf(" when %s calls it", outer[len(outer)-1])
		}
		if rest := outer[:len(outer)-1]; len(rest) > 0 {
			text += " for " + strings.Join(shortened(reversed(rest)), " for ")
		}
		if c.Caller != "" {
			text += " for " + c.Caller
		}
		if c.Callers > 1 {
			text += fmt.Sprintf(", by %d callers of %s", c.Callers, c.Path[0])
		}
	}
	switch {
	case wait != "" && len(outer) > 0 && c.Share-c.Fresh < told:
		text += fmt.Sprintf("; the same elsewhere takes %s", percentage(c.Others))
	case wait != "":
	case !c.Itself && len(outer) > 0 && c.Share-c.Fresh < told:
		text += fmt.Sprintf("; all other calls of %s take %s", last, percentage(c.Others))
	}
	if c.Share-c.Fresh >= told && wait == "" {
		text += fmt.Sprintf("; all calls by this path take %s", percentage(c.Share))
	}
	var names []string
	for i, name := range c.Path {
		switch over := len(c.Path) - maxPath; {
		case over <= 0 || i < maxPath/2 || i >= maxPath/2+over:
			names = append(names, pathName(name))
		case i == maxPath/2:
			names = append(names, "…")
		}
	}
	text += fmt.Sprintf(". Call path: (%s). %s%s", strings.Join(names, " "), o.saved(c), loop(c))
	if len(c.Waiters) > 0 && last != preempted {
		text += " Who waits: " + list(c.Waiters) + "."
	}
	if len(c.Bodies) > 0 && (len(c.Bodies) > 1 || c.Bodies[0].Name != last) {
		text += " The work is done in " + list(c.Bodies) + "."
	}
	if len(c.Lines) > 0 {
		text += " Hot lines: " + list(c.Lines) + "."
	}
	return text
}

// shortened leaves names out in the middle of many.
func shortened(names []string) []string {
	if len(names) <= maxPath-2 {
		return names
	}
	return append(append(slices.Clone(names[:maxPath/2-1]), "…"), names[len(names)-1])
}

func reversed(names []string) []string {
	all := slices.Clone(names)
	slices.Reverse(all)
	return all
}

// list writes shares, the heaviest ones alone.
func list(all []Share) string {
	var parts []string
	for i, s := range all {
		if i == maxDetail {
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", s.Name, percentage(s.Share)))
	}
	return strings.Join(parts, ", ")
}

// values says which sampled values are frequent.
func (o *Overview) values(p *prose) {
	for _, c := range o.Values {
		if c.Values == 0 {
			continue
		}
		most := c.Frequent[0]
		text := fmt.Sprintf("The value %s was taken with %s of the samples", c.Name, percentage(share(uint64(c.Values), uint64(c.Values+c.Missing))))
		switch part := share(uint64(most.Samples), uint64(c.Values)); {
		case len(c.Frequent) == 1:
			text += fmt.Sprintf(": it was %s in all of them.", clip(most.Value))
		case part >= 0.1:
			text += fmt.Sprintf(": it was %s in %s of them (pct fn -by %s tells more).", clip(most.Value), percentage(part), c.Name)
		case c.Numeric && misleading(&c):
			text += fmt.Sprintf(": from %s to %s, half of them up to %s and 99%% up to %s.", number(c.Min), number(c.Max), number(c.Median), number(c.High))
		case c.Numeric:
			text += fmt.Sprintf(": from %s to %s, %s in the mean.", number(c.Min), number(c.Max), number(c.Mean))
		default:
			text += fmt.Sprintf(": %d different ones, none of them in many.", len(c.Frequent))
		}
		p.say("", "%s", text)
	}
}

// phases says how it changes over time.
func (o *Overview) phases(p *prose) {
	if len(o.Phases) < 2 {
		return
	}
	var parts []string
	for _, ph := range o.Phases {
		what := "the rest"
		if ph.Context > 0 {
			what = fmt.Sprintf("context %d", ph.Context)
		}
		parts = append(parts, fmt.Sprintf("from %s to %s %s (%s)", duration(ph.From), duration(ph.To), what, percentage(ph.Share)))
	}
	p.say("", "It changes over time: %s. pct phases shows more.", strings.Join(parts, ", "))
}

// missing says what is not known.
func (o *Overview) missing(p *prose) {
	s := &o.Runs
	if s.Lost > 0 {
		p.say("", "%s lost beside the %d that were taken; pct info says why.", were(int(s.Lost), "sample"), s.Samples)
	}
	if s.Partial > 0 {
		p.say("", "The outermost callers of %s are not known.", plural(s.Partial, "sample"))
	}
	if len(o.Unnamed) > 0 {
		p.say("", "Functions are not known of code in %s: it has no symbols there. A build that is not stripped, "+
			"or a package with debug symbols (in Debian -dbgsym or -dbg), names them.", list(o.Unnamed))
	}
	for _, note := range s.Notes {
		p.say("", "%s", note)
	}
}

func were(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return plural(n, noun) + " were"
}
