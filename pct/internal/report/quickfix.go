package report

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
)

// Quickfix writes rows as compilers write messages, FILE:LINE: 8.5% (85 samples),
// with absolute paths, and nothing else: editors take their user to the line. It
// returns the share of the rows whose line is not known, which it leaves out.
func Quickfix(w io.Writer, p *path.Profile, style Style) (elsewhere float64, err error) {
	out := bufio.NewWriter(w)
	for _, row := range p.Rows {
		fraction := p.Fraction(row.Weight)
		if !row.Located {
			elsewhere += fraction
			continue
		}
		place := row.Path.Innermost()
		if absolute, err := filepath.Abs(place); err == nil {
			place = absolute
		}
		fmt.Fprintf(out, "%s: %.1f%%", visible.Text(place), 100*fraction)
		if style.Errors {
			fmt.Fprintf(out, " ±%.1f%%", 100*p.StandardError(fraction))
		}
		fmt.Fprintf(out, " (%s)", plural(row.Samples, "sample"))
		if row.Group != "" {
			fmt.Fprint(out, " "+visible.Text(row.Group))
		}
		fmt.Fprintln(out)
	}
	return elsewhere, out.Flush()
}
