package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
)

const (
	// longRun is the number of equal frames in a row, or of equal groups of them, from which they are written as one.
	longRun = 10
	// longCycle is the greatest number of functions that call each other by turns and are such a group.
	longCycle = 8
	// Of a path of more parts than mostParts, which are frames and such groups, as many of the outermost are written.
	mostParts = 1000
	outermost = 10
)

// callPath writes frames, innermost first. A function that calls itself again and again, as often as thousands of times, is
// written once, with the number of its frames, and so are functions that call each other by turns: "(even <- odd) ×500". Of a
// path that is still too long to be read the middle is left out.
func (s Style) callPath(frames []string) string {
	if s.Whole {
		return visible.Text(strings.Join(frames, " <- "))
	}
	var parts []string
	var ends []int // of the parts, in frames
	for i := 0; i < len(frames); {
		length, times := repeated(frames[i:])
		part := strings.Join(frames[i:i+length], " <- ")
		switch {
		case times == 1:
		case length == 1:
			part = fmt.Sprintf("%s ×%d", part, times)
		default:
			part = fmt.Sprintf("(%s) ×%d", part, times)
		}
		i += length * times
		parts, ends = append(parts, part), append(ends, i)
	}
	if n := len(parts); n > mostParts {
		first, last := mostParts-outermost-1, n-outermost
		left := fmt.Sprintf("… %d frames (-unfolded shows them) …", ends[last-1]-ends[first-1])
		parts = slices.Concat(parts[:first], []string{left}, parts[last:])
	}
	return visible.Text(strings.Join(parts, " <- "))
}

// repeated returns how many of the frames make a group that is repeated right away, and how often it is there: 1 and 1 unless
// that is often.
func repeated(frames []string) (length, times int) {
	for length = 1; length <= longCycle && longRun*length <= len(frames); length++ {
		end := length
		for end < len(frames) && frames[end] == frames[end-length] {
			end++
		}
		if times = end / length; times >= longRun {
			return length, times
		}
	}
	return 1, 1
}
