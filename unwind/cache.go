package unwind

// Cache holds what was read of object files, for any number of Unwinders and
// goroutines.
type Cache struct{}

// NewCache returns an empty Cache.
func NewCache() *Cache { return &Cache{} }

type image struct{}
