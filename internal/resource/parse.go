package resource

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Parse reads NAME[:INTERVAL] as a user may write it, for all collectors.
func Parse(text string) (Resource, error) {
	word, _, _ := strings.Cut(text, ":")
	if name := aliases[word]; name != "" {
		word, text = name, name+text[len(word):]
	}
	name, interval := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 && i+1 < len(text) && begins(word, text[i+1]) {
		name, interval = text[:i], text[i+1:]
	}
	if word == Calls {
		name = strings.ReplaceAll(name, " ", "") // each demangler has other ones
	}
	r := Resource{Name: name}
	_, rest, named := strings.Cut(name, ":")
	kind := row(word)
	_, function := Function(name)
	switch {
	case kind == nil:
		return r, unknown(word)
	case word == Calls && function == "":
		return r, errors.New("the function is missing: calls:FUNCTION, or calls:LIBRARY:FUNCTION")
	case word != Calls && named:
		return r, fmt.Errorf("%q is not an interval: want %s", rest, kind.intervals())
	case interval == "":
		return r, nil
	}
	n, err := kind.amount(interval)
	if err != nil {
		return r, err
	}
	r.Interval = n
	return r, nil
}

// String is the resource with its interval as all collectors read it: a number of gticks, or a whole
// number of s, ms or us.
func (r Resource) String() string {
	if r.Interval == 0 {
		return r.Name
	}
	n, unit := r.Interval, ""
	if r.IsTime() {
		unit = "us"
		for _, longer := range []string{"ms", "s"} {
			if n%1000 == 0 {
				n, unit = n/1000, longer
			}
		}
	}
	return fmt.Sprintf("%s:%d%s", r.Name, n, unit)
}

// begins reports whether what follows the last colon is meant as an interval, not as a function.
func begins(word string, c byte) bool {
	return c >= '0' && c <= '9' || word != Calls && (c == '.' || c == '-')
}

// Suffixes of intervals. Those of bytes are dd's; events are counted in thousands.
var (
	ofTime  = map[string]int64{"ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}
	ofBytes = map[string]int64{
		"": 1, "B": 1, "k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30,
		"KiB": 1 << 10, "kiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9,
	}
	ofEvents = map[string]int64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
)

// intervals says what an interval may look like.
func (k *Kind) intervals() string {
	switch k.Unit {
	case Microsecond:
		return "a time with its unit, s, ms, us or ns, such as 10ms"
	case Byte:
		return "a number of bytes from 1, also with k, M, G (of 1024), kB, MB, GB (of 1000) or KiB, MiB, GiB, such as 4096 or 64k"
	}
	return "a number from 1, also with k, M or G (of 1000), such as 100 or 10k"
}

// amount reads an interval, in gticks.
func (k *Kind) amount(text string) (uint64, error) {
	const most = 1 << 48
	suffixes, gtick := ofEvents, int64(1)
	switch k.Unit {
	case Microsecond:
		suffixes, gtick = ofTime, 1e3
	case Byte:
		suffixes = ofBytes
	}
	digits := strings.TrimRight(text, "kKMGiBnuµμms")
	factor, known := suffixes[text[len(digits):]]
	value, good := new(big.Rat).SetString(digits)
	if !known || !good || strings.Trim(digits, "0123456789.") != "" {
		return 0, fmt.Errorf("%q is not an interval: want %s", text, k.intervals())
	}
	value.Mul(value, big.NewRat(factor, gtick))
	n := new(big.Int).Quo(value.Num(), value.Denom()).Uint64()
	switch {
	case value.Cmp(big.NewRat(most, 1)) >= 0:
		return 0, fmt.Errorf("the interval %s is too long", text)
	case k.IsTime() && k.Kernel.Right != NoRight && time.Duration(n)*time.Microsecond < Shortest:
		return 0, fmt.Errorf("interval too short: %s; the minimum is %v", text, Shortest)
	case n == 0:
		return 0, fmt.Errorf("%q is not an interval: want %s", text, k.intervals())
	case !k.IsTime() && k.Unit != Byte && !value.IsInt():
		return 0, fmt.Errorf("%q is not a whole number: want %s", text, k.intervals())
	}
	return n, nil
}
