package path

import (
	"cmp"
	"maps"
	"slices"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/translators"
)

// SourceFile is a source file with what of the selection was found in it. One without
// a Path stands for the code of an object of which no lines are known.
type SourceFile struct {
	Path    string       // as the debug data name it
	Objects []string     // paths of the objects that hold its code, in order
	Lines   []SourceLine // in order
	Weight  uint64       // of the samples in the file, each counted once
	Samples int
}

// SourceLine is one line of a source file.
type SourceLine struct {
	Line    int // from 1
	Weight  uint64
	Samples int
}

// Instruction is an instruction that samples were found at.
type Instruction struct {
	Object  string // path, "" if it is in no known object
	BuildID string // of the object, hexadecimal, "" if it has none
	Vaddr   uint64 // ELF virtual address; run-time address without an object
	Weight  uint64
	Samples int

	// Frames are the function that holds the instruction and those that were
	// inlined there, innermost first.
	Frames []translators.Location
}

// Sources returns the source files of the selection, the heaviest first; with
// o.Total a sample counts, once each, for all lines on its call path, else for the
// innermost one.
func (s *Selection) Sources(t Translator, o Options) ([]SourceFile, error) {
	all, err := s.resolve(t, true, !o.Total)
	if err != nil {
		return nil, err
	}
	sum := sources{}
	lines, files := calltree.NewBuilder(), calltree.NewBuilder() // with o.Total: the call paths, by these
	selfLines, selfFiles := map[int32]calltree.Weight{}, map[int32]calltree.Weight{}
	for i := range s.runs.all {
		var atLine, atFile []int32
		if o.Total {
			atLine, atFile = s.sourcePaths(lines, i, all, frame.lineKey), s.sourcePaths(files, i, all, frame.sourceKey)
		}
		for node, t := range s.byNode(i) {
			switch {
			case node == 0:
				sum.add(frame{}, t)
			case o.Total:
				w := calltree.Weight{Weight: t.weight, Samples: t.samples}
				selfLines[atLine[node]] = selfLines[atLine[node]].Plus(w)
				selfFiles[atFile[node]] = selfFiles[atFile[node]].Plus(w)
			default:
				sum.add(all.chains[all.of[i][node]][0], t)
			}
		}
	}
	if !o.Total {
		return sum.sorted(), nil
	}
	for _, chain := range all.chains {
		for _, f := range chain {
			sum.add(f, tally{}) // which says what object holds it
		}
	}
	for _, t := range []*calltree.Tree{lines.Tree(selfLines), files.Tree(selfFiles)} {
		for _, f := range t.Functions() {
			of := &t.Frames[f.Frame]
			at := sum[sourceKey{of.File, of.Object, of.Line}]
			at.tally = at.plus(tally{f.Weight.Weight, f.Samples})
		}
	}
	return sum.sorted(), nil
}

// sourcePaths puts the selected call paths of a run into a tree of what key tells apart, without the frames that it knows
// nothing of. It returns where each node is in it.
func (s *Selection) sourcePaths(b *calltree.Builder, run int, all *symbols, key func(frame) (sourceKey, bool)) []int32 {
	nodes := s.runs.all[run].Nodes
	at := make([]int32, len(nodes))
	for id := 1; id < len(nodes); id++ {
		place := all.of[run][id]
		if place == unselected {
			continue
		}
		at[id] = at[nodes[id].Parent]
		for _, f := range slices.Backward(all.chains[place]) {
			if of, ok := key(f); ok {
				at[id] = b.Child(at[id], b.Frame(calltree.Frame{File: of.file, Object: of.object, Line: of.line}))
			}
		}
	}
	return at
}

// Instructions returns the innermost instructions of the selection, by object and
// address.
func (s *Selection) Instructions(t Translator) ([]Instruction, error) {
	all, err := s.symbolize(t, true)
	if err != nil {
		return nil, err
	}
	sum := map[int32]tally{}
	for i := range s.runs.all {
		for node, t := range s.byNode(i) {
			if at := all.of[i][node]; node != 0 {
				sum[at] = sum[at].plus(t)
			}
		}
	}
	instructions := make([]Instruction, 0, len(sum))
	for at, t := range sum {
		p := all.places[at]
		object := all.objects[p.object]
		in := Instruction{Object: object.path, BuildID: object.buildID, Vaddr: p.vaddr, Weight: t.weight, Samples: t.samples}
		for j, f := range all.chains[at] {
			in.Frames = append(in.Frames, translators.Location{Func: f.function, File: f.file, Line: f.line, Inlined: j+1 < len(all.chains[at])})
		}
		instructions = append(instructions, in)
	}
	slices.SortFunc(instructions, func(a, b Instruction) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.BuildID, b.BuildID), cmp.Compare(a.Vaddr, b.Vaddr))
	})
	return instructions, nil
}

// byNode adds up the selected samples of a run by their innermost frames.
func (s *Selection) byNode(run int) map[data.NodeID]tally {
	sum := map[data.NodeID]tally{}
	for _, sample := range s.samples[run] {
		sum[sample.Node] = sum[sample.Node].plus(tallyOf(sample))
	}
	return sum
}

func (t tally) plus(other tally) tally {
	return tally{t.weight + other.weight, t.samples + other.samples}
}

// sourceKey is a source file, or an object without lines.
type sourceKey struct {
	file, object string
	line         int // 0: all of the file
}

// sources add up what counts for each file and each line.
type sources map[sourceKey]*sourceSum

type sourceSum struct {
	tally
	objects map[string]bool
}

// sourceKey is the source file of a frame, or its object.
func (f frame) sourceKey() (sourceKey, bool) {
	if !f.located() {
		return sourceKey{object: f.object}, true
	}
	return sourceKey{file: f.file}, true
}

// lineKey is the line of a frame, false if it is not known.
func (f frame) lineKey() (sourceKey, bool) {
	return sourceKey{file: f.file, line: f.line}, f.located()
}

// add counts samples for the line of a frame, and for its file.
func (all sources) add(f frame, t tally) {
	for _, of := range []func(frame) (sourceKey, bool){frame.sourceKey, frame.lineKey} {
		key, ok := of(f)
		if !ok {
			continue
		}
		sum := all[key]
		if sum == nil {
			sum = &sourceSum{objects: map[string]bool{}}
			all[key] = sum
		}
		sum.objects[f.object] = true
		sum.tally = sum.plus(t)
	}
}

func (all sources) sorted() []SourceFile {
	of := map[sourceKey]*SourceFile{}
	for key, sum := range all {
		if key.line == 0 {
			of[key] = &SourceFile{Path: key.file, Objects: slices.Sorted(maps.Keys(sum.objects)), Weight: sum.weight, Samples: sum.samples}
		}
	}
	for key, sum := range all {
		if line := key.line; line > 0 {
			key.line = 0
			of[key].Lines = append(of[key].Lines, SourceLine{line, sum.weight, sum.samples})
		}
	}
	var sorted []SourceFile
	for _, source := range of {
		slices.SortFunc(source.Lines, func(a, b SourceLine) int { return cmp.Compare(a.Line, b.Line) })
		sorted = append(sorted, *source)
	}
	slices.SortFunc(sorted, func(a, b SourceFile) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Objects[0], b.Objects[0]))
	})
	return sorted
}
