package path

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

// A Translator turns ELF virtual addresses of an object, which must have the
// build-id given unless that is empty, into frames, innermost first and at least
// one for each address. *translators.Client is one.
type Translator interface {
	TranslateBuild(object, buildID string, vaddrs []uint64) ([][]translators.Location, error)
}

// A frame is a function activation on a call path.
type frame struct {
	function string // "" unknown
	file     string // "" unknown
	line     int    // 0 unknown
	object   string // path, "" if the address is in no known object
	addr     uint64 // ELF virtual address; run-time address without an object
}

// place is an instruction, the same in every run of a program.
type place struct {
	object, buildID string
	vaddr           uint64
}

func placeOf(r *data.Run, id data.NodeID) place {
	n := r.Nodes[id]
	o := r.Objects[n.Object]
	return place{o.Path, o.BuildID, n.Vaddr}
}

// frames are the frames of each place on the selected call paths, innermost
// first.
type frames map[place][]frame

// symbolize asks the translator about all instructions on the selected call
// paths, object by object. Without a translator (nil) functions are unknown.
func (s *Selection) symbolize(t Translator) (frames, error) {
	all := frames{}
	for i, r := range s.runs.all {
		seen := make([]bool, len(r.Nodes))
		for _, sample := range s.samples[i] {
			for id := sample.Node; id != 0 && !seen[id]; id = r.Nodes[id].Parent {
				seen[id] = true
				p := placeOf(r, id)
				if _, ok := all[p]; !ok {
					all[p] = []frame{{object: p.object, addr: p.vaddr}}
				}
			}
		}
	}
	if t == nil {
		return all, nil
	}
	places := make([]place, 0, len(all))
	for p := range all {
		if p.object != "" {
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.buildID, b.buildID), cmp.Compare(a.vaddr, b.vaddr))
	})
	for len(places) > 0 {
		first := places[0]
		n := slices.IndexFunc(places, func(p place) bool { return p.object != first.object || p.buildID != first.buildID })
		if n < 0 {
			n = len(places)
		}
		if err := all.translate(t, places[:n]); err != nil {
			return nil, err
		}
		places = places[n:]
	}
	return all, nil
}

// translate fills in the places of one object.
func (f frames) translate(t Translator, places []place) error {
	vaddrs := make([]uint64, len(places))
	for i, p := range places {
		vaddrs[i] = p.vaddr
	}
	answers, err := t.TranslateBuild(places[0].object, places[0].buildID, vaddrs)
	if err != nil {
		return err
	}
	for i, p := range places {
		chain := make([]frame, len(answers[i]))
		for j, l := range answers[i] {
			chain[j] = frame{function: l.Func, file: l.File, line: l.Line, object: p.object, addr: p.vaddr}
		}
		f[p] = chain
	}
	return nil
}

// Granularity is what frames are told apart by.
type Granularity int

const (
	Address Granularity = iota
	Line                // of the source
	Symbol              // function
	Source              // source file
	Object              // executable or library
)

// granularities are the words of the command line.
var granularities = []string{Address: "addr", Line: "line", Symbol: "sym", Source: "src", Object: "obj"}

// ParseGranularity reads addr, line, sym, src or obj.
func ParseGranularity(s string) (Granularity, error) {
	if i := slices.Index(granularities, s); i >= 0 {
		return Granularity(i), nil
	}
	return 0, fmt.Errorf("want addr, line, sym, src or obj, not %q", s)
}

// coarse reports whether neighbours on a call path count as one where they are
// equal: a source or an object calls itself all the time.
func (g Granularity) coarse() bool { return g == Source || g == Object }

// unknownObject stands for the object of an address that is in none.
const unknownObject = "?"

// label names a frame: FILE:LINE, OBJECT:SYMBOL, FILE, OBJECT or OBJECT:0xADDRESS.
// A line that is not known becomes OBJECT:SYMBOL, a symbol OBJECT:0xADDRESS, a
// source OBJECT.
func (f frame) label(g Granularity) string {
	object := cmp.Or(f.object, unknownObject)
	switch {
	case g == Object:
		return object
	case g == Line && f.file != "" && f.line > 0:
		return fmt.Sprintf("%s:%d", f.file, f.line)
	case g == Source:
		return cmp.Or(f.file, object)
	case g != Address && f.function != "":
		return object + ":" + f.function
	}
	return fmt.Sprintf("%s:0x%x", object, f.addr)
}

// shortLabel names a frame within a call path, where files go by their base
// names, and functions by their names alone.
func (f frame) shortLabel(g Granularity) string {
	if g == Symbol && f.function != "" {
		return f.function
	}
	if f.object != "" {
		f.object = filepath.Base(f.object)
	}
	if f.file != "" {
		f.file = filepath.Base(f.file)
	}
	return f.label(g)
}
