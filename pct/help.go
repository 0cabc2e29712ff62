package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// help is the overview, of which the completion of shells reads the names of reports.
func help() string {
	var b strings.Builder
	b.WriteString("usage: pct REPORT [OPTION]... [DIR]...\n\n" +
		"Prints a report on run directories that profile wrote to " + data.Root() + ", or on count\n" +
		"files in them. Several are added up. Default: the newest run. Details: man pct\n")
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n%s:\n", g.title)
		for _, c := range g.commands {
			if !strings.HasSuffix(c.name, percentSuffix) {
				fmt.Fprintf(&b, "  %-11s%s\n", c.name, c.summary)
			}
		}
	}
	b.WriteString("\nWith % at the end, addr% line% sym% src% obj% annotate% disasm% print shares.\n" +
		"pct REPORT -h or pct help REPORT explains a report and its options.\n\n" +
		"  -h        print this help\n" +
		"  -version  print the version\n\n" +
		"Examples:\n  pct summary /tmp/pct/gzip.4711\n  pct line% /tmp/pct/gzip.*\n  pct paths -l 3 /tmp/pct/gzip.4711\n")
	return b.String()
}

// meant asks whether the report with the nearest name was meant, "" if none is like it.
func meant(verb string) string {
	var names []calltree.Frame
	for _, c := range commands() {
		names = append(names, calltree.Frame{Name: c.name})
	}
	like := calltree.Nearest(names, verb, 1)
	if len(like) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", like[0])
}

// helpColumn is where the explanations of flags begin, helpWidth where they end.
const (
	helpColumn = 23
	helpWidth  = 80
)

// help explains a report; the completion of shells reads its flags here.
func (c command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: pct %s [OPTION]... %s\n\n%s.\n%s\n", c.name, c.wants(), c.summary, c.details)
	table := flagTable()
	isHelp := func(f flag) bool { return f.name == "h" }
	ordered := append(slices.DeleteFunc(slices.Clone(table), isHelp), table[slices.IndexFunc(table, isHelp)])
	for _, f := range ordered {
		if c.takes(f) && f.summary != "" {
			fmt.Fprintf(&b, "  %-*s%s\n", helpColumn-2, strings.TrimSpace("-"+f.name+" "+f.value), indented(f.summary))
		}
	}
	fmt.Fprintf(&b, "\nExample:\n  pct %s %s\n", c.name, c.example)
	return b.String()
}

// wants is what stands after the flags.
func (c command) wants() string { return cmp.Or(c.operands, "[DIR]...") }

// indented breaks an explanation into lines.
func indented(text string) string {
	var b strings.Builder
	column := helpColumn
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && column+1+len(word) > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", helpColumn))
			column = helpColumn
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
