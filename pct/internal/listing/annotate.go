package listing

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// context is the number of lines shown before and after a hot one.
const context = 3

// source is a source file with what was found in it.
type source struct {
	name string // as the debug data say
	file *file
	amount
	lines map[int]amount
	last  int // line with samples
}

// View writes the source files that the pattern matches, the hottest first: what is
// around their hot lines. It is an error if a pattern matches none.
func (l *Listing) View(w io.Writer, found []path.SourceFile, pattern calltree.Pattern) error {
	out := bufio.NewWriter(w)
	hidden, rest := 0, amount{}
	all := l.sources(found, pattern)
	if len(all) == 0 && pattern.String() != "" {
		return noneMatches("source file", pattern)
	}
	heaviest, shown := amount{}, 0
	for _, s := range all {
		if s.file.err == nil && s.weight > heaviest.weight {
			heaviest = s.amount
		}
	}
	cut := l.cut(heaviest, pattern, 0)
	for _, s := range all {
		if s.file.err != nil {
			continue
		}
		if cut.Rows > 0 && shown == cut.Rows || !l.wanted(s.amount, cut) {
			hidden++
			rest = rest.plus(s.amount)
			continue
		}
		shown++
		l.view(out, s, l.shown(s))
	}
	if hidden > 0 {
		fmt.Fprintf(out, "\n# %s not shown, with %.1f%%\n", plural(hidden, "more file"), 100*l.share(rest))
	}
	if cut.Lowered {
		out.WriteString(lowered("file", cut))
	}
	return out.Flush()
}

// shown are the numbers of the lines to show of a file, in order.
func (l *Listing) shown(s *source) []int {
	show := make([]bool, len(s.file.lines))
	from := cut(l, s.amount, s.lines)
	for n, a := range s.lines {
		if !a.hot(from) {
			continue
		}
		for i := max(0, n-1-context); i < min(len(show), n+context); i++ {
			show[i] = true
		}
	}
	var numbers []int
	for i := range show {
		if show[i] || l.Whole {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func (l *Listing) view(out *bufio.Writer, s *source, shown []int) {
	rows := make([][]string, len(shown))
	for i, n := range shown {
		rows[i] = append(l.lineCells(s, n), strconv.Itoa(n))
	}
	titles := append(l.titles(), "line")
	m := newMargin(append(rows, titles)...)
	fmt.Fprintf(out, "\n%s\n", l.bold(fmt.Sprintf("%s: %s", visible.Source(s.file.path), l.text(s.amount))))
	fmt.Fprintln(out, m.text(titles))
	for i, n := range shown {
		if i > 0 && shown[i-1] != n-1 {
			fmt.Fprintln(out, m.text(nil)+"...")
		}
		fmt.Fprintln(out, l.heat(s.lines[n], m.text(rows[i])+s.file.line(n)))
	}
}

// lineCells are those of a line of a file.
func (l *Listing) lineCells(s *source, line int) []string {
	executions, known := l.Cycles.at(s.file.path, line)
	return l.cells(s.lines[line], executions, known)
}

// sources are the files to be listed, the hottest first. What can't be is told.
func (l *Listing) sources(found []path.SourceFile, pattern calltree.Pattern) []*source {
	var all []*source
	var without, missing, few amount
	fewFiles := 0
	for _, f := range found {
		s := &source{name: f.Path, amount: amount{f.Weight, f.Samples}, lines: map[int]amount{}}
		if f.Path == "" {
			without = without.plus(s.amount)
			continue
		}
		if !matchesFile(pattern, f.Path) {
			continue
		}
		for _, line := range f.Lines {
			s.lines[line.Line] = amount{line.Weight, line.Samples}
			s.last = max(s.last, line.Line)
		}
		s.file = l.Search.read(f.Path)
		all = append(all, s)
		if s.file.err == nil {
			if why := s.file.suspect(f.Objects, s.last); why != "" {
				l.warn("%s", why)
			}
			continue
		}
		if missing = missing.plus(s.amount); pattern.String() == "" && l.share(s.amount) < l.Threshold {
			fewFiles++
			few = few.plus(s.amount)
			continue
		}
		looked := ""
		if s.file.path != f.Path {
			looked = s.file.path + ": "
		}
		l.warn("%s (%s): %s%v; %s", f.Path, l.text(s.amount), looked, cause(s.file.err), advice(f.Path))
	}
	if fewFiles > 0 {
		l.warn("%s cannot be read (%s)", plural(fewFiles, "more source file"), l.text(few))
	}
	if without.samples > 0 && pattern.String() == "" {
		l.warn("%s in code without lines; pct disasm shows it", l.text(without))
	}
	slices.SortStableFunc(all, func(a, b *source) int { return heaviest(a.amount, b.amount) })
	return all
}

// advice says what helps against a source file that is not there.
func advice(name string) string {
	if !filepath.IsAbs(name) {
		return "-source =DIR says below which directory relative names are"
	}
	return fmt.Sprintf("-source %s=DIR says where it is now", filepath.Dir(name))
}
