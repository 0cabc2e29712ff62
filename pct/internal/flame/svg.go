package flame

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
)

var (
	//go:embed flame.js
	script string
	//go:embed flame.css
	style string
	//go:embed page.css
	pageStyle string
)

// styles is the style sheet of the graph itself.
func styles() string {
	return style + palette(false) + "\n@media screen and (prefers-color-scheme: dark) {" + darkStyle + palette(true) + "}\n"
}

// darkStyle is what is no colour of a frame on a dark screen.
const darkStyle = `.pct-flame,.bg{background:#16181c;fill:#16181c}.pct-flame text{fill:#f0f0f2}.pct-flame .fact,.pct-flame .note,.legend text{fill:#a9afb8}` +
	`.f.match rect{fill:#b13fd0}.more{background:#22252b;color:#e8e8ea;border-color:#555b66}`

// Measures of the text around a graph in SVG.
const (
	titleLine  = 30
	factLine   = 17
	legendLine = 26
	factWidth  = 170 // characters
	titleWidth = 72
)

// SVG writes the graph, inverted if the options say so, as a document of SVG.
func (g *Graph) SVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	l := g.first()
	facts := lines(g.o.Facts)
	notes := lines(append(g.omitted(l), g.notes...))
	top := titleLine + len(facts)*factLine + legendLine + 14
	bottom := top + l.rows*rowHeight
	height := bottom + 20 + len(notes)*factLine + 26
	fmt.Fprintf(out, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" class="pct-flame" width="%d" height="%d" viewBox="0 0 %d %d">
<style>%s</style>
<rect class="bg" width="100%%" height="100%%"/>
<text class="title" x="%d" y="%d">%s</text>
`, width, height, width, height, styles(), margin, titleLine-4, escape(clip(clean(g.o.Title), titleWidth)))
	y := titleLine + 16
	for _, fact := range facts {
		fmt.Fprintf(out, `<text class="fact" x="%d" y="%d">%s</text>`+"\n", margin, y, escape(fact))
		y += factLine
	}
	g.legend(out, margin, y)
	g.frames(out, l, top)
	y = bottom + 20
	for _, note := range notes {
		fmt.Fprintf(out, `<text class="note" x="%d" y="%d">%s</text>`+"\n", margin, y, escape(note))
		y += factLine
	}
	fmt.Fprintf(out, `<text class="details" x="%d" y="%d"> </text>`+"\n", margin, height-10)
	fmt.Fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", script)
	return out.Flush()
}

// lines are the texts as they fit the width.
func lines(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, wrap(clean(text), factWidth)...)
	}
	return all
}

// legend tells what the colours mean, in one line, and returns where that ends.
func (g *Graph) legend(w *bufio.Writer, x, y int) (end int) {
	w.WriteString(`<g class="legend">`)
	item := func(class, label string) {
		if class != "" {
			fmt.Fprintf(w, `<g class="%s"><rect x="%d" y="%d" width="14" height="12" rx="2"/></g>`, class, x, y-6)
			x += 18
		}
		if label != "" {
			fmt.Fprintf(w, `<text x="%d" y="%d">%s</text>`, x, y+4, escape(label))
			x += len([]rune(label))*6 + 20
		}
	}
	if g.comparison {
		item("", "share of the samples, compared with the base: ")
		item("d0", "")
		item("d2", "")
		item("d4", "less")
		item(fmt.Sprintf("d%d", diffLevels), "not distinguishable")
		item(fmt.Sprintf("d%d", diffLevels+2), "")
		item(fmt.Sprintf("d%d", diffLevels+4), "")
		item(fmt.Sprintf("d%d", 2*diffLevels), "more, or new")
	} else {
		for i, class := range []string{program: "p5", library: "l9", kernel: "k1", unknown: "u"} {
			item(class, origins[i])
		}
	}
	item("r", "left out")
	w.WriteString("</g>\n")
	return x
}
