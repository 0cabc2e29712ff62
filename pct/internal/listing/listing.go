// Package listing writes source files and disassembled functions with the weight of
// each line in a margin on the left.
//
// A margin is a multiple of eight columns wide, so that tabs behind it stand where
// they stood. It ends with a bar:
//
//	57.1% |	for (i = 0; i < n; i++)
package listing

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Listing says what stands in the margin, and where sources are.
type Listing struct {
	Samples int    // of the selection
	Weight  uint64 // of the selection; shares are of this

	Percent   bool    // shares instead of numbers of samples
	Errors    bool    // each with its standard error
	Colour    bool    // by heat, for a terminal
	Whole     bool    // whole files and functions instead of what is around the hot lines
	Threshold float64 // share of the selection from which a file or a function is hot

	Search *Search
	Cycles *Cycles // nil: without executions

	// Warn is told, in a sentence, what can't be shown or may be wrong.
	Warn func(sentence string)
}

// amount is the weight of a line, a file or a function.
type amount struct {
	weight  uint64
	samples int
}

func (a amount) plus(b amount) amount { return amount{a.weight + b.weight, a.samples + b.samples} }

func (l *Listing) share(a amount) float64 {
	if l.Weight == 0 {
		return 0
	}
	return float64(a.weight) / float64(l.Weight)
}

// standardError is that of a share, √(p(1−p)/N).
func (l *Listing) standardError(share float64) float64 {
	return math.Sqrt(max(0, share*(1-share)) / float64(max(1, l.Samples)))
}

// hotLine is the share of a file or a function from which a line is hot, if
// Threshold is not less.
const hotLine = 0.01

// cut is the weight from which lines are hot of a file or a function, if it has such
// lines: the heaviest always is.
func cut[K comparable](l *Listing, whole amount, lines map[K]amount) float64 {
	heaviest := uint64(0)
	for _, a := range lines {
		heaviest = max(heaviest, a.weight)
	}
	return min(float64(heaviest), min(l.Threshold, hotLine)*float64(whole.weight))
}

// hot reports whether a line is.
func (a amount) hot(cut float64) bool { return a.samples > 0 && float64(a.weight) >= cut }

// cut is which files or functions are shown: those that a pattern asks for, else hot ones; at most so many, 0 for all.
func (l *Listing) cut(heaviest amount, pattern calltree.Pattern, most int) calltree.Cut {
	if pattern.String() != "" {
		return calltree.Cut{Rows: most}
	}
	return calltree.NewCut(l.Threshold, most, l.share(heaviest))
}

// lowered says why files or functions are shown that are not hot.
func lowered(what string, cut calltree.Cut) string {
	return fmt.Sprintf("# no %s reaches the threshold of %s%%: the hottest are shown; -threshold 0 shows all\n", what, strconv.FormatFloat(100*cut.Asked, 'g', 4, 64))
}

func (l *Listing) wanted(a amount, cut calltree.Cut) bool { return l.share(a) >= cut.Threshold }

// cells are the columns of the margin for a line of the source; those of the
// executions, of which known says whether there are any, only if they were asked for.
func (l *Listing) cells(a amount, executions uint64, known bool) []string {
	var cells []string
	if l.Cycles != nil {
		cells = append(cells, "")
		if known {
			cells[0] = fmt.Sprint(executions)
		}
	}
	cells = append(cells, "")
	if a.samples > 0 {
		cells[len(cells)-1] = l.number(a)
	}
	if l.Cycles != nil {
		cells = append(cells, "")
		if known && a.samples > 0 {
			cells[2] = l.perExecution(a, executions)
		}
	}
	return cells
}

// titles name the columns of cells.
func (l *Listing) titles() []string {
	number := "samples"
	if l.Percent {
		number = "share"
	}
	if l.Cycles == nil {
		return []string{number}
	}
	return []string{"executions", number, "cycles/execution"}
}

