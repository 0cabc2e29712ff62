package listing

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Cycles are what is needed to tell the cycles that a line takes each time: how
// often it was executed, and how fast the processor was.
type Cycles struct {
	Hertz  float64 // cycles a second
	Origin string  // where Hertz is from, for people

	runs   uint64            // of the program, as the counting knows; 0 unknown
	counts map[string]counts // of each file by its path
}

// counts are the executions of each line of a file.
type counts map[int]uint64

// at returns how often a line was executed; known is false if nothing says.
func (c *Cycles) at(file string, line int) (executions uint64, known bool) {
	if c == nil {
		return 0, false
	}
	executions, known = c.counts[file][line]
	return executions, known
}

// text says how cycles were computed.
func (c *Cycles) text(processes int) string {
	s := fmt.Sprintf("cycles at %.4g GHz (%s)", c.Hertz/1e9, c.Origin)
	if c.runs > 0 {
		s += fmt.Sprintf("; executions of %s, samples of %s: both must have done the same work",
			plural(int(c.runs), "run"), cmp.Or(map[int]string{1: "1 process"}[processes], fmt.Sprintf("%d processes", processes)))
	}
	return s
}

// ParseClock reads a frequency in GHz.
func ParseClock(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0.001 && f < 1000) {
		return 0, fmt.Errorf("want the frequency of a processor in GHz, such as 2.6, not %q", s)
	}
	return f * 1e9, nil
}

const cpuinfo = "/proc/cpuinfo"

// Clock returns the frequency of this machine's fastest processor at this moment,
// in Hz.
func Clock() (float64, error) {
	text, err := os.ReadFile(cpuinfo)
	if err != nil {
		return 0, fmt.Errorf("the processor's clock is not known (%w); give it by -clock GHZ", err)
	}
	fastest := 0.0
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) != "cpu MHz" {
			continue
		}
		if f, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			fastest = max(fastest, f)
		}
	}
	if fastest == 0 {
		return 0, fmt.Errorf("%s does not tell the processor's clock; give it by -clock GHZ", cpuinfo)
	}
	return fastest * 1e6, nil
}
