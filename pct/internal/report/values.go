package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
)

// Table writes a row for each column of values, and below it what their values are: of numbers a picture, of others
// the most frequent ones; at most so many rows of these, 0 for the usual number. Resource is what samples weigh.
func Table(w io.Writer, columns []path.Column, rows int, resource string) error {
	out := bufio.NewWriter(w)
	width := len("field")
	for _, c := range columns {
		width = max(width, len([]rune(title(c))))
	}
	fmt.Fprintf(out, "%-*s %8s %8s %9s %11s %11s %11s %11s %11s\n", width, "field", "values", "missing", "different", "min", "median", "mean", "99%", "max")
	for _, c := range columns {
		fmt.Fprintf(out, "%-*s %8d %8d %9d", width, title(c), c.Values, c.Missing, len(c.Frequent))
		for i, x := range []float64{c.Min, c.Median, c.Mean, c.High, c.Max} {
			text := "-"
			if c.Numeric && !(i == 2 && misleading(&c)) {
				text = number(x)
			}
			fmt.Fprintf(out, " %11s", text)
		}
		fmt.Fprintln(out)
	}
	for _, c := range columns {
		if c.Values == 0 {
			continue
		}
		of := remarks(&c)
		told := c.Numeric && (c.Group != "" || len(c.Frequent) == 1) // by the table
		if told && of == "" {
			continue
		}
		fmt.Fprintf(out, "\n%s%s\n", title(c), of)
		switch {
		case told:
		case c.Numeric && len(c.Frequent) > maxTop:
			histogram(out, c.Quantities)
		default:
			frequent(out, &c, rows, resource)
		}
	}
	return out.Flush()
}

// misleading reports whether a mean says little of values.
func misleading(c *path.Column) bool { return c.Tailed || len(c.Modes) > 0 }

// remarks say what is to be known of a column's numbers.
func remarks(c *path.Column) string {
	var all []string
	if c.Tailed {
		all = append(all, fmt.Sprintf("heavy-tailed: the mean, %s, says little", number(c.Mean)))
	}
	if len(c.Modes) == 2 {
		all = append(all, fmt.Sprintf("bimodal: near %.3g and %.3g", c.Modes[0], c.Modes[1]))
	}
	if c.Gone > 0 {
		all = append(all, fmt.Sprintf("%.1f%% are <optimized out>", percent(c.Gone, c.Values)))
	}
	if len(all) == 0 {
		return ""
	}
	return "  (" + strings.Join(all, "; ") + ")"
}

// frequent writes the most frequent values, with their share of the samples and, where that is another one, of
// what these weigh.
func frequent(out *bufio.Writer, c *path.Column, most int, resource string) {
	if most == 0 {
		most = maxTop
	}
	weighed := false
	part := func(f path.Frequency) string { return fmt.Sprintf("%5.1f%%", 100*share(f.Weight, c.Weight)) }
	for _, f := range c.Frequent[:min(most, len(c.Frequent))] {
		weighed = weighed || part(f) != fmt.Sprintf("%5.1f%%", percent(f.Samples, c.Values))
	}
	row := func(f path.Frequency, text string) {
		if fmt.Fprintf(out, "%5.1f%%", percent(f.Samples, c.Values)); weighed {
			fmt.Fprintf(out, " %s", part(f))
		}
		fmt.Fprintf(out, "%s%s\n", gap, text)
	}
	if weighed {
		fmt.Fprintf(out, "samples %s\n", resource)
	}
	rest := path.Frequency{Samples: c.Values, Weight: c.Weight}
	for i, f := range c.Frequent {
		if i == most {
			row(rest, "("+plural(len(c.Frequent)-i, "other value")+")")
			break
		}
		row(f, visible.Text(f.Value))
		rest.Samples -= f.Samples
		rest.Weight -= f.Weight
	}
}

// title names a column: by its field, and by the group that its samples are of.
func title(c path.Column) string {
	if c.Group == "" {
		return visible.Text(c.Name)
	}
	return visible.Text(c.Group) + " " + visible.Text(c.Name)
}

