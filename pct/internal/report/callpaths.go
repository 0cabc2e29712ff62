package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// CallHead is what the head of a call path profile says, beyond that of Head.
type CallHead struct {
	Resource string // what was sampled, "cpu"
	Unit     string // of a weight, "µs"
	Interval uint64 // in Unit, from one sample to the next, 0 unknown
	Group    string // NAME=VALUE that the samples have in common, "" none
	Refined  []calltree.Refinement
}

// CallStyle says how the rows of a call path profile are written.
type CallStyle struct {
	Errors    bool    // each fraction with its standard error
	Rows      int     // at most so many; 0 is all
	Threshold float64 // by which rows are hidden
}

// The kinds of call path profiles, by the titles that the 1993 paper gives them.
const (
	FunctionProfile = "Body+Descendants Function Profile"
	BodyProfile     = "Body Function Profile"
	DownwardProfile = "Downward Call Path Profile"
	UpwardProfile   = "Upward Call Path Profile"
	treeProfile     = "Sample Tree Profile"
)

// Digits of a fraction, as the 1993 paper has them.
const (
	functionDigits = 4
	pathDigits     = 5
)

// CallPaths writes a downward or upward profile of t, the sort of which title tells, in
// the format of the 1993 paper, section 4:
//
//	0.68012 (main uniquify_db qsort) [1820]
//
// A name with blanks in it is quoted.
func CallPaths(w io.Writer, title string, t *calltree.Tree, p *calltree.CallPaths, head CallHead, style CallStyle) error {
	c := newCallWriter(w, title, p.Whole, head, style, "usage_fraction (call_path) [#raw_samples]")
	c.cut, c.after = p.Cut(style.Rows), p.After
	for _, row := range p.Rows {
		if !c.room() {
			continue
		}
		names := make([]string, len(row.Frames))
		for i, f := range row.Frames {
			names[i] = pathName(t.Frames[f].Name)
		}
		fmt.Fprintf(c, "%s (%s) [%d]\n", c.fraction(row.Weight, pathDigits), strings.Join(names, " "), row.Samples)
	}
	return c.end(p.Hidden, "call path")
}

// Functions writes a function or body profile of t, the sort of which title tells, in the
// format of the 1993 paper, section 4.4:
//
//	0.8632 db_get_property [530]
func Functions(w io.Writer, title string, t *calltree.Tree, all []calltree.FrameWeight, head CallHead, style CallStyle) error {
	whole, hidden := t.Whole(), 0
	heaviest := 0.0
	if len(all) > 0 && whole.Weight > 0 {
		heaviest = share(all[0].Weight.Weight, whole.Weight)
	}
	cut := calltree.NewCut(style.Threshold, style.Rows, heaviest)
	c := newCallWriter(w, title, whole, head, style, "usage_fraction function_name [#raw_samples]")
	c.cut = cut
	for _, f := range all {
		switch {
		case whole.Weight > 0 && share(f.Weight.Weight, whole.Weight) < cut.Threshold:
			hidden++
		case c.room():
			fmt.Fprintf(c, "%s %s [%d]\n", c.fraction(f.Weight, functionDigits), visible.Text(t.Frames[f.Frame].Name), f.Samples)
		}
	}
	return c.end(hidden, "function")
}

// deepest is the level up to which the rows of a sample tree are indented.
const deepest = 100

// SampleTree writes the sample tree profile in the format of the 1993 paper, section
// 7.2, where indentation is depth. A row deeper than level 100 is indented as that, and has
// its level before the name.
//
//	main (1.0000) [614]
//	  invoice (0.1743) [107]
func SampleTree(w io.Writer, t *calltree.Tree, head CallHead, style CallStyle) error {
	rows, hidden, cut := t.Outline(style.Threshold, style.Rows)
	c := newCallWriter(w, treeProfile, t.Whole(), head, style, "frame_designator (usage_fraction) [#raw_samples]")
	c.cut = cut
	for _, row := range rows {
		if !c.room() {
			continue
		}
		c.WriteString(strings.Repeat("  ", min(row.Depth, deepest)))
		if row.Depth > deepest {
			fmt.Fprintf(c, "level %d: ", row.Depth)
		}
		fmt.Fprintf(c, "%s (%s) [%d]\n", rowName(t.Frames[row.Frame].Name), c.fraction(row.Weight, functionDigits), row.Samples)
	}
	return c.end(hidden, "node")
}

