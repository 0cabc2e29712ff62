package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/alike"
)

// Errors is all that is wrong with a script, in the order of the places where it
// shows.
type Errors struct {
	List []Diagnostic
}

// Error prints the diagnostics one after another, without a last newline.
func (e *Errors) Error() string {
	var b strings.Builder
	for i, d := range e.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(d.String())
	}
	return b.String()
}

// Diagnostic is one error. It covers the columns from Pos.Col to before EndCol,
// counted in characters from 1.
type Diagnostic struct {
	Pos     machine.Pos
	EndCol  int
	Message string
	Hint    string        // what to do about it; may be empty
	Source  string        // the line that Pos is in
	From    []machine.Pos // the #include lines that led there, innermost first
}

// String prints the diagnostic as bpftrace does: place and message, source line,
// underline, hint, and where the file was included.
func (d *Diagnostic) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s-%d: ERROR: %s\n", d.Pos, d.EndCol, d.Message)
	if d.Source != "" {
		fmt.Fprintf(&b, "%s\n%s\n", d.Source, d.underline())
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "HINT: %s\n", d.Hint)
	}
	for _, f := range d.From {
		fmt.Fprintf(&b, "included from %s:%d\n", f.File, f.Line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// underline keeps the tabs of the source line, so that it stands right at any tab
// width.
func (d *Diagnostic) underline() string {
	var b strings.Builder
	col := 1
	for _, r := range d.Source {
		switch {
		case col >= d.Pos.Col:
			b.WriteByte('~')
		case r == '\t':
			b.WriteByte('\t')
		default:
			b.WriteByte(' ')
		}
		if col++; col >= d.EndCol && col > d.Pos.Col {
			return b.String()
		}
	}
	if col == d.Pos.Col { // an error at the end of the line
		b.WriteByte('~')
	}
	return b.String()
}

// sorted orders diagnostics and drops those that say the same of the same place,
// which a file that is included twice gives.
func sorted(list []Diagnostic) []Diagnostic {
	place := func(d *Diagnostic) string { return d.Pos.String() + d.Message }
	seen := make(map[string]bool)
	list = slices.DeleteFunc(list, func(d Diagnostic) bool {
		k := place(&d)
		again := seen[k]
		seen[k] = true
		return again
	})
	rank := make(map[string]int) // files in the order in which they first had an error
	for _, d := range list {
		if _, ok := rank[d.Pos.File]; !ok {
			rank[d.Pos.File] = len(rank)
		}
	}
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(rank[a.Pos.File]-rank[b.Pos.File], a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
	return list
}

// nearest returns the word of the list that is likely to have been meant, or "".
func nearest(word string, list []string) string {
	best, bestDistance := "", len(word)/3+2 // exclusive
	for _, w := range list {
		if strings.EqualFold(w, word) {
			return w
		}
		if d := alike.Edits(strings.ToUpper(word), strings.ToUpper(w)); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// didYouMean is the hint for a word that is none of the list.
func didYouMean(word string, list []string) string {
	if w := nearest(word, list); w != "" {
		return "did you mean " + w + "?"
	}
	if len(list) == 0 {
		return ""
	}
	return "known here: " + strings.Join(list, ", ")
}
