package debuginfo

import (
	"sync"

	"github.com/profilecollection/pct/internal/funcname"
)

// A nameCache remembers the names of functions.
type nameCache struct {
	mu      sync.RWMutex
	entries map[uint64]string // by offset of the entry that has a name

	// One function of C++ has an entry in many units.
	symbols funcname.Demangler
}

func newNameCache() *nameCache {
	return &nameCache{entries: map[uint64]string{}}
}

func (c *nameCache) ofEntry(off uint64) (name string, ok bool) {
	c.mu.RLock()
	name, ok = c.entries[off]
	c.mu.RUnlock()
	return name, ok
}

func (c *nameCache) keep(off uint64, name string) {
	c.mu.Lock()
	c.entries[off] = name
	c.mu.Unlock()
}
