package ring

import (
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Resources have the same names, gticks and intervals in the library as here; what is not counted here is counted there.
func TestResourcesOfLibrary(t *testing.T) {
	there := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\t\{ "([\w-]+)", "(\S+)", (\d+), RESOURCE_`).FindAllStringSubmatch(text(t, "../resource.c"), -1) {
		name, unit := row[1], row[2]
		interval, err := strconv.ParseUint(row[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		there[name] = true
		if here, known := sources[name]; !known || here.unit != unit || here.interval != interval {
			t.Errorf("the library has %s, of which a gtick is a %s, at an interval of %d: here it is %+v", name, unit, interval, here)
		}
	}
	for name, here := range sources {
		if here.library && !there[name] {
			t.Errorf("the library has no %s", name)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| (`[^|]*) \\| (?:µs|byte|fault|exception) \\|").FindAllStringSubmatch(text(t, "../../docs/COLLECTOR.md"), -1)
	var described []string
	for _, row := range rows {
		described = append(described, strings.Split(strings.Trim(row[1], "`"), "`, `")...)
	}
	same(t, "the library and docs/COLLECTOR.md", slices.Collect(maps.Keys(there)), described)

	// Where profile has which measured: real time always outside, for the library would interrupt system calls.
	_, cases, _ := strings.Cut(text(t, "../../scripts/profile"), "\t\tcase $p_name in\n")
	cases, _, _ = strings.Cut(cases, "esac")
	for name, here := range sources {
		set := ""
		for line := range strings.Lines(cases) {
			patterns, action, _ := strings.Cut(strings.TrimSpace(line), ")")
			if slices.ContainsFunc(strings.Split(patterns, " | "), func(p string) bool { ok, _ := path.Match(p, name); return ok }) {
				set, _, _ = strings.Cut(strings.TrimSpace(action), "=")
				break
			}
		}
		if inside, outside := set == "p_inside", set == "p_outside"; set == "" || inside != here.library || outside == there[name] && name != "real" {
			t.Errorf("scripts/profile sets %s for %s", set, name)
		}
	}
}

// What can be measured is in the manuals and in what -h prints.
func TestResourcesAreDescribed(t *testing.T) {
	const none = "alignment" // never happens on x86-64: not told of where much else is
	var ours, most []string
	for name, src := range sources {
		if !src.library {
			ours = append(ours, name)
		}
		if name != none {
			most = append(most, name)
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
	for file, names := range map[string][]string{"pct-ring/options.go": ours, "../../scripts/profile": most} {
		_, help, _ := strings.Cut(text(t, file), "\n  -r RESOURCE[:INTERVAL]\n")
		help, _, _ = strings.Cut(help, "\n  -") // the next option
		words := strings.FieldsFunc(help, func(r rune) bool { return strings.ContainsRune(" \n,.:()", r) })
		for _, name := range names {
			if !slices.Contains(words, name) && !strings.HasPrefix(name, "fpe-") {
				t.Errorf("%s tells nothing of -r %s", file, name)
			}
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
