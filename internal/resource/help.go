package resource

import (
	"fmt"
	"strings"
)

// helpWidth is where lines of help end at the latest.
const helpWidth = 80

// Help lists the resources that a command can measure, as its help does: a line for each, indented,
// with the interval that it has without one of its own.
func Help(indent int, can func(*Kind) bool) string {
	var b strings.Builder
	const column = 16
	for _, group := range []struct {
		title string
		of    func(*Kind) bool
	}{
		{"Times, with an interval such as 10ms (s, ms, us or ns):", (*Kind).IsTime},
		{"Bytes, with an interval such as 4096, 64k, 1MB or 1MiB:", func(k *Kind) bool { return k.Unit == Byte }},
		{"Events, with an interval such as 100 or 10k:", func(k *Kind) bool { return !k.IsTime() && k.Unit != Byte }},
	} {
		fmt.Fprintf(&b, "%*s%s\n", indent, "", group.title)
		for i := range kinds {
			k := &kinds[i]
			if k.Summary == "" || !group.of(k) || !can(k) {
				continue
			}
			text := k.Summary
			if k.Interval > 0 {
				text += " (" + k.spoken(k.Interval) + ")"
			}
			margin := indent + 2 + column
			for n, line := range wrapped(text, helpWidth-margin) {
				name := k.title()
				if n > 0 {
					name = ""
				}
				fmt.Fprintf(&b, "%*s%-*s%s\n", indent+2, "", column, name, line)
			}
		}
	}
	return b.String()
}

// spoken is an interval as people write it.
func (k *Kind) spoken(n uint64) string {
	switch {
	case k.IsTime():
		_, interval, _ := strings.Cut(Resource{Name: k.Name, Interval: n}.String(), ":")
		return interval
	case k.Unit == Byte && n%1024 == 0:
		return fmt.Sprintf("%dk", n/1024)
	}
	return fmt.Sprint(n)
}

// wrapped is a text in lines of at most so many characters.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
