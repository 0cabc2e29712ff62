// Package report writes what package path computed as text.
//
// A line that starts with # tells about the data; every other line is a row,
// one per line, with its columns separated by three blanks or more, so that
// filters can take the report apart.
package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// Style says how rows are written.
type Style struct {
	Counts bool // numbers of samples instead of percentages
	Errors bool // each with its standard error
	Colour bool // hot rows in bold, for a terminal
	Whole  bool // each frame of a long recursion by itself
}

// hot is the fraction from which a row is set in bold.
const hot = 0.1

// gap separates columns.
const gap = "   "

// Profile writes the rows of p, and how much it hides.
func Profile(w io.Writer, p *path.Profile, style Style) error {
	out := bufio.NewWriter(w)
	for _, row := range p.Rows {
		fraction := p.Fraction(row.Weight)
		var line strings.Builder
		line.WriteString(amount(p, fraction, row.Samples, style))
		if row.Group != "" {
			line.WriteString(gap + visible.Text(row.Group))
		}
		line.WriteString(gap + style.callPath(row.Path.Names()))
		if style.Colour && fraction >= hot {
			fmt.Fprintf(out, "\x1b[1m%s\x1b[m\n", line.String())
			continue
		}
		out.WriteString(line.String())
		out.WriteByte('\n')
	}
	switch {
	case p.Hidden > 0 && p.Overlapping:
		fmt.Fprintf(out, "# %s more not shown\n", plural(p.Hidden, "row"))
	case p.Hidden > 0:
		fmt.Fprintf(out, "# %s more not shown, with %.1f%%\n", plural(p.Hidden, "row"), 100*p.Fraction(p.HiddenWeight))
	}
	if p.Cut.Lowered {
		fmt.Fprintln(out, lowered(p.Cut))
	}
	return out.Flush()
}

// lowered says why rows below the threshold are shown.
func lowered(cut calltree.Cut) string {
	return fmt.Sprintf("# no row reaches the threshold of %s%%: the hottest are shown; -threshold 0 shows all", strconv.FormatFloat(100*cut.Asked, 'g', 4, 64))
}

// Scattered writes what to do where most samples are in call paths that are too many to be shown, each by
// itself; most is the number of rows asked for, 0 for all.
func Scattered(w io.Writer, p *path.Profile, most int) error {
	if most > 0 && len(p.Rows) == most || 2*p.HiddenWeight <= p.Weight {
		return nil
	}
	_, err := fmt.Fprintln(w, "# few call paths are equal: -l shortens them so that more are; pct summary and pct fn add up common parts")
	return err
}

// amount is the first column: 67.6%, or 540, and ±2.0.
func amount(p *path.Profile, fraction float64, samples int, style Style) string {
	part := fraction
	if style.Counts {
		part = float64(samples) / float64(p.Samples)
	}
	return amountWithin(p, fraction, samples, p.StandardError(part), style)
}

// amountWithin does that with a standard error of what it writes, as a part of the whole.
func amountWithin(p *path.Profile, fraction float64, samples int, deviation float64, style Style) string {
	if style.Counts {
		s := fmt.Sprintf("%7d", samples)
		if style.Errors {
			s += fmt.Sprintf(" ±%-5.1f", float64(p.Samples)*deviation)
		}
		return s
	}
	s := fmt.Sprintf("%5.1f%%", 100*fraction)
	if style.Errors {
		s += fmt.Sprintf(" ±%-4.1f", 100*deviation)
	}
	return s
}

// maxPrograms bounds the command lines in a head.
const maxPrograms = 5

// Head writes the # lines before a report: what ran and how it was sampled.
// selected is the number of samples that the report is of, limits what selected
// them, nothing if all were taken.
func Head(w io.Writer, s path.Summary, selected int, limits []string) error {
	out := bufio.NewWriter(w)
	line := func(format string, args ...any) {
		fmt.Fprintf(out, "# %s\n", visible.Text(fmt.Sprintf(format, args...)))
	}
	for i, program := range s.Commands {
		if i == maxPrograms {
			line("and %s more", plural(len(s.Commands)-i, "command"))
			break
		}
		line("%s", clip(program))
	}
	facts := []string{plural(s.Samples, "sample")}
	if s.Processes > 1 || s.Programs > s.Processes {
		facts[0] += " of " + plural(s.Processes, "process")
	}
	if s.Programs > s.Processes {
		facts[0] += fmt.Sprintf(" (%s)", plural(s.Programs, "program"))
	}
	if len(s.Clocks) > 0 {
		facts = append(facts, "clock "+strings.Join(s.Clocks, " and "))
	}
	if s.Asked > 0 {
		facts = append(facts, "requested "+hertz(s.Asked))
	}
	if s.Got > 0 {
		facts = append(facts, "actual "+hertz(s.Got))
	}
	if s.Lost > 0 {
		facts = append(facts, fmt.Sprintf("%d lost", s.Lost))
	}
	if s.Partial > 0 {
		facts = append(facts, fmt.Sprintf("%d truncated", s.Partial))
	}
	line("%s", strings.Join(facts, ", "))
	switch {
	case s.Running > 0 && s.Processes == 1:
		line("still running; the report covers the data so far")
	case s.Running > 0:
		line("still running: %d of %s; the report covers the data so far", s.Running, plural(s.Processes, "process"))
	}
	if s.Cut > 0 {
		line("%s: the collector was killed; this is what it left", plural(s.Cut, "process"))
	}
	for _, note := range s.Notes {
		line("%s", note)
	}
	if len(limits) > 0 {
		line("%s selected: %s", plural(selected, "sample"), strings.Join(limits, "; "))
	}
	return out.Flush()
}

func hertz(f float64) string { return fmt.Sprintf("%.4g Hz", f) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "ch") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Units is the word for many of a unit, which is in the singular unless it is a symbol or the
// data of another tool: bytes, misses, switches; µs, B.
func Units(unit string) string {
	switch {
	case unit == "", utf8.RuneCountInString(unit) <= 2:
		return unit
	case strings.HasSuffix(unit, "ss"), strings.HasSuffix(unit, "ch"), strings.HasSuffix(unit, "sh"), strings.HasSuffix(unit, "x"):
		return unit + "es"
	case strings.HasSuffix(unit, "s"):
		return unit
	}
	return unit + "s"
}

// maxTop is the number of values shown of a field that is no number.
const maxTop = 10

// number writes a whole number in full as long as it fits the column.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e11 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.6g", x)
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

// clip keeps a command line readable.
func clip(s string) string {
	const most = 160
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
