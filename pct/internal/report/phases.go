package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
)

// barWidth is that of the bar of the heaviest row.
const barWidth = 20

// Phases writes a row for each slice of time: its window, its share of the weight
// as a number and as a bar, and the call path that was the heaviest in it.
func Phases(w io.Writer, p *path.Phases) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "# window, its share, and the heaviest in it with its share of the row\n")
	width := 0
	var most uint64
	for _, row := range p.Rows {
		width = max(width, len(row.Window.String()))
		most = max(most, row.Weight)
	}
	for _, row := range p.Rows {
		var line strings.Builder
		fmt.Fprintf(&line, "-window %-*s%s%5.1f%%%s", width, row.Window, gap, 100*share(row.Weight, p.Weight), gap)
		length := int(share(row.Weight, most)*barWidth + 0.5)
		fmt.Fprintf(&line, "%-*s", barWidth, strings.Repeat("#", length))
		if row.Group != "" {
			line.WriteString(gap + visible.Text(row.Group))
		}
		if row.Samples > 0 {
			fmt.Fprintf(&line, "%s%5.1f%%%s%s", gap, 100*share(row.Top.Weight, row.Weight), gap, Style{}.callPath(row.Top.Path.Names()))
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
	return out.Flush()
}

// share is part of whole, between 0 and 1.
func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
