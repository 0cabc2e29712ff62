// Package funcname reads the names of functions in symbol tables, and makes them those that people
// write.
package funcname

import (
	"regexp"
	"sync"
)

// appended is what compilers append to the name of a function of which they made a special version, in its
// place or beside it.
var appended = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\.(constprop|isra|lto_priv)\.\d+)+$`)
})

// OfSymbol is the name of the function that a symbol is of, or of a special version of which it is. Parts of
// functions, such as f.cold, stay as they are: nobody calls them.
func OfSymbol(symbol string) string { return appended().ReplaceAllString(symbol, "") }
