package resource

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/alike"
)

// aliases are the names that perf(1) has for some resources.
var aliases = map[string]string{
	"page-faults": "faults", "context-switches": "switches", "cs": "switches", "cpu-migrations": "migrations",
	"alignment-faults": "alignment", "cpu-cycles": "cycles", "task-clock": "cpu",
}

// kin are other words for what can be measured, each of which may be meant where no name is alike: no
// aliases, for they say less, or not quite the same.
var kin = map[string]string{
	"cpu-clock": "cpu", "time": "cpu or real", "wall-clock": "real", "elapsed": "real", "off-cpu": "real", "waits": "real", "blocked": "real",
	"malloc": "alloc", "memory": "alloc", "heap": "alloc", "bytes": "alloc, read or write",
	"disk": "io", "exceptions": "fpe", "functions": "calls:FUNCTION", "misses": "cache-misses or branch-misses",
}

// unknown says that there is no resource of a name, and which may be meant.
func unknown(name string) error {
	if first, _, several := strings.Cut(name, ","); several && Of(first) != nil {
		return fmt.Errorf("there is no resource %q: give each its own -r, as in -r %s", name, strings.ReplaceAll(name, ",", " -r "))
	}
	if meant := meant(name); meant != "" {
		return fmt.Errorf("there is no resource %q: did you mean %s?", name, meant)
	}
	return fmt.Errorf("there is no resource %q: want one of %s", name, names())
}

// meant is the resource that a wrong name is likely to mean; "" if none is.
func meant(name string) string {
	name = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name))
	known := map[string]string{}
	for i := range kinds {
		known[kinds[i].Name] = kinds[i].title()
	}
	maps.Copy(known, aliases)
	maps.Copy(known, kin)
	if resource, exactly := known[name]; exactly {
		return resource
	}
	// A letter in three may be wrong; of names that are as near as each other the first serves.
	near := slices.Sorted(maps.Keys(known))
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(alike.Edits(name, a), alike.Edits(name, b)) })
	if alike.Edits(name, near[0]) <= len(name)/3 {
		return known[near[0]]
	}
	for _, longer := range near {
		if len(name) > 2 && strings.HasPrefix(longer, name) {
			return known[longer]
		}
	}
	return ""
}

// title is the name as it is written with what must follow it.
func (k *Kind) title() string {
	if k.Name == Calls {
		return Calls + ":FUNCTION"
	}
	return k.Name
}

// names are those of all resources, sorted.
func names() string {
	var all []string
	for i := range kinds {
		all = append(all, kinds[i].title())
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
