package calltree

// Room is how much there is for the frames of deep call paths in the rows of a report: the rows of a deep recursion have
// as many frames as the square of its depth. The zero value is ready for use.
type Room struct{ frames int }

const (
	deep     = 1000      // frames from which a path is deep
	mostDeep = 2_000_000 // frames of deep paths that rows may have
)

// Take reports whether a path of so many frames may be a row, and takes its room. After one that may not, none may.
func (r *Room) Take(frames int) bool {
	if r.frames > mostDeep {
		return false
	}
	if frames > deep {
		r.frames += frames
	}
	return true
}
