package path

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	object int32 // index into symbols.objects
	vaddr  uint64
}

// objectKey tells objects apart.
type objectKey struct {
	path, buildID string
	file          translators.FileID // of one without a build-id, as far as it is known what was sampled
	translator    string             // that it wants, "" the default one
	kernel        *kernelBoot        // of addresses of the kernel: what they mean
	named         *data.Run          // which has names of its own for addresses, that mean something in it alone
}

// kernelBoot is the kernel as it was when a run was sampled.
type kernelBoot struct{ symbols []data.KernelSymbol }

// symbols are the frames of all instructions on the selected call paths.
type symbols struct {
	objects []objectKey
	places  []place
	chains  [][]frame // of each place, innermost first
	of      [][]int32 // of each run and node: index into places, unselected where no selected path has it

	// Names of each place that came with the data, nil if they did not; a place with none is known
	// to have none.
	given [][]data.Name
	kept  map[int32]bool // the objects some of whose names were kept with the data

	innermost bool // one frame of a chain is enough
}

const unselected = -1

// symbolize asks the translator about all instructions on the selected call
// paths, object by object. Without a translator (nil) functions are unknown.
func (s *Selection) symbolize(t Translator, templates bool) (*symbols, error) {
	return s.resolve(t, templates, false)
}

// resolve is symbolize; innermost says that the frames which others were inlined into
// do not matter, and callers neither.
func (s *Selection) resolve(t Translator, templates, innermost bool) (*symbols, error) {
	all, err := s.translated(t, innermost)
	if err != nil || t == nil {
		return all, err
	}
	s.tellChanged(all)
	s.nameCounted(all)
	if !templates {
		short := map[string]string{} // names are long, and most are there many times
		for _, chain := range all.chains {
			for i := range chain {
				name := chain[i].function
				without, ok := short[name]
				if !ok {
					without = withoutTemplates(name)
					short[name] = without
				}
				chain[i].function = without
			}
		}
	}
	return all, nil
}

