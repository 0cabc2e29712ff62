package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/internal/path"
)

// Corrections writes, as a part of the head of Activations, what their costs are besides what samples tell.
func Corrections(w io.Writer, a *path.Activations) error {
	out := bufio.NewWriter(w)
	if a.Scaled > 1 {
		fmt.Fprintf(out, "# cost/call is %.1f%% more than the samples, to match the CPU time that the kernel counted\n", 100*(a.Scaled-1))
	}
	if a.Lacking > 0 {
		fmt.Fprintf(out, "# cost/call lacks %s of the CPU time that the kernel counted: no sample stands for it\n", percentage(a.Lacking))
	}
	return out.Flush()
}

// Activations writes calling contexts with their calls:
//
//	# total   calls seen                                  cost/call   call path
//	  50.1%            2                             523.6 ±0.4 ms   c <- a <- main
//	  49.9%          153   3 of 100.0 ±0.2 ms; others < 2 ms: 150 ±12 ms   f <- main
//
// Of calls that two samples saw there is the mean, and the longest where it is far from that. Each other one is below a
// bound, and what they cost together stands behind that. One whose calls are not
// known, as of a function that was inlined, has dashes, and a line below tells why.
func Activations(w io.Writer, a *path.Activations, style Style) error {
	out := bufio.NewWriter(w)
	whole := &path.Profile{Samples: a.Samples, Weight: a.Weight}
	rows := [][2]string{{"calls seen", "cost/call"}}
	unknown, old := false, false
	for _, row := range a.Rows {
		cells := [2]string{"-", "-"}
		if row.Calls > 0 {
			cells = [2]string{strconv.FormatUint(row.Calls, 10), costOf(row.Cost, a.Unit)}
		}
		unknown = unknown || row.Calls == 0
		old = old || row.Old
		rows = append(rows, cells)
	}
	var widths [2]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, cells := range rows {
		name, share, hotRow := "call path", "# total", false
		if style.Errors {
			share = "# total      "
		}
		if i > 0 {
			row := a.Rows[i-1]
			fraction := whole.Fraction(row.Weight.Weight)
			name, share, hotRow = style.callPath(row.Path.Names()), " "+amountWithin(whole, fraction, row.Weight.Samples, row.Share, style), fraction >= hot
		}
		line := fmt.Sprintf("%s%s%*s%s%*s%s%s", share, gap, widths[0], cells[0], gap, widths[1], cells[1], gap, name)
		if style.Colour && hotRow {
			line = "\x1b[1m" + line + "\x1b[m"
		}
		fmt.Fprintln(out, line)
	}
	if unknown {
		fmt.Fprintln(out, "# - is unknown: inlined functions, signal handlers, and functions with unknown callers")
	}
	if old {
		fmt.Fprintln(out, "# mean <: an older version counted these calls, and did not distinguish long from short ones")
	}
	if a.Hidden > 0 {
		fmt.Fprintf(out, "# %s not shown\n", plural(a.Hidden, "more call path"))
	}
	if a.Cut.Lowered {
		fmt.Fprintln(out, lowered(a.Cut))
	}
	return out.Flush()
}

// costOf writes 523.6 ±0.4 ms, < 2 ms, or both.
func costOf(c path.Cost, unit string) string {
	switch {
	case c.Old:
		return "mean < " + above(c.Bound, unit)
	case c.Long == 0:
		return "< " + above(c.Bound, unit)
	}
	text := within(c.Mean, c.Error, unit)
	if c.Most > mostTold*c.Mean {
		text += ", longest " + about(c.Most, unit)
	}
	if c.Long < c.Calls {
		text = fmt.Sprintf("%d of %s; others < %s: %s", c.Long, text, above(c.Bound, unit), within(c.Once, c.OnceError, unit))
	}
	return text
}

// mostTold is how many times the mean the longest of calls is at least that is told beside it.
const mostTold = 1.5

// scaled returns the unit in which a number is written, and its size.
func scaled(x float64, unit string) (string, float64) {
	switch {
	case unit == resource.Microsecond && x >= 1e6:
		return "s", 1e6
	case unit == resource.Microsecond && x >= 1e3:
		return "ms", 1e3
	}
	return Units(unit), 1
}

// within writes 523.6 ±0.4 ms.
func within(x, deviation float64, unit string) string {
	unit, scale := scaled(x, unit)
	decimals := min(max(0, 1-magnitude(deviation/scale)), 9)
	return fmt.Sprintf("%.*f ±%.*f %s", decimals, x/scale, decimals, deviation/scale, unit)
}

// above writes a bound, rounded up to two digits.
func above(x float64, unit string) string {
	unit, scale := scaled(x, unit)
	digit := math.Pow(10, float64(magnitude(x/scale)-1))
	text := strconv.FormatFloat(math.Ceil(x/scale/digit-1e-9)*digit, 'f', max(0, 1-magnitude(x/scale)), 64)
	return strings.TrimSuffix(text, ".0") + " " + unit
}

// about writes a number with three digits.
func about(x float64, unit string) string {
	unit, scale := scaled(x, unit)
	return strconv.FormatFloat(x/scale, 'f', max(0, 2-magnitude(x/scale)), 64) + " " + unit
}

// magnitude is the power of ten of the first digit.
func magnitude(x float64) int { return int(math.Floor(math.Log10(x))) }
