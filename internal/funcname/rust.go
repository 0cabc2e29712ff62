package funcname

import (
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// hashed is a symbol by Rust's older mangling: identifiers, each with its length before it, of
// which the last one is a hash.
var hashed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^_ZN(.*)(17h([0-9a-f]{16})E(?:\..*)?)$`)
})

// ForDemangler is a symbol as package github.com/ianlancetaylor/demangle has to get it. The package
// takes the first underscore of an identifier of Rust's older mangling for one that separates
// the identifier from its length, as in Rust's newer one: here such an underscore is put before it.
func ForDemangler(symbol string) string {
	const enough = 5 // different digits that a hash has to have, for that package and for Rust's own tools
	parts := hashed().FindStringSubmatch(symbol)
	if parts == nil || digits(parts[3]) < enough {
		return symbol
	}
	var b strings.Builder
	b.WriteString("_ZN")
	for rest := parts[1]; rest != ""; {
		identifier := strings.TrimLeft(rest, "0123456789")
		n, err := strconv.Atoi(rest[:len(rest)-len(identifier)])
		if err != nil || n > len(identifier) {
			return symbol
		}
		rest, identifier = identifier[n:], identifier[:n]
		if strings.HasPrefix(identifier, "_") && !strings.HasPrefix(identifier, "_$") {
			identifier = "_" + identifier
		}
		b.WriteString(strconv.Itoa(len(identifier)))
		b.WriteString(identifier)
	}
	b.WriteString(parts[2])
	return b.String()
}

// digits is the number of different hexadecimal digits.
func digits(hexadecimal string) int {
	seen := uint16(0)
	for _, c := range hexadecimal {
		n, _ := strconv.ParseUint(string(c), 16, 4)
		seen |= 1 << n
	}
	return bits.OnesCount16(seen)
}
