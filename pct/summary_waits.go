package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/contexts"
	"github.com/profilecollection/pct/pct/internal/report"
)

// offProcessor is the object of the reasons for being off the processor.
const offProcessor = "[off-cpu]"

// waiters are the functions on whose behalf a context waits, where its path does not tell it: the innermost
// ones outside the C library, whose own functions are the same for all waits.
func waiters(t *calltree.Tree, found *contexts.Contexts, context int) []report.Share {
	c := &found.List[context]
	sums := map[string]calltree.Weight{}
	for node, w := range t.Self {
		if node == 0 || int(found.Of[node]) != context || t.Frames[t.Nodes[node].Frame].Object != offProcessor {
			continue
		}
		at := t.Nodes[node].Parent
		for at != 0 && systems(t.Frames[t.Nodes[at].Frame].Object) {
			at = t.Nodes[at].Parent
		}
		if at == 0 {
			continue
		}
		name := frameName(&t.Frames[t.Nodes[at].Frame])
		sums[name] = sums[name].Plus(w)
	}
	all := shares(sums, found.Whole, uint64(notable*float64(c.Fresh.Weight)))
	if len(all) == 1 && slices.Contains(c.Path, all[0].Name) {
		return nil
	}
	return all
}

// systems reports whether code is the C library's, or the kernel's.
func systems(object string) bool {
	base := filepath.Base(object)
	return strings.HasPrefix(object, "[") || slices.ContainsFunc([]string{"libc.so", "libc-", "libpthread", "ld-linux", "ld-2", "ld-musl"}, func(prefix string) bool {
		return strings.HasPrefix(base, prefix)
	})
}
