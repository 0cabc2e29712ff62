package translators

import "github.com/ianlancetaylor/demangle"

// longestName bounds demangled names to 2^longestName bytes: some symbols of a
// few hundred bytes stand for megabytes.
const longestName = 14

// Demangle returns the readable name of a C++ or Rust symbol, without parameters,
// result type and clone suffixes, and any other symbol as it is.
func Demangle(symbol string) string {
	return demangle.Filter(symbol, demangle.NoParams, demangle.MaxLength(longestName))
}
