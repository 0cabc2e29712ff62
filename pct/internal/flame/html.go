package flame

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"path"
)

// maxFunctions is the number of rows of the table of functions.
const maxFunctions = 300

// HTML writes both graphs, of which the one that the options name is seen first, and
// a table of functions, as a page. Its policy lets the browser run the script that
// is here, and fetch nothing.
func (g *Graph) HTML(w io.Writer) error {
	out := bufio.NewWriter(w)
	sheet := styles() + pageStyle
	fmt.Fprintf(out, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%[3]s</h1>
`, digest(sheet), digest(script), escape(clip(clean(g.o.Title), longestName)), sheet)
	for _, fact := range g.o.Facts {
		paragraph(out, "fact", fact)
	}
	var legend bytes.Buffer
	drawn := bufio.NewWriter(&legend)
	end := g.legend(drawn, 0, 10)
	drawn.Flush()
	fmt.Fprintf(out, "</header>\n<div class=\"bar\">\n<svg width=\"%d\" height=\"20\">%s", end, &legend)
	out.WriteString("</svg>\n<div class=\"tools\"></div>\n</div>\n")
	views := []*layout{g.up(), g.down()}
	if g.o.Inverted {
		views = []*layout{g.down(), g.up()}
	}
	for i, l := range views {
		g.view(out, l, i > 0)
	}
	out.WriteString("<p class=\"details\"></p>\n")
	if len(g.notes) > 0 {
		out.WriteString("<div class=\"about\">\n")
		for _, note := range g.notes {
			paragraph(out, "note", note)
		}
		out.WriteString("</div>\n")
	}
	g.table(out)
	fmt.Fprintf(out, "<script>%s</script>\n</body>\n</html>\n", script)
	return out.Flush()
}

// digest names a text in the policy.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func paragraph(w *bufio.Writer, class, text string) {
	fmt.Fprintf(w, "<p class=\"%s\">%s</p>\n", class, escape(clean(text)))
}

// view writes one of the graphs.
func (g *Graph) view(w *bufio.Writer, l *layout, hidden bool) {
	const above = 4
	name, attribute := "up", ""
	if l.inverted {
		name = "down"
	}
	if hidden {
		attribute = " hidden"
	}
	height := l.rows*rowHeight + 2*above
	fmt.Fprintf(w, "<section class=\"view\"%s>\n<svg class=\"pct-flame\" data-view=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
		attribute, name, width, height, width, height)
	g.frames(w, l, above)
	w.WriteString("</svg>\n")
	for _, note := range g.omitted(l) {
		paragraph(w, "note", note)
	}
	w.WriteString("</section>\n")
}

// table writes the functions, sorted by their totals.
func (g *Graph) table(w *bufio.Writer) {
	w.WriteString("<h2>Functions</h2>\n<div class=\"scroll\">\n<table class=\"functions\">\n<thead><tr>")
	head := func(label, attribute string) {
		fmt.Fprintf(w, `<th%s><button type="button">%s</button></th>`, attribute, label)
	}
	const numeric = ` class="n"`
	head("Self", numeric)
	head("Total", ` class="n" aria-sort="descending"`)
	head("Samples", numeric)
	if g.comparison {
		head("Base total", numeric)
		head("Change", numeric)
	}
	head("Function", "")
	head("Object", "")
	w.WriteString("</tr></thead>\n<tbody>\n")
	n := g.t.whole.of.Samples
	functions := g.t.functions()
	for _, f := range functions[:min(len(functions), maxFunctions)] {
		w.WriteString("<tr>")
		for _, a := range []amount{f.self, f.total} {
			p := share(a.of, g.t.whole.of)
			fmt.Fprintf(w, `<td class="n" data-v="%s">%s ± %.2f</td>`, exact(p), percent(p), 100*standardError(p, n))
		}
		fmt.Fprintf(w, `<td class="n" data-v="%d">%s</td>`, f.total.of.Samples, number(f.total.of.Samples))
		if g.comparison {
			before := share(f.total.base, g.t.whole.base)
			change := share(f.total.of, g.t.whole.of) - before
			told := "not distinguishable"
			if g.t.level(f.total) != 0 {
				told = fmt.Sprintf("%+.2f", 100*change)
			}
			fmt.Fprintf(w, `<td class="n" data-v="%s">%s</td><td class="n" data-v="%s">%s</td>`, exact(before), percent(before), exact(change), told)
		}
		object := ""
		if o := g.t.objects[f.frame]; o != "" {
			object = clip(clean(path.Base(o)), longestName)
		}
		fmt.Fprintf(w, "<td><button type=\"button\">%s</button></td><td>%s</td></tr>\n", escape(g.t.name(f.frame, longestName)), escape(object))
	}
	w.WriteString("</tbody>\n</table>\n")
	if rest := len(functions) - maxFunctions; rest > 0 {
		paragraph(w, "note", "and "+plural(rest, "function")+" with less")
	}
	w.WriteString("</div>\n")
}
