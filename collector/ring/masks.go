package ring

import (
	"os"
	"strconv"
	"strings"
)

// masks are the signals that we ignore and block: bit n-1 is signal n.
type masks struct{ ignored, blocked uint64 }

// ownStatus is what our caller has left to us, as far as our runtime shows it.
func ownStatus() (m masks) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		n, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		switch {
		case err != nil:
		case key == "SigIgn":
			m.ignored = n
		case key == "SigBlk":
			m.blocked = n
		}
	}
	return m
}
