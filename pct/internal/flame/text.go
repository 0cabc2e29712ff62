package flame

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/profilecollection/pct/internal/visible"
)

// longestName is how much of a name, such as one of a template, is in the document.
const longestName = 240

// clean makes valid text of a line that XML and HTML allow, of what a program called
// something. Characters that would steer the direction of the text are replaced, too.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\ufffe' || r == '\uffff' { // which XML can't have
			return unicode.ReplacementChar
		}
		return r
	}, visible.Text(s))
}

// escape makes text of a document, or the value of an attribute.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace

// clip shortens a text to so many characters; most of them are from its start.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	end := most / 4
	return string(runes[:most-1-end]) + "…" + string(runes[len(runes)-end:])
}

// cells is the width of a character of a monospaced font; those of East Asia and
// pictures have two.
func cells(r rune) int {
	if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300) {
		return 2
	}
	return 1
}

// leastCells is the width from which a label is of use.
const leastCells = 3

// fit returns what of a label has place in a width, with an ellipsis where it is
// cut; nothing if that would be too little.
func fit(label string, width int) string {
	used, cut := 0, 0
	for i, r := range label {
		used += cells(r)
		if used <= width-1 {
			cut = i + len(string(r))
		}
		if used > width {
			if width < leastCells {
				return ""
			}
			return label[:cut] + "…"
		}
	}
	return label
}

// wrap breaks a line between words, as far as there are any.
func wrap(s string, most int) []string {
	var lines []string
	for {
		runes := []rune(s)
		if len(runes) <= most {
			return append(lines, s)
		}
		line := string(runes[:most])
		if i := strings.LastIndexByte(line, ' '); i > most/2 {
			line = line[:i+1]
		}
		lines = append(lines, line)
		s = s[len(line):]
	}
}

// percent writes a fraction.
func percent(f float64) string { return fmt.Sprintf("%.2f%%", 100*f) }

// number writes a number with commas between thousands.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}
