package path

import (
	"cmp"
	"maps"
	"slices"

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
	sh := shape{pastMain: true, alone: !o.Total}
	frames := func(of func(frame, bool) (calltree.Frame, bool)) (*calltree.Tree, []calltree.FrameWeight) {
		sh.frame = of
		c, _ := s.weigh(all, sh, nil)
		tree := c.parts[0].Tree(c.Builder)
		return tree, tree.Functions()
	}
	objects := map[string]map[string]bool{} // of each file
	for _, chain := range all.chains {
		for _, f := range chain {
			if f.located() {
				if objects[f.file] == nil {
					objects[f.file] = map[string]bool{}
				}
				objects[f.file][f.object] = true
			}
		}
	}
	var found []*SourceFile
	files := map[string]*SourceFile{}
	tree, weights := frames(sourceFrame)
	for _, w := range weights {
		f := &tree.Frames[w.Frame]
		file := &SourceFile{Path: f.File, Objects: []string{f.Object}, Weight: w.Weight.Weight, Samples: w.Samples}
		if f.File != "" {
			file.Objects, files[f.File] = slices.Sorted(maps.Keys(objects[f.File])), file
		}
		found = append(found, file)
	}
	tree, weights = frames(lineFrame)
	for _, w := range weights {
		if f := &tree.Frames[w.Frame]; f.Line > 0 {
			files[f.File].Lines = append(files[f.File].Lines, SourceLine{f.Line, w.Weight.Weight, w.Samples})
		}
	}
	slices.SortFunc(found, func(a, b *SourceFile) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Objects[0], b.Objects[0]))
	})
	sorted := make([]SourceFile, len(found))
	for i, file := range found {
		slices.SortFunc(file.Lines, func(a, b SourceLine) int { return cmp.Compare(a.Line, b.Line) })
		sorted[i] = *file
	}
	return sorted, nil
}

// sourceFrame is the source file of a frame, or its object where lines are not known. What is in no
// known object is as what has no call path.
func sourceFrame(f frame, _ bool) (calltree.Frame, bool) {
	switch {
	case f.located():
		return calltree.Frame{File: f.file}, true
	case f.object == "":
		return calltree.Frame{Name: outside}, true
	}
	return calltree.Frame{Object: f.object}, true
}

// lineFrame is the line of a frame; one without is left out.
func lineFrame(f frame, _ bool) (calltree.Frame, bool) {
	return calltree.Frame{File: f.file, Line: f.line}, f.located()
}

// Instructions returns the innermost instructions of the selection, by object and
// address.
func (s *Selection) Instructions(t Translator) ([]Instruction, error) {
	all, err := s.symbolize(t, true)
	if err != nil {
		return nil, err
	}
	c, _ := s.weigh(all, shape{places: true, pastMain: true, alone: true}, nil)
	var instructions []Instruction
	for node, w := range c.parts[0].All() {
		at := int(c.Nodes[node].Frame)
		if at == len(all.places) {
			continue // what has no call path
		}
		p := all.places[at]
		object := all.objects[p.object]
		in := Instruction{Object: object.path, BuildID: object.buildID, Vaddr: p.vaddr, Weight: w.Weight, Samples: w.Samples}
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
