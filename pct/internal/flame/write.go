package flame

import (
	"bufio"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
)

// Measures of a graph, in pixels, which the script knows by attributes.
const (
	width      = 1200 // without a script
	margin     = 12
	rowHeight  = 18
	rowGap     = 1
	textSpace  = 4 // left of a label
	cellWidth  = 7.25
	baseline   = 13 // of a label in its row
	leastWidth = 0.1
)

// frames writes the boxes of a layout, from y on.
func (g *Graph) frames(w *bufio.Writer, l *layout, y int) {
	fmt.Fprintf(w, `<g class="frames" data-y="%d" data-rows="%d" data-row="%d" data-gap="%d" data-margin="%d"`,
		y, l.rows, rowHeight, rowGap, margin)
	if l.inverted {
		w.WriteString(` data-inverted="1"`)
	}
	w.WriteString(">\n")
	for i := range l.boxes {
		g.box(w, l, &l.boxes[i], y)
	}
	w.WriteString("</g>\n")
}

func (g *Graph) box(w *bufio.Writer, l *layout, b *box, y int) {
	start, total := share(b.start, g.t.whole.of), share(b.total.of, g.t.whole.of)
	row := l.rows - 1 - int(b.depth)
	if l.inverted {
		row = int(b.depth)
	}
	x, wide := margin+start*(width-2*margin), total*(width-2*margin)
	top := y + row*rowHeight
	name := g.name(b)
	fmt.Fprintf(w, `<g class="f %s" data-v="%d,%s,%s"><title>%s`, g.colour(b), b.depth, exact(start), exact(total), escape(name))
	for _, line := range g.told(l, b) {
		w.WriteString("\n")
		w.WriteString(escape(line))
	}
	fmt.Fprintf(w, `</title><rect x="%.2f" y="%d" width="%.2f" height="%d" rx="1.5"/>`,
		x, top, max(leastWidth, wide-rowGap/2.0), rowHeight-rowGap)
	if label := fit(name, int((wide-2*textSpace)/cellWidth)); label != "" {
		fmt.Fprintf(w, `<text x="%.2f" y="%d">%s</text>`, x+textSpace, top+baseline, escape(label))
	}
	w.WriteString("</g>\n")
}

// exact writes a fraction so that the script can zoom into it.
func exact(f float64) string {
	return strconv.FormatFloat(f, 'g', 9, 64)
}

// name is the label of a box.
func (g *Graph) name(b *box) string {
	switch b.frame {
	case wholeFrame:
		return "all"
	case restFrame:
		return "(" + plural(b.count, "narrower frame") + ")"
	}
	return g.t.name(b.frame, longestName)
}

// name is the name of a frame, of at most so many characters.
func (t *tree) name(frame int32, most int) string {
	name := clip(clean(t.b.Frames[frame].Name), most)
	if strings.TrimSpace(name) == "" {
		return "(no name)"
	}
	return name
}

// told are the lines below the name: object, samples and shares.
func (g *Graph) told(l *layout, b *box) []string {
	var lines []string
	if b.frame >= 0 {
		if object := g.t.objects[b.frame]; object != "" && object != groupObject {
			lines = append(lines, "in "+clip(clean(path.Base(object)), longestName))
		}
	}
	n := g.t.whole.of.Samples
	total := share(b.total.of, g.t.whole.of)
	lines = append(lines, fmt.Sprintf("total %s ± %.2f, %s", percent(total), 100*standardError(total, n), plural(b.total.of.Samples, "sample")))
	if !l.inverted && b.frame != restFrame {
		self := share(b.self.of, g.t.whole.of)
		lines = append(lines, fmt.Sprintf("self %s ± %.2f, %s", percent(self), 100*standardError(self, n), plural(b.self.of.Samples, "sample")))
	}
	if g.comparison && b.frame != wholeFrame {
		lines = append(lines, g.change(b.total))
	}
	return lines
}

// change tells what a part was in the base.
func (g *Graph) change(a amount) string {
	now, before := share(a.of, g.t.whole.of), share(a.base, g.t.whole.base)
	s := fmt.Sprintf("base %s ± %.2f: ", percent(before), 100*standardError(before, g.t.whole.base.Samples))
	if d := g.t.deviations(a); math.Abs(d) > distinguishable {
		s += fmt.Sprintf("%+.2f points, %.1f deviations", 100*(now-before), math.Abs(d))
	} else {
		s += "not distinguishable"
	}
	if a.base.Samples == 0 {
		s += ", new"
	}
	return s
}

// first is the graph that is seen first.
func (g *Graph) first() *layout {
	if g.o.Inverted {
		return g.down()
	}
	return g.up()
}

// omitted says what a graph leaves out, nothing if that is nothing.
func (g *Graph) omitted(l *layout) []string {
	var notes []string
	if l.narrow > 0 {
		note := fmt.Sprintf("Left out: %s narrower than %.2g%%, with all on them, from the stacks of %s of the samples.",
			plural(l.narrow, "frame"), 100*l.threshold, percent(share(l.narrowSum, g.t.whole.of)))
		if l.threshold > g.o.Threshold {
			note += fmt.Sprintf(" (A graph has no more than %s frames.)", number(maxBoxes))
		}
		notes = append(notes, note)
	}
	if l.deep > 0 {
		notes = append(notes, fmt.Sprintf("Not drawn: what is on %s frames, with %s of the samples.",
			number(maxDepth), percent(share(l.deepSum, g.t.whole.of))))
	}
	return notes
}
