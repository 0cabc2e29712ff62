package resource

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the library measures is in its documentation, and profile has each resource measured where the table says.
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

	_, cases, _ := strings.Cut(text(t, "../../scripts/profile"), "\t\tcase $p_name in\n")
	cases, _, _ = strings.Cut(cases, "esac")
	for _, k := range All() {
		set := ""
		for line := range strings.Lines(cases) {
			patterns, action, _ := strings.Cut(strings.TrimSpace(line), ")")
			if slices.ContainsFunc(strings.Split(patterns, " | "), func(p string) bool { ok, _ := path.Match(p, k.Name); return ok }) {
				set, _, _ = strings.Cut(strings.TrimSpace(action), "=")
				break
			}
		}
		if set == "" || (set == "p_inside") != (k.Kernel.Right == NoRight) || (set == "p_outside") != (k.Inside.Source == NoSource || k.Inside.Interrupt) {
			t.Errorf("scripts/profile sets %s for %s", set, k.Name)
		}
	}
}

// What can be measured is in the manuals and in what profile -h prints.
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
	_, help, _ := strings.Cut(text(t, "../../scripts/profile"), "\n  -r RESOURCE[:INTERVAL]\n")
	help, _, _ = strings.Cut(help, "\n  -") // the next option
	words := strings.FieldsFunc(help, func(r rune) bool { return strings.ContainsRune(" \n,.:()", r) })
	for _, name := range most {
		if !slices.Contains(words, name) && !strings.HasPrefix(name, "fpe-") {
			t.Errorf("profile -h tells nothing of -r %s", name)
		}
	}
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