func (l *Listing) number(a amount) string {
	share := l.share(a)
	switch {
	case l.Percent && l.Errors:
		return fmt.Sprintf("%.1f%% ±%-4.1f", 100*share, 100*l.standardError(share))
	case l.Percent:
		return fmt.Sprintf("%.1f%%", 100*share)
	case l.Errors:
		part := float64(a.samples) / float64(max(1, l.Samples))
		return fmt.Sprintf("%d ±%-5.1f", a.samples, float64(l.Samples)*l.standardError(part))
	}
	return fmt.Sprint(a.samples)
}

// perExecution is the number of cycles that a line takes each time, with its
// standard error.
func (l *Listing) perExecution(a amount, executions uint64) string {
	if executions == 0 {
		return "never executed?"
	}
	cycles := float64(a.weight) * l.Cycles.Hertz / 1e6 / float64(executions)
	part := float64(a.samples) / float64(max(1, l.Samples))
	relative := math.Sqrt(max(0, 1-part) / float64(a.samples))
	digits := 0
	switch {
	case cycles < 10:
		digits = 2
	case cycles < 1000:
		digits = 1
	}
	return fmt.Sprintf("%.*f ±%.*f", digits, cycles, digits, cycles*relative)
}

// text is an amount in words, for the head of a file or a function.
func (l *Listing) text(a amount) string {
	return fmt.Sprintf("%.1f%%, %s", 100*l.share(a), plural(a.samples, "sample"))
}

// margin is the layout of cells: their widths.
type margin struct{ widths []int }

const tab = 8 // columns

// narrowest is a row that makes the margin eight columns wide at least.
func narrowest() []string { return []string{strings.Repeat(" ", tab-len(bar))} }

// newMargin is as wide as the widest cells of each column.
func newMargin(rows ...[]string) margin {
	var m margin
	for _, row := range rows {
		for i, cell := range row {
			if i == len(m.widths) {
				m.widths = append(m.widths, 0)
			}
			m.widths[i] = max(m.widths[i], utf8.RuneCountInString(cell))
		}
	}
	sum := len(bar)
	for i, width := range m.widths {
		sum += width + min(i, 1)
	}
	if len(m.widths) > 0 {
		m.widths[0] += (sum+tab-1)/tab*tab - sum
	}
	return m
}

const bar = " |"

// text lays out a row of cells; a nil one is blank.
func (m margin) text(cells []string) string {
	var b strings.Builder
	for i, width := range m.widths {
		if i > 0 {
			b.WriteByte(' ')
		}
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		b.WriteString(strings.Repeat(" ", max(0, width-utf8.RuneCountInString(cell))))
		b.WriteString(cell)
	}
	return b.String() + bar
}

// Shares of the selection from which a line has a colour, hottest first.
var heats = []struct {
	share  float64
	escape string
}{
	{0.1, "\x1b[1;31m"},
	{0.02, "\x1b[33m"},
	{0, "\x1b[32m"},
}

// heat sets a line in the colour of its share.
func (l *Listing) heat(a amount, line string) string {
	if !l.Colour || a.samples == 0 {
		return line
	}
	for _, h := range heats {
		if l.share(a) >= h.share {
			return h.escape + line + "\x1b[m"
		}
	}
	return line
}

// bold sets a heading.
func (l *Listing) bold(line string) string {
	if !l.Colour {
		return line
	}
	return "\x1b[1m" + line + "\x1b[m"
}

func (l *Listing) warn(format string, args ...any) {
	l.Warn(visible.Source(fmt.Sprintf(format, args...)))
}

// Head writes the # line that says how cycles were computed.
func (l *Listing) Head(w io.Writer, processes int) error {
	if l.Cycles == nil {
		return nil
	}
	_, err := io.WriteString(w, "# "+l.Cycles.text(processes)+"\n")
	return err
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// heaviest orders by weight, the largest first.
func heaviest(a, b amount) int {
	return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.samples, a.samples))
}
