package export

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// Folded writes a line for each call path with samples of its own: the names from the
// outermost frame inwards with semicolons between them, a blank, and the number of
// samples, or their weight. flamegraph.pl, inferno and speedscope read it. A semicolon
// in a name becomes a colon, as in the stackcollapse scripts.
func Folded(out io.Writer, p *Profile, weights bool) error {
	o := newOutline(p.whole())
	names := make([]string, len(o.Frames))
	for i := range o.Frames {
		names[i] = strings.ReplaceAll(line(o.Frames[i].Name), ";", ":")
	}
	w := bufio.NewWriterSize(out, 1<<16)
	var path []byte
	ends := []int{0} // of the paths to each depth
	for n, depth := range o.preorder() {
		path, ends = path[:ends[depth-1]], ends[:depth]
		if depth > 1 {
			path = append(path, ';')
		}
		path = append(path, names[o.Nodes[n].Frame]...)
		ends = append(ends, len(path))
		self := o.Self[n]
		if self.Samples == 0 {
			continue
		}
		amount := uint64(self.Samples)
		if weights {
			amount = self.Weight
		}
		w.Write(path)
		w.WriteByte(' ')
		w.Write(strconv.AppendUint(w.AvailableBuffer(), amount, 10))
		w.WriteByte('\n')
	}
	return w.Flush()
}
