package calltree

// A Cut says which rows of a report are shown.
type Cut struct {
	Threshold float64 // fraction of the whole that a row has at least
	Rows      int     // how many at most, 0 all
	Lowered   bool    // no row reaches the threshold that was asked for: the heaviest are shown in place of none
	Asked     float64 // that threshold
}

// screen is the number of rows that fit one.
const screen = 20

// NewCut returns the cut that a threshold and a number of rows, 0 for all, make of rows, the heaviest of which has a
// fraction of the whole.
func NewCut(threshold float64, rows int, heaviest float64) Cut {
	if heaviest >= threshold || heaviest <= 0 {
		return Cut{threshold, rows, false, threshold}
	}
	if rows == 0 || rows > screen {
		rows = screen
	}
	return Cut{0, rows, true, threshold}
}
