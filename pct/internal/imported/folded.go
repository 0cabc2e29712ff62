package imported

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

const foldedFormat = "folded stacks"

// isFolded reports whether one of a text's first lines is a folded stack.
func isFolded(begin []byte) bool {
	all := contents(begin)
	for _, line := range all {
		if _, _, ok := foldedLine(line); ok {
			return true
		}
	}
	// One line can be longer than what was looked at.
	return len(all) == 1 && len(begin) == window && strings.Contains(all[0], ";")
}

// foldedLine takes a line apart into its stack and its number.
func foldedLine(line string) (stack string, n float64, ok bool) {
	line = strings.TrimRight(line, " \t")
	at := strings.LastIndexAny(line, " \t")
	n, err := strconv.ParseFloat(line[at+1:], 64)
	digits := line[at+1:] != "" && strings.Trim(line[at+1:], "0123456789.") == ""
	if err != nil || !digits || n > 1<<53 {
		return "", 0, false
	}
	return strings.TrimRight(line[:max(at, 0)], " \t"), n, true
}

// readFolded reads lines FRAME;FRAME;… NUMBER, the outermost frame first. Lines that begin
// with # are comments.
func readFolded(in *bufio.Reader, o Options) (*Profile, error) {
	p := &Profile{
		Format: foldedFormat, table: newTable(), clock: "folded stacks",
		resource: "samples", unit: "count", period: o.Period,
	}
	unit := uint64(1)
	if o.Period > 0 {
		p.resource, p.unit = resource.CPU, resource.Microsecond
		unit = uint64(o.Period)
	}
	if o.Resource != "" {
		p.resource = o.Resource
	}
	f := folder{table: p.table, program: p.table.object(mappedObject{path: stem(o.Name)}), frames: map[foldedFrame]int32{}}
	one := &process{name: stem(o.Name)}
	var numbers, weights carry
	weights.divisor = 1
	if o.Period > 0 {
		weights.divisor = uint64(time.Microsecond)
	}
	l := &lines{in: in, name: o.Name}
	var failure error
	for {
		line, err := l.next()
		if err != nil {
			if err != io.EOF {
				failure = err
			}
			break
		}
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		stack, n, ok := foldedLine(line)
		if !ok {
			failure = l.error("is not a folded stack (FRAME;FRAME;FRAME NUMBER): %s", shown(line))
			break
		}
		count := numbers.whole(n)
		if count == 0 {
			continue
		}
		one.samples = append(one.samples, sample{node: f.stack(stack), count: count, weight: weights.times(count, unit)})
	}
	if len(one.samples) == 0 && failure == nil {
		return nil, l.none()
	}
	if l.torn && failure == nil {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: the last line has no end; if the file was cut, its number is wrong", o.Name))
	}
	p.processes = []*process{one}
	return p.orNothing(failure)
}

// none says that a text has no samples.
func (l *lines) none() error { return &empty{l.name} }

type empty struct{ name string }

func (e *empty) Error() string { return e.name + " has no samples" }

// orNothing returns a profile that has samples, and what ended it.
func (p *Profile) orNothing(failure error) (*Profile, error) {
	if p.Samples() == 0 {
		return nil, failure
	}
	return p, failure
}

// carry makes whole numbers of fractions so that their sum is right.
type carry struct {
	rest    float64
	divisor uint64
	units   uint64 // less than divisor
}

func (c *carry) whole(n float64) uint64 {
	n += c.rest
	whole := math.Floor(n + 1e-9)
	c.rest = max(0, n-whole)
	return uint64(whole)
}

// times is n × unit ÷ divisor.
func (c *carry) times(n, unit uint64) uint64 {
	if unit != 0 && n > (math.MaxUint64-c.divisor)/unit {
		return math.MaxUint64 / c.divisor
	}
	all := n*unit + c.units
	c.units = all % c.divisor
	return all / c.divisor
}

// folder puts folded stacks into a table.
type folder struct {
	table   *table
	program int32
	frames  map[foldedFrame]int32 // places
}

type foldedFrame struct {
	name   string
	caller int32 // of an inlined function, the place that it is in; else 0
}

// stack returns the node of a stack. A name can end with _[k], a function of the kernel,
// _[i], one that was inlined into its caller, or _[j], one of a just-in-time compiler,
// as stackcollapse-perf.pl --all writes them.
func (f *folder) stack(text string) int32 {
	if text == "" {
		return 0
	}
	at := int32(0)
	for name := range strings.SplitSeq(text, ";") {
		object := f.program
		key := foldedFrame{name: name}
		inlined := strings.HasSuffix(name, "_[i]") && at != 0
		if inlined {
			key.caller = f.table.nodes[at].place
		}
		id, ok := f.frames[key]
		if !ok {
			if strings.HasSuffix(name, "_[k]") {
				object = f.table.mapped("[kernel]", 0)
			}
			names := []data.Name{{Function: bare(name)}}
			if inlined {
				caller := f.table.places[key.caller]
				object = caller.object
				names = append(names, caller.names...)
			}
			id = f.table.place(place{object: object, names: names, named: true}, false)
			key.name = strings.Clone(name)
			f.frames[key] = id
		}
		parent := at
		if inlined {
			parent = f.table.nodes[at].parent
		}
		at = f.table.child(parent, id)
	}
	return at
}

// bare is a frame's name without its mark.
func bare(name string) string {
	for _, mark := range []string{"_[k]", "_[i]", "_[j]"} {
		name = strings.TrimSuffix(name, mark)
	}
	if name == "" {
		return "[unknown]"
	}
	return name
}
