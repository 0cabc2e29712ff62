package calltree

import (
	"cmp"
	"slices"
	"strings"
)

// longest is the length in bytes of the names that are compared letter by letter: others
// are not what somebody mistyped.
const longest = 100

// Nearest returns names of frames that one who wrote text may have meant, at most so
// many, the best first: those that contain it, then those that differ least from it.
func Nearest(frames []Frame, text string, most int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var all []candidate
	seen := map[string]bool{}
	lower := strings.ToLower(strings.Trim(text, "*?"))
	for i := range frames {
		name := frames[i].Name
		if seen[name] || name == "" {
			continue
		}
		seen[name] = true
		switch {
		case lower != "" && strings.Contains(strings.ToLower(name), lower):
			all = append(all, candidate{name, -longest})
		case len(name) <= longest && len(lower) <= longest:
			if d := distance(lower, strings.ToLower(name)); d <= 1+len(lower)/3 {
				all = append(all, candidate{name, d})
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range all[:min(most, len(all))] {
		names = append(names, c.name)
	}
	return names
}

// distance is that of Levenshtein: how many bytes must be changed, added or left out.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
