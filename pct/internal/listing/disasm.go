package listing

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

// function is one with the samples that were found in it.
type function struct {
	object, buildID string
	extent
	amount
	name  string
	names []string // its own and those of what was inlined where samples are
	at    []path.Instruction
}

// Disassemble writes the functions that the pattern matches, by their own names or by
// those of functions inlined there, the hottest first and at most so many (0 is all):
// what is around their hot instructions. Before each instruction that is of another
// line of the source than the one before stands that line. It is an error if a pattern matches
// none.
func (l *Listing) Disassemble(w io.Writer, t path.Translator, found []path.Instruction, pattern calltree.Pattern, most int) error {
	out := bufio.NewWriter(w)
	lines := l.lineAmounts(found)
	shown, hidden, rest := 0, 0, amount{}
	all := l.functions(found, pattern)
	if len(all) == 0 && pattern.String() != "" {
		return noneMatches("function", pattern)
	}
	heaviest := amount{}
	if len(all) > 0 {
		heaviest = all[0].amount
	}
	cut := l.cut(heaviest, pattern, most)
	for _, f := range all {
		if cut.Rows > 0 && shown == cut.Rows || !l.wanted(f.amount, cut) {
			hidden++
			rest = rest.plus(f.amount)
			continue
		}
		shown++
		if err := l.function(out, t, f, lines); err != nil {
			return err
		}
	}
	if hidden > 0 {
		fmt.Fprintf(out, "\n# %s not shown, with %.1f%%\n", plural(hidden, "more function"), 100*l.share(rest))
	}
	if cut.Lowered {
		out.WriteString(lowered("function", cut))
	}
	return out.Flush()
}

// functions are those that hold the instructions, the hottest first. What is in no
// file is told.
func (l *Listing) functions(found []path.Instruction, pattern calltree.Pattern) []*function {
	type objectKey struct{ path, buildID string }
	type functionKey struct {
		objectKey
		start uint64
	}
	codes := map[objectKey]*code{}
	failures := map[objectKey]error{}
	lost := map[objectKey]amount{}
	all := map[functionKey]*function{}
	for _, in := range found {
		object, a := objectKey{in.Object, in.BuildID}, amount{in.Weight, in.Samples}
		if codes[object] == nil && failures[object] == nil {
			codes[object], failures[object] = openCode(in.Object, in.BuildID)
		}
		var of extent
		ok := codes[object] != nil
		if ok {
			of, ok = codes[object].function(in.Vaddr)
		}
		if !ok {
			lost[object] = lost[object].plus(a)
			continue
		}
		key := functionKey{object, of.start}
		f := all[key]
		if f == nil {
			f = &function{object: in.Object, buildID: in.BuildID, extent: of}
			f.name = fmt.Sprintf("%s+0x%x", filepath.Base(in.Object), of.start)
			if outer := in.Frames[len(in.Frames)-1].Func; outer != "" {
				f.name = outer
			}
			all[key] = f
		}
		f.amount = f.plus(a)
		f.at = append(f.at, in)
		f.names = append(f.names, f.name)
		for _, frame := range in.Frames {
			f.names = append(f.names, frame.Func)
		}
	}
	for object, a := range lost {
		why := failures[object]
		if why == nil {
			why = fmt.Errorf("no code of its file is at these addresses")
		}
		l.warn("%s (%s) cannot be disassembled: %v", cmp.Or(object.path, "code of no known object"), l.text(a), why)
	}
	var sorted []*function
	for _, f := range all {
		if slices.ContainsFunc(f.names, pattern.Name) {
			sorted = append(sorted, f)
		}
	}
	slices.SortFunc(sorted, func(a, b *function) int {
		return cmp.Or(heaviest(a.amount, b.amount), cmp.Compare(a.object, b.object), cmp.Compare(a.start, b.start))
	})
	return sorted
}

func openCode(object, buildID string) (*code, error) {
	if !filepath.IsAbs(object) && (object == "" || object[0] == '[') {
		return nil, fmt.Errorf("it is in no file")
	}
	return readCode(object, buildID)
}

// sourceLine is a line of a source file.
type sourceLine struct {
	file string
	line int
}

// lineAmounts adds up the instructions of each line, wherever they are.
func (l *Listing) lineAmounts(found []path.Instruction) map[sourceLine]amount {
	sum := map[sourceLine]amount{}
	for _, in := range found {
		at := sourceLine{in.Frames[0].File, in.Frames[0].Line}
		sum[at] = sum[at].plus(amount{in.Weight, in.Samples})
	}
	return sum
}