// callCost is the mean cost of those calls on a column's path that two samples or more saw.
func callCost(c *path.Column, unit string) string {
	if c.Cost.Long == 0 {
		return "-"
	}
	return within(c.Cost.Mean, c.Cost.Error, unit)
}

// widest is how much is shown of a value beside a call path.
const widest = 30

// A pathTable is the columns of one field, one for each call path.
type pathTable struct {
	columns []path.Column
	unit    string
	numeric bool
	costs   int // width of the costs of calls, 0 if calls were not counted
}

// ByPath writes the columns of each field, one for each call path, and where calls were counted what one cost that two
// samples saw. Cut tells whether there is a row for a share of all samples, behind so many rows.
func ByPath(w io.Writer, columns []path.Column, cut func(rows int, share float64) bool, unit string, style Style) error {
	out := bufio.NewWriter(w)
	for len(columns) > 0 {
		n := slices.IndexFunc(columns, func(c path.Column) bool { return c.Name != columns[0].Name })
		if n < 0 {
			n = len(columns)
		}
		newPathTable(columns[:n], unit).write(out, cut, style)
		columns = columns[n:]
	}
	return out.Flush()
}

func newPathTable(columns []path.Column, unit string) *pathTable {
	t := &pathTable{columns: columns, unit: unit, numeric: true}
	for i := range columns {
		c := &columns[i]
		t.numeric = t.numeric && (c.Numeric || c.Values == 0)
		if c.Cost.Long > 0 {
			t.costs = max(t.costs, len("cost/call"), utf8.RuneCountInString(callCost(c, unit)))
		}
	}
	return t
}

func (t *pathTable) write(out *bufio.Writer, cut func(rows int, share float64) bool, style Style) {
	fmt.Fprintf(out, "\n%s\n%6s %8s%s%scall path\n", visible.Text(t.columns[0].Name), "share", "values", t.head(), gap)
	shown, hidden, without := 0, 0, 0
	for i := range t.columns {
		c := &t.columns[i]
		without += c.Missing
		switch {
		case c.Values == 0:
		case !cut(shown, c.Share):
			hidden++
		default:
			shown++
			fmt.Fprintf(out, "%5.1f%% %8d%s%s%s\n", 100*c.Share, c.Values, t.row(c), gap, style.callPath(c.Path.Names()))
		}
	}
	if r, n, ok := path.Correlation(t.columns); ok {
		fmt.Fprintf(out, "# correlation of the median and the cost of a call, of %d call paths: %.2f\n", n, r)
	}
	if hidden > 0 {
		fmt.Fprintf(out, "# %s not shown\n", plural(hidden, "more call path"))
	}
	if without > 0 {
		fmt.Fprintf(out, "# %s without a value\n", plural(without, "sample"))
	}
}

// head names what row writes.
func (t *pathTable) head() string {
	if t.numeric {
		return fmt.Sprintf(" %11s %11s %11s %11s", "min", "median", "99%", "max") + t.cost("cost/call")
	}
	return fmt.Sprintf(" %9s  %-*s", "different", widest+8, "most frequent") + t.cost("cost/call")
}

func (t *pathTable) row(c *path.Column) string {
	if t.numeric {
		return fmt.Sprintf(" %11s %11s %11s %11s", number(c.Min), number(c.Median), number(c.High), number(c.Max)) + t.cost(callCost(c, t.unit))
	}
	most := c.Frequent[0]
	text := []rune(visible.Text(most.Value))
	if len(text) > widest {
		text = append(text[:widest-1:widest-1], '…')
	}
	return fmt.Sprintf(" %9d %6.1f%%  %-*s", len(c.Frequent), percent(most.Samples, c.Values), widest-1, string(text)) + t.cost(callCost(c, t.unit))
}

func (t *pathTable) cost(text string) string {
	if t.costs == 0 {
		return ""
	}
	return fmt.Sprintf("  %*s", t.costs, text)
}
