package ring

import (
	"cmp"
	"debug/elf"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/profilecollection/pct/internal/funcname"
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
	if first, _, several := strings.Cut(name, ","); several && sources[first] != (source{}) {
		return fmt.Errorf("there is no resource %q: each has a -r of its own, as in -r %s", name, strings.ReplaceAll(name, ",", " -r "))
	}
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

// likeFunction is the function among these that a wrong name is likely to mean: one that is written nearly so, or one
// of a class or namespace that was left out; "" if there is none.
func likeFunction(all []elf.Symbol, name string) string {
	nearest, least := "", len(name)/3+1
	for _, s := range all {
		whole := funcname.OfSymbol(s.Name)
		if strings.Contains(whole, ".") {
			continue
		}
		plain := unspaced(demangle.Filter(funcname.ForDemangler(whole), demangle.NoParams, demangle.NoTemplateParams))
		if strings.HasSuffix(plain, "::"+name) {
			return plain
		}
		if n := len(plain) - len(name); n > -least && n < least {
			if d := edits(name, plain); d < least {
				nearest, least = plain, d
			}
		}
	}
	return nearest
}

// titled is a resource's name as it is written with what must follow it.
func titled(name string) string {
	if name == calls {
		return calls + ":FUNCTION"
	}
	return name
}

// edits is how many letters have to be put in, left out, changed or exchanged with the next to make b of a.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
