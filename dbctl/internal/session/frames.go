package session

import (
	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/pct/data"
)

// A listKey tells lists of functions that frames are in apart: those of some code, or one without debug data.
type listKey struct {
	of       *expression.Calls
	function string // "" with debug data
}

// frames is what a file of samples has of the arguments of a call path.
func (r *run) frames(w *data.Writer, c *calls) string {
	b := r.framed[:0]
	for i := 0; i < len(c.list) && c.list[i].level < data.MostFrames; {
		level, end := c.list[i].level, i+1
		for end < len(c.list) && c.list[end].level == level {
			end++
		}
		b = data.AppendFrame(b, level, r.called(w, c, c.list[i:end]))
		for _, of := range c.list[i:end] {
			for _, a := range c.arguments[of.from:of.to] {
				if !a.plural {
					b = r.argument(b, w, c, a)
				}
			}
		}
		i = end
	}
	r.framed = b
	return string(b)
}

// called is the number of the list of functions that a frame is in.
func (r *run) called(w *data.Writer, c *calls, frame []call) uint32 {
	key := listKey{of: frame[0].of}
	if key.of == nil {
		key.function = frame[0].function
	}
	n, ok := r.lists[key]
	if ok {
		return n
	}
	var list []data.Called
	for _, of := range frame {
		f := data.Called{Name: of.function, Bare: of.of == nil}
		for _, a := range c.arguments[of.from:of.to] {
			f.Parameters = append(f.Parameters, data.CalledParameter{Name: a.name, Plural: a.plural})
		}
		list = append(list, f)
	}
	n = w.Called(list)
	r.lists[key] = n
	return n
}

// argument appends an argument of a frame. One whose type has no description is its text.
func (r *run) argument(b []byte, w *data.Writer, c *calls, a argument) []byte {
	if a.by == nil {
		return data.AppendArgument(b, r.field(w, "", datum{}), a.outcome, nil)
	}
	written := c.written[a.from:a.to]
	if a.by.description == nil {
		written = []byte(r.p.shownArgument(c, a))
	} else {
		r.name(w, a.by.code, string(written))
	}
	return data.AppendArgument(b, r.field(w, "", datum{by: a.by}), plan.Got, written)
}
