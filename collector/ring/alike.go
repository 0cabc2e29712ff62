package ring

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	if meant := meant(name); meant != "" {
		return fmt.Errorf("there is no resource %q: is %s meant?", name, meant)
	}
	return fmt.Errorf("there is no resource %q: want one of %s", name, names())
}

// meant is the resource that a wrong name is likely to mean; "" if none is.
func meant(name string) string {
	name = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name))
	known := map[string]string{}
	for resource := range sources {
		known[resource] = titled(resource)
	}
	maps.Copy(known, aliases)
	maps.Copy(known, kin)
	if resource, exactly := known[name]; exactly {
		return resource
	}
	// A letter in three may be wrong; of names that are as near as each other the first serves.
	near := slices.Sorted(maps.Keys(known))
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(edits(name, a), edits(name, b)) })
	if edits(name, near[0]) <= len(name)/3 {
		return known[near[0]]
	}
	for _, longer := range near {
		if len(name) > 2 && strings.HasPrefix(longer, name) {
			return known[longer]
		}
	}
	return ""
}

// titled is a resource's name as it is written with what must follow it.
func titled(name string) string {
	if name == calls {
		return calls + ":FUNCTION"
	}
	return name
}

// edits is how many letters have to be put in, left out or changed to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0]++
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
