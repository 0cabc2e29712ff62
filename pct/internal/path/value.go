package path

import (
	"cmp"
	"strconv"
	"strings"
)

// A number is a numeric value. Whole numbers are compared exactly: pointers and
// 64-bit counters have more digits than a float64.
type number struct {
	float     float64
	whole     bool // magnitude and negative hold it
	magnitude uint64
	negative  bool
}

// parseNumber reads a number the way that the debugger prints one: 42, -1.5e+30,
// 0x401136 <main+4>, 65 'A', (node *) 0x55d0. A pointer to text is no number.
func parseNumber(s string) (number, bool) {
	if strings.HasPrefix(s, "(") {
		if _, after, ok := strings.Cut(s, ") "); ok {
			s = after
		}
	}
	token, rest, _ := strings.Cut(s, " ")
	if strings.Contains(rest, `"`) {
		return number{}, false
	}
	digits := strings.TrimLeft(token, "+-")
	if digits == "" || digits[0] != '.' && (digits[0] < '0' || digits[0] > '9') {
		return number{}, false // also inf and nan
	}
	if len(token)-len(digits) > 1 {
		return number{}, false
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "0x"); ok {
		digits, base = hex, 16
	}
	if magnitude, err := strconv.ParseUint(digits, base, 64); err == nil {
		n := number{float: float64(magnitude), whole: true, magnitude: magnitude}
		if token[0] == '-' && magnitude > 0 {
			n.float, n.negative = -n.float, true
		}
		return n, true
	}
	f, err := strconv.ParseFloat(token, 64)
	return number{float: f}, err == nil && !strings.Contains(token, "_")
}

// quantity reports whether a number, as the debugger prints it, is one of which there is a
// mean: neither a pointer, 0x401136 <main+4>, nor a character, 65 'A'.
func quantity(s string) bool {
	return !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "(") && !strings.HasSuffix(s, "'")
}

func (a number) compare(b number) int {
	if !a.whole || !b.whole {
		return cmp.Compare(a.float, b.float)
	}
	switch {
	case a.negative && b.negative:
		return cmp.Compare(b.magnitude, a.magnitude)
	case a.negative:
		return -1
	case b.negative:
		return 1
	}
	return cmp.Compare(a.magnitude, b.magnitude)
}