// callWriter writes one call path profile.
type callWriter struct {
	*bufio.Writer
	whole   calltree.Weight
	style   CallStyle
	written int
	cut     calltree.Cut
	after   int // rows for which there was no room
}

func newCallWriter(w io.Writer, title string, whole calltree.Weight, head CallHead, style CallStyle, format string) *callWriter {
	c := &callWriter{Writer: bufio.NewWriter(w), whole: whole, style: style}
	group := ""
	if head.Group != "" {
		group = ", " + head.Group
	}
	fmt.Fprintf(c, "# %s for resource: %s\n", title, visible.Text(head.Resource+group))
	sampled := plural(whole.Samples, "sample")
	if head.Interval > 0 {
		sampled += ", one sample per " + inUnits(head.Interval, head.Unit)
	} else {
		sampled += " of " + inUnits(uint64(whole.Weight), head.Unit)
	}
	fmt.Fprintf(c, "# %s\n", visible.Text(sampled))
	for _, r := range head.Refined {
		fmt.Fprintf(c, "# only call paths %s\n", visible.Text(r.String()))
	}
	fmt.Fprintf(c, "# format: %s\n", format)
	return c
}

// room reports whether another row may be written, and counts it.
func (c *callWriter) room() bool {
	if c.cut.Rows > 0 && c.written == c.cut.Rows {
		c.after++
		return false
	}
	c.written++
	return true
}

// end says how many rows are not there: those cut off, and those below the threshold.
func (c *callWriter) end(hidden int, what string) error {
	why := fmt.Sprintf("below %s", strconv.FormatFloat(c.style.Threshold, 'g', -1, 64))
	after := fmt.Sprintf("after the first %s", plural(c.written, "row"))
	switch {
	case hidden > 0 && c.after > 0:
		why = fmt.Sprintf("%d %s, %d %s", hidden, why, c.after, after)
	case c.after > 0:
		why = after
	}
	if hidden+c.after > 0 {
		fmt.Fprintf(c, "# %s not shown: %s\n", plural(hidden+c.after, what), why)
	}
	if c.cut.Lowered {
		fmt.Fprintln(c, lowered(c.cut))
	}
	return c.Flush()
}

// fraction is the first column: the share of the whole and, if wanted, its standard error.
func (c *callWriter) fraction(w calltree.Weight, digits int) string {
	f := share(w.Weight, c.whole.Weight)
	text := strconv.FormatFloat(f, 'f', digits, 64)
	if c.style.Errors {
		text += " ±" + standardError(f, c.whole.Samples)
	}
	return text
}

// standardError is √(p(1−p)/N), in three digits or, if it is smaller, the first two that
// are not 0.
func standardError(p float64, n int) string {
	e := math.Sqrt(max(0, p*(1-p)) / float64(n))
	digits := 3
	if e > 0 {
		digits = min(max(3, 1-int(math.Floor(math.Log10(e)))), 7)
	}
	return strconv.FormatFloat(e, 'f', digits, 64)
}

// pathName is a name in a call path, quoted where it could be taken for several, or for
// the end of the path.
func pathName(name string) string {
	name = visible.Text(name)
	if name != "" && !strings.ContainsAny(name, " \"") && balanced(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
}

// rowName is a name that begins a row, quoted where the row would be taken for a line about
// the data.
func rowName(name string) string {
	name = visible.Text(name)
	if strings.HasPrefix(name, "#") {
		return `"` + name + `"`
	}
	return name
}

// balanced reports whether a name closes only what parentheses it opened.
func balanced(name string) bool {
	depth := 0
	return !slices.ContainsFunc([]rune(name), func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth < 0
	}) && depth == 0
}
