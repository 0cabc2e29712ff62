package addr2line

import (
	"debug/gosym"
	"sync"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/translators"
)

// A goTable is the table that a Go program keeps for its own stack traces. What was inlined has its
// line there, and the function that it is in.
type goTable struct {
	mu    sync.Mutex
	table *gosym.Table
}

// readGoTable reads the table of f, nil if there is none that can be read.
func readGoTable(f *object.File) *goTable {
	if t := f.GoTable(); t != nil {
		return &goTable{table: t}
	}
	return nil
}

// find returns the function and the line of an instruction.
func (t *goTable) find(vaddr uint64) (at translators.Location, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	file, line, function := t.table.PCToLine(vaddr)
	if function == nil || vaddr >= function.End {
		return translators.Location{}, false
	}
	if line <= 0 {
		file, line = "", 0
	}
	return translators.Location{Func: function.Name, File: file, Line: line}, true
}
