package funcname

import (
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Pointee names what a pointer leads to, as gdb does: the readable name of a symbol with its parameters, and the
// offset in it if there is one.
func Pointee(symbol string, offset uint64) string {
	if strings.HasPrefix(symbol, "_Z") {
		symbol = demangle.Filter(symbol, demangle.MaxLength(longestName))
	}
	if offset > 0 {
		symbol += "+" + strconv.FormatUint(offset, 10)
	}
	return symbol
}
