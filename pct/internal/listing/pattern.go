package listing

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// noneMatches says that a pattern is of nothing that has samples.
func noneMatches(what string, p calltree.Pattern) error {
	return fmt.Errorf("no %s with samples matches %s", what, visible.Source(p.String()))
}

// matchesFile reports whether a pattern is of a path, of its end from any directory on, or of
// its base name.
func matchesFile(p calltree.Pattern, path string) bool {
	if p.Name(path) || p.Name(filepath.Base(path)) {
		return true
	}
	end, err := calltree.ParsePattern("*/" + strings.TrimPrefix(p.String(), "./"))
	return err == nil && end.Name(path)
}