// row is a line of a disassembled function.
type row struct {
	cells []string
	text  string
	amount
}

// function writes one function.
func (l *Listing) function(out *bufio.Writer, t path.Translator, f *function, lines map[sourceLine]amount) error {
	code, err := disassemble(f.object, f.extent)
	if err != nil {
		l.warn("%s in %s (%s): %v", f.name, f.object, l.text(f.amount), err)
		return nil
	}
	frames, err := instructionFrames(t, f, code)
	if err != nil {
		return err
	}
	amounts := map[int]amount{} // of code, by index
	for _, in := range f.at {
		// An address within an instruction is that of a bin with several bytes.
		i, exact := slices.BinarySearchFunc(code, in.Vaddr, func(c instruction, vaddr uint64) int { return cmp.Compare(c.vaddr, vaddr) })
		if !exact {
			i--
		}
		if i = max(i, 0); i < len(code) {
			amounts[i] = amounts[i].plus(amount{in.Weight, in.Samples})
		}
	}
	rows := l.rows(f, code, frames, amounts, lines)
	all := make([][]string, len(rows))
	for i, r := range rows {
		all[i] = r.cells
	}
	if l.Cycles != nil {
		all = append(all, l.titles())
	}
	m := newMargin(append(all, narrowest())...)
	fmt.Fprintf(out, "\n%s\n", l.bold(visible.Source(fmt.Sprintf("%s in %s at 0x%x: %s", f.name, f.object, f.start, l.text(f.amount)))))
	if l.Cycles != nil {
		fmt.Fprintln(out, m.text(l.titles()))
	}
	for _, r := range rows {
		fmt.Fprintln(out, l.heat(r.amount, strings.TrimRight(m.text(r.cells)+r.text, " ")))
	}
	return nil
}

// instructionFrames asks the translator about all instructions of a function.
func instructionFrames(t path.Translator, f *function, code []instruction) ([][]translators.Location, error) {
	if t == nil || len(code) == 0 {
		return make([][]translators.Location, len(code)), nil
	}
	vaddrs := make([]uint64, len(code))
	for i, c := range code {
		vaddrs[i] = c.vaddr
	}
	return t.TranslateBuild(f.object, f.buildID, vaddrs)
}

// rows lays out the instructions that are shown, with the lines of the source.
func (l *Listing) rows(f *function, code []instruction, frames [][]translators.Location, amounts map[int]amount,
	lines map[sourceLine]amount,
) []row {
	show := l.around(f, len(code), amounts)
	var rows []row
	var last sourceLine
	gap := false
	for i, c := range code {
		if !show[i] {
			gap = true
			continue
		}
		if gap {
			rows = append(rows, row{text: "..."})
			last = sourceLine{}
		}
		gap = false
		var at sourceLine
		if len(frames[i]) > 0 {
			at = sourceLine{frames[i][0].File, frames[i][0].Line}
		}
		executions, known := l.Cycles.at(l.Search.locate(at.file), at.line)
		if at != last && at.file != "" && at.line > 0 {
			r := row{text: "\t\t" + l.sourceText(f, frames[i][0])}
			if known {
				r.cells = l.cells(lines[at], executions, known)
			}
			rows = append(rows, r)
		}
		last = at
		r := row{text: fmt.Sprintf("%8x:\t%s", c.vaddr, c.text), amount: amounts[i]}
		r.cells = l.cells(amounts[i], executions, known)
		if l.Cycles != nil {
			r.cells[0] = "" // they are those of the line, which stand there
		}
		rows = append(rows, r)
	}
	return rows
}

// around says which instructions are shown: hot ones and their neighbours.
func (l *Listing) around(f *function, n int, amounts map[int]amount) []bool {
	const context = 8
	show := make([]bool, n)
	from := cut(l, f.amount, amounts)
	for i := range show {
		show[i] = show[i] || l.Whole
		if amounts[i].hot(from) {
			for j := max(0, i-context); j <= min(n-1, i+context); j++ {
				show[j] = true
			}
		}
	}
	return show
}

// sourceText is a line of the source, with the function if it was inlined.
func (l *Listing) sourceText(f *function, at translators.Location) string {
	text := fmt.Sprintf("%s:%d", filepath.Base(at.File), at.Line)
	if at.Func != f.name && at.Func != "" {
		text += " " + at.Func
	}
	if file := l.Search.read(at.File); file.err == nil {
		text += "   " + strings.TrimSpace(file.line(at.Line))
	}
	return visible.Source(text)
}