// translated are the symbols as the translator has them or, of objects that are gone, as they
// are kept with the data.
func (s *Selection) translated(t Translator, innermost bool) (*symbols, error) {
	all := s.places(innermost)
	all.innermost = innermost
	all.chains = make([][]frame, len(all.places))
	frames := make([]frame, len(all.places))
	order := make([][]int, len(all.objects))
	for i, p := range all.places {
		frames[i] = frame{object: all.objects[p.object].path, addr: p.vaddr}
		all.chains[i] = frames[i : i+1 : i+1]
		if names := all.given[i]; names != nil {
			all.name(i, frames[i], names)
			continue
		}
		order[p.object] = append(order[p.object], i)
	}
	if t == nil {
		return all, nil
	}
	for object, indices := range order {
		if all.objects[object].path == "" || len(indices) == 0 {
			continue
		}
		slices.SortFunc(indices, func(a, b int) int { return cmp.Compare(all.places[a].vaddr, all.places[b].vaddr) })
		if err := s.runs.translate(all, t, all.objects[object], indices); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// places collects the instructions on the selected call paths, or where they end
// alone.
func (s *Selection) places(innermost bool) *symbols {
	all := &symbols{of: make([][]int32, len(s.runs.all)), kept: map[int32]bool{}}
	objectIndex := map[objectKey]int32{}
	var placeIndex []map[uint64]int32 // of each object, by address: most nodes are at an address that was seen before
	for i, r := range s.runs.all {
		objects := make([]int32, len(r.Objects))
		boot := &kernelBoot{r.kernel}
		for j, o := range r.Objects {
			key := objectKey{path: o.Path, buildID: o.BuildID, file: r.sampled(s.runs, o), translator: o.Translator}
			if r.Names != nil {
				key.named = r.Run
			}
			if isKernel(o) {
				key.kernel = boot
			}
			index, ok := objectIndex[key]
			if !ok {
				index = int32(len(all.objects))
				all.objects = append(all.objects, key)
				objectIndex[key] = index
				placeIndex = append(placeIndex, map[uint64]int32{})
			}
			objects[j] = index
		}
		of := make([]int32, len(r.Nodes))
		for j := range of {
			of[j] = unselected
		}
		for _, sample := range s.samples[i].All() {
			for id := sample.Node; id != 0 && of[id] == unselected; id = r.Nodes[id].Parent {
				p := place{objects[r.Nodes[id].Object], r.Nodes[id].Vaddr}
				index, ok := placeIndex[p.object][p.vaddr]
				if !ok {
					index = int32(len(all.places))
					all.places = append(all.places, p)
					placeIndex[p.object][p.vaddr] = index
					all.given = append(all.given, r.Names[data.Place{Object: r.Nodes[id].Object, Vaddr: p.vaddr}])
				}
				of[id] = index
				if innermost {
					break
				}
			}
		}
		all.of[i] = of
	}
	return all
}

// translate fills in the chains of places in one object, by the translator that it
// wants or, if it wants none, by t.
func (rs *Runs) translate(all *symbols, t Translator, object objectKey, places []int) error {
	if object.kernel != nil {
		return all.translateKernel(t, rs.kernel, object, places)
	}
	if object.path == vdsoPath && object.translator == "" && all.nameVDSO(object, places) {
		return nil
	}
	if object.translator != "" && rs.Stamped != nil {
		var err error
		if t, err = rs.Stamped(object.translator); err != nil {
			return err
		}
	}
	if !object.another() {
		if err := all.translate(t, object, places); err != nil {
			return err
		}
		if slices.ContainsFunc(places, all.named) {
			rs.found = true
			return nil
		}
	}
	if object.path == vdsoPath || strings.HasPrefix(object.path, "/") && changed(object) != "" {
		rs.useKept(all, object, places)
	}
	return nil
}

func (s *symbols) translate(t Translator, object objectKey, places []int) error {
	vaddrs := make([]uint64, len(places))
	for i, p := range places {
		vaddrs[i] = s.places[p].vaddr
	}
	answers, err := t.TranslateBuild(object.path, object.buildID, vaddrs)
	if err != nil {
		return err
	}
	for i, p := range places {
		s.answer(p, object.path, vaddrs[i], answers[i])
		answers[i] = nil
	}
	return nil
}

// answer sets the chain of a place to what a translator said of an address.
func (s *symbols) answer(place int, object string, addr uint64, answer []translators.Location) {
	if len(answer) > 1 && s.innermost {
		answer = answer[:1]
	}
	if len(answer) > 1 {
		s.chains[place] = make([]frame, len(answer))
	}
	for i, l := range answer {
		s.chains[place][i] = frame{function: l.Func, file: l.File, line: l.Line, object: object, addr: addr}
	}
}

// name sets the chain of a place to the names that came with it.
func (s *symbols) name(place int, at frame, names []data.Name) {
	if len(names) > 1 && s.innermost {
		names = names[:1]
	}
	if len(names) > 1 {
		s.chains[place] = make([]frame, len(names))
	}
	for i, n := range names {
		s.chains[place][i] = frame{function: n.Function, file: n.File, line: n.Line, object: at.object, addr: at.addr}
	}
}

// Granularity is what frames are told apart by.
type Granularity int

const (
	Address  Granularity = iota
	Line                 // of the source
	Symbol               // function
	Source               // source file
	Object               // executable or library
	Call                 // function, and the call that it was called by: the extension of section 7.1 of the 1993 paper
	Location             // all that is known of a frame; for exports, no word of the command line
)

// granularities are the words of the command line.
var granularities = []string{Address: "addr", Line: "line", Symbol: "sym", Source: "src", Object: "obj", Call: "call"}

// ParseGranularity reads addr, line, sym, src or obj.
func ParseGranularity(s string) (Granularity, error) {
	if i := slices.Index(granularities[:Call], s); i >= 0 {
		return Granularity(i), nil
	}
	return 0, fmt.Errorf("want addr, line, sym, src or obj, not %q", s)
}

// ParseFrames reads what frames of call paths are told apart by: call, too.
func ParseFrames(s string) (Granularity, error) {
	if i := slices.Index(granularities, s); i >= 0 {
		return Granularity(i), nil
	}
	return 0, fmt.Errorf("want sym, call, line, addr, src or obj, not %q", s)
}

// coarse reports whether neighbours on a call path count as one where they are
// equal: a source or an object calls itself all the time.
func (g Granularity) coarse() bool { return g == Source || g == Object }

// unknownObject stands for the object of an address that is in none.
const unknownObject = "?"

// located reports whether the frame's line is known.
func (f frame) located() bool { return f.file != "" && f.line > 0 }

// site names a place as that of a call: FILE:LINE, or OBJECT:0xADDRESS.
func (f frame) site() string {
	if f.located() {
		return f.shortLabel(Line)
	}
	return f.shortLabel(Address)
}

// label names a frame: FILE:LINE, OBJECT:SYMBOL, FILE, OBJECT or OBJECT:0xADDRESS.
// A line that is not known becomes OBJECT:SYMBOL, a symbol OBJECT:0xADDRESS, a
// source OBJECT.
func (f frame) label(g Granularity) string {
	object := cmp.Or(f.object, unknownObject)
	switch {
	case g == Object:
		return object
	case g == Line && f.located():
		return f.file + ":" + strconv.Itoa(f.line)
	case g == Source:
		return cmp.Or(f.file, object)
	case g != Address && f.function != "":
		return object + ":" + f.function
	}
	return object + ":0x" + strconv.FormatUint(f.addr, 16)
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
