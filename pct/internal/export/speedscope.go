package export

import (
	"io"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Speedscope writes the file format of speedscope, https://www.speedscope.app/file-format-schema.json.
// It has a profile of type "sampled" for each thread, with its samples in the order of their
// times; where there are no times, or there are groups, for each process or group, in the
// order of the call paths. The profile with the most weight is shown first.
//
// What stands on the horizontal axis is the resource that was used so far, not the real
// time, so that all fractions are those of pct's reports. The format has no place for
// sampled values: only groups show them.
func Speedscope(out io.Writer, p *Profile) error {
	tracks, tree := p.tracks(false)
	heaviest := 0
	for i, t := range tracks {
		if t.weight > tracks[heaviest].weight {
			heaviest = i
		}
	}
	j := newJSONWriter(out)
	j.begin('{')
	j.key("$schema")
	j.string("https://www.speedscope.app/file-format-schema.json")
	j.key("exporter")
	j.string(p.Creator)
	j.key("name")
	j.string(p.title())
	j.key("activeProfileIndex")
	j.int(heaviest)
	j.key("shared")
	j.begin('{')
	j.key("frames")
	j.begin('[')
	var frames frameNumbers
	frames.add(tree, onPaths(tree, tracks))
	for _, f := range frames.all {
		j.newline()
		j.speedscopeFrame(f)
	}
	j.close(']')
	j.close('}')
	j.key("profiles")
	j.begin('[')
	for _, t := range tracks {
		j.newline()
		j.sampledProfile(t, tree, frames, speedscopeUnit(p.Unit))
	}
	j.close(']')
	j.close('}')
	return j.end()
}

// speedscopeUnit is a unit of ours as speedscope has it.
func speedscopeUnit(unit string) string {
	switch unit {
	case "ns":
		return "nanoseconds"
	case resource.Microsecond:
		return "microseconds"
	case "ms":
		return "milliseconds"
	case "s":
		return "seconds"
	case "B", resource.Byte, "bytes":
		return "bytes"
	}
	return "none"
}

func (j *jsonWriter) speedscopeFrame(f calltree.Frame) {
	j.begin('{')
	j.key("name")
	j.string(line(f.Name))
	if f.File != "" {
		j.key("file")
		j.string(f.File)
	}
	if f.Line > 0 {
		j.key("line")
		j.int(f.Line)
	}
	j.close('}')
}

// sampledProfile writes a track. Neighbours of one call path are one sample.
func (j *jsonWriter) sampledProfile(t *track, tree *calltree.Tree, frames frameNumbers, unit string) {
	j.begin('{')
	j.key("type")
	j.string("sampled")
	j.key("name")
	j.string(t.name())
	j.key("unit")
	j.string(unit)
	j.key("startValue")
	j.int(0)
	j.key("endValue")
	j.uint(t.weight)
	j.key("samples")
	j.begin('[')
	var stack []int32
	for i, at := range t.points {
		if i > 0 && at.node == t.points[i-1].node {
			continue
		}
		stack = stack[:0]
		for n := at.node; n != 0; n = tree.Nodes[n].Parent {
			stack = append(stack, frames.number[tree.Nodes[n].Frame])
		}
		j.begin('[')
		for k := len(stack) - 1; k >= 0; k-- {
			j.int(int(stack[k]))
		}
		j.close(']')
	}
	j.close(']')
	j.key("weights")
	j.begin('[')
	for i := 0; i < len(t.points); {
		weight, node := uint64(0), t.points[i].node
		for ; i < len(t.points) && t.points[i].node == node; i++ {
			weight += t.points[i].weight.Weight
		}
		j.uint(weight)
	}
	j.close(']')
	j.close('}')
}
