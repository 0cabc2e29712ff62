package resource

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the library measures is in its documentation.
func TestResourcesOfLibrary(t *testing.T) {
	var inside, described []string
	for _, k := range All() {
		if k.Inside.Source != NoSource {
			inside = append(inside, k.Name)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| (`[^|]*) \\| (?:µs|byte|fault|exception) \\|").FindAllStringSubmatch(text(t, "../../docs/COLLECTOR.md"), -1)
	for _, row := range rows {
		described = append(described, strings.Split(strings.Trim(row[1], "`"), "`, `")...)
	}
	same(t, "the library and docs/COLLECTOR.md", inside, described)
}

// What can be measured is in the manuals.
func TestResourcesAreDescribed(t *testing.T) {
	var ours, most []string
	for _, k := range All() {
		if k.Kernel.Right != NoRight {
			ours = append(ours, k.Name)
		}
		if k.Summary != "" {
			most = append(most, k.Name)
		}
	}
	entries := func(file string) (all []string) {
		_, list, _ := strings.Cut(text(t, file), ".It Cm cpu , user\n")
		list, _, _ = strings.Cut(".It Cm cpu , user\n"+list, "\n.El\n")
		for _, entry := range regexp.MustCompile(`(?m)^\.It Cm (.*)$`).FindAllStringSubmatch(list, -1) {
			for _, name := range strings.Split(entry[1], " , ") {
				name, _, _ = strings.Cut(strings.TrimPrefix(name, "Cm "), " : ")
				all = append(all, name)
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	same(t, "pct-ring and docs/man/pct-ring.1", ours, entries("../../docs/man/pct-ring.1"))
	same(t, "profile and docs/man/profile.1", most, entries("../../docs/man/profile.1"))
}

// same holds two lists of resources against each other.
func same(t *testing.T, what string, a, b []string) {
	t.Helper()
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("%s have different resources:\n%q\n%q", what, a, b)
	}
}

// text is that of a file.
func text(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
