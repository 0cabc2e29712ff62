package flame

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"path"
	"strings"
)

// A frame's colour is a class of the style sheet, so that the document can have
// others on a dark screen. It depends on the names of the function and its object
// alone: the same function has the same colour in every graph.
const (
	programShades = 12
	libraryHues   = 9
	libraryShades = 3
	kernelShades  = 6
	diffLevels    = 6 // of more, and of less
)

// origin is where a frame's code is from.
type origin int

const (
	program origin = iota
	library
	kernel
	unknown
)

// origins name them in the legend.
var origins = []string{program: "program", library: "library", kernel: "kernel", unknown: "unknown"}

// originOf tells it by the object or, where that is not known, by the name of the
// frame, which may have one in it.
func originOf(object, name string) origin {
	file := path.Base(cmp.Or(object, name))
	switch {
	case strings.HasPrefix(file, "[kernel"):
		return kernel
	case object == "" && (name == "?" || strings.HasPrefix(name, "?:") || strings.HasPrefix(name, "0x")),
		strings.HasPrefix(object, "//"), strings.HasPrefix(object, "[") && object != "[vdso]":
		return unknown
	case file == "[vdso]", strings.HasSuffix(file, ".so"), strings.Contains(file, ".so."), strings.Contains(file, ".so:"):
		return library
	}
	return program
}

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	x := h.Sum32()
	return x ^ x>>15 // which mixes names that differ in their last letter
}

// colour returns the class of a box.
func (g *Graph) colour(b *box) string {
	switch {
	case b.frame == wholeFrame:
		return "w"
	case b.frame == restFrame:
		return "r"
	case g.comparison:
		return fmt.Sprintf("d%d", diffLevels+g.t.level(b.total))
	}
	name, object := g.t.b.Frames[b.frame].Name, g.t.objects[b.frame]
	if object == groupObject {
		return "w"
	}
	switch h := hash(name); originOf(object, name) {
	case kernel:
		return fmt.Sprintf("k%d", h%kernelShades)
	case library:
		return fmt.Sprintf("l%d", hash(path.Base(object))%libraryHues*libraryShades+h%libraryShades)
	case unknown:
		return "u"
	default:
		return fmt.Sprintf("p%d", h%programShades)
	}
}

// distinguishable is the number of standard deviations from which a difference is
// told from chance.
const distinguishable = 2

// deviations returns how many standard deviations the change of a share is, those
// that it would have by chance if nothing had changed: √(p(1−p)(1/N1+1/N2)), with the
// share p of both together.
func (t *tree) deviations(a amount) float64 {
	now, before := share(a.of, t.whole.of), share(a.base, t.whole.base)
	n1, n2 := float64(t.whole.of.Samples), float64(t.whole.base.Samples)
	if n1 == 0 || n2 == 0 {
		return 0
	}
	p := (now*n1 + before*n2) / (n1 + n2)
	variance := p * (1 - p) * (1/n1 + 1/n2)
	if !(variance > 0) {
		return 0
	}
	return (now - before) / math.Sqrt(variance)
}

// level is how much more a part is than it was, from -diffLevels to diffLevels: 0 if
// that may be chance.
func (t *tree) level(a amount) int {
	if math.Abs(t.deviations(a)) <= distinguishable {
		return 0
	}
	now, before := share(a.of, t.whole.of), share(a.base, t.whole.base)
	change := (now - before) / max(now, before)
	level := int(math.Ceil(math.Abs(change) * diffLevels))
	if change < 0 {
		return -level
	}
	return level
}

// palette returns the rules of all colours, on a light or on a dark screen.
func palette(dark bool) string {
	var b strings.Builder
	rule := func(class string, hue, saturation, lightness int) {
		fmt.Fprintf(&b, ".%s rect{fill:%s}", class, rgb(hue, saturation, lightness))
	}
	// shades are of light and dark colours.
	shade := func(light, dim int) int {
		if dark {
			return dim
		}
		return light
	}
	for i := range programShades {
		rule(fmt.Sprintf("p%d", i), 12+i*3, shade(88, 48), shade(67+i%4*3, 27+i%4*2))
	}
	for i := range libraryHues {
		for j := range libraryShades {
			rule(fmt.Sprintf("l%d", i*libraryShades+j), 72+i*14, shade(44, 38), shade(67+j*5, 23+j*4))
		}
	}
	for i := range kernelShades {
		rule(fmt.Sprintf("k%d", i), 208+i*5, shade(68, 38), shade(75+i%3*4, 34+i%3*4))
	}
	rule("u", 0, 0, shade(80, 34))
	rule("w", 215, 14, shade(82, 32))
	rule("r", 215, 10, shade(93, 17))
	for i := -diffLevels; i <= diffLevels; i++ {
		hue, strength := 6, i
		if i < 0 {
			hue, strength = 214, -i
		}
		saturation := shade(88, 8+9*strength)
		if i == 0 {
			saturation = 0
		}
		rule(fmt.Sprintf("d%d", i+diffLevels), hue, saturation, shade(91-5*strength, 27+2*strength))
	}
	return b.String()
}

// rgb converts a colour, as viewers without style sheets of today have no hsl().
func rgb(hue, saturation, lightness int) string {
	l, s := float64(lightness)/100, float64(saturation)/100
	a := s * min(l, 1-l)
	channel := func(n float64) int {
		k := math.Mod(n+float64(hue)/30, 12)
		return int(math.Round(255 * (l - a*max(-1, min(k-3, 9-k, 1)))))
	}
	return fmt.Sprintf("#%02x%02x%02x", channel(0), channel(8), channel(4))
}
