package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/profilecollection/pct/pct/internal/path"
)

// Activations writes calling contexts with their calls:
//
//	# total   calls seen       cost/call   call path
//	  50.1%            2   523.6 ±0.4 ms   c <- a <- main
//
// A context whose calls are shorter than a period has an upper bound; one whose calls are not
// known, as of a function that was inlined, has dashes, and a line below tells why.
func Activations(w io.Writer, a *path.Activations, style Style) error {
	out := bufio.NewWriter(w)
	whole := &path.Profile{Samples: a.Samples, Weight: a.Weight}
	rows := [][2]string{{"calls seen", "cost/call"}}
	unknown := false
	for _, row := range a.Rows {
		cells := [2]string{"-", "-"}
		if row.Calls > 0 {
			cells = [2]string{strconv.FormatUint(row.Calls, 10), costOf(row, a.Unit)}
		}
		unknown = unknown || row.Calls == 0
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
			name, share, hotRow = style.callPath(row.Path.Names()), " "+amount(whole, fraction, row.Weight.Samples, style), fraction >= hot
		}
		line := fmt.Sprintf("%s%s%*s%s%*s%s%s", share, gap, widths[0], cells[0], gap, widths[1], cells[1], gap, name)
		if style.Colour && hotRow {
			line = "\x1b[1m" + line + "\x1b[m"
		}
		fmt.Fprintln(out, line)
	}
	if unknown {
		fmt.Fprintln(out, "# - is not known: an inlined function is not called, and calls by unknown callers are not counted")
	}
	if a.Hidden > 0 {
		fmt.Fprintf(out, "# %s not shown\n", plural(a.Hidden, "more call path"))
	}
	if a.Cut.Lowered {
		fmt.Fprintln(out, lowered)
	}
	return out.Flush()
}

// costOf writes 523.6 ±0.4 ms, or < 1.1 ms.
func costOf(row path.ActivationRow, unit string) string {
	scale := 1.0
	if unit == "µs" {
		switch {
		case row.Cost >= 1e6:
			scale, unit = 1e6, "s"
		case row.Cost >= 1e3:
			scale, unit = 1e3, "ms"
		}
	}
	unit = Units(unit)
	if row.Short {
		bound := row.Cost / scale
		decimals := max(0, 1-magnitude(bound))
		step := math.Pow(10, float64(1-magnitude(bound)))
		return fmt.Sprintf("< %s %s", strconv.FormatFloat(math.Ceil(bound*step-1e-9)/step, 'f', decimals, 64), unit)
	}
	decimals := min(max(0, 1-magnitude(row.Error/scale)), 9)
	return fmt.Sprintf("%.*f ±%.*f %s", decimals, row.Cost/scale, decimals, row.Error/scale, unit)
}

// magnitude is the power of ten of the first digit.
func magnitude(x float64) int { return int(math.Floor(math.Log10(x))) }
