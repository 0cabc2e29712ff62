package path

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

// keptNames are the names that run directories keep, each read when it is wanted first.
type keptNames map[string][]translators.Names

// keptIn returns what a run directory keeps. A file that can't be read is told of as damage.
func (rs *Runs) keptIn(dir string) []translators.Names {
	if names, ok := rs.kept[dir]; ok {
		return names
	}
	if rs.kept == nil {
		rs.kept = keptNames{}
	}
	b, err := data.ReadNames(dir)
	names, ok := translators.DecodeNames(b)
	if errors.Is(err, fs.ErrNotExist) {
		ok = true
	}
	if !ok && rs.Changed != nil {
		rs.Changed(fmt.Sprintf("%s/names is damaged, or of another version: the names that it keeps are not used", dir))
	}
	rs.kept[dir] = names
	return names
}

// sampled is the content of an object's file as it was when its names were kept, of an object
// that no build-id tells apart from others of its path.
func (r *run) sampled(rs *Runs, o data.Object) translators.FileID {
	if o.BuildID != "" || !strings.HasPrefix(o.Path, "/") {
		return translators.FileID{}
	}
	for _, n := range rs.keptIn(r.Dir) {
		if n.Object == o.Path && n.BuildID == "" {
			return n.File
		}
	}
	return translators.FileID{}
}

// useKept fills in the chains of places by the names that are kept with the data, of those
// that have none.
func (rs *Runs) useKept(all *symbols, object objectKey, places []int) {
	var books []*translators.Names
	for _, r := range rs.all {
		if !slices.ContainsFunc(r.Objects, func(o data.Object) bool { return o.Path == object.path && o.BuildID == object.buildID }) {
			continue
		}
		names := rs.keptIn(r.Dir)
		for i, n := range names {
			if n.Object == object.path && n.BuildID == object.buildID && n.File == object.file && !slices.Contains(books, &names[i]) {
				books = append(books, &names[i])
			}
		}
	}
	for _, p := range places {
		if all.named(p) {
			continue
		}
		for _, n := range books {
			if frames := n.Find(all.places[p].vaddr); frames != nil {
				all.answer(p, object.path, all.places[p].vaddr, frames)
				all.kept[all.places[p].object] = true
				break
			}
		}
	}
}

// named reports whether anything is known of a place.
func (s *symbols) named(place int) bool {
	return slices.ContainsFunc(s.chains[place], func(f frame) bool { return f.function != "" || f.file != "" })
}

// Unkept reports whether names were found that are not kept yet with the data of a run that has
// ended.
func (rs *Runs) Unkept() bool { return rs.found && slices.ContainsFunc(rs.all, (*run).unkept) }

// unkept reports whether a run's names can be kept, and are not.
func (r *run) unkept() bool {
	ended := r.Meta.Version > 0 && !(r.Meta.State == stateRunning && r.goesOn)
	return ended && !r.part && data.LacksNames(r.Dir)
}

// BeginToKeep makes the files for names that are to be kept.
func (rs *Runs) BeginToKeep() error {
	var problems []error
	for _, r := range rs.all {
		if r.unkept() {
			problems = append(problems, data.BeginNames(r.Dir))
		}
	}
	return errors.Join(problems...)
}

// Keep writes what t tells of all instructions on the call paths of the runs that have ended
// into their directories, where they keep no names yet and BeginToKeep has been.
// The names of a file that is no longer the one that was sampled are not known any more.
func (rs *Runs) Keep(t Translator) error {
	s := &Selection{runs: rs, samples: make([]*data.Packed, len(rs.all))}
	for i, r := range rs.all {
		if r.unkept() {
			s.takeAll(i)
		}
	}
	files := map[string]translators.FileID{} // of objects without build-ids
	for _, r := range rs.all {
		for _, o := range r.Objects {
			if _, seen := files[o.Path]; !seen && o.BuildID == "" {
				files[o.Path] = translators.FileIDOf(o.Path)
			}
		}
	}
	all, err := s.translated(t, false)
	if err != nil {
		return err
	}
	for path, before := range files {
		if translators.FileIDOf(path) != before {
			delete(files, path)
		}
	}
	dirs := map[string]map[int32]*translators.Names{} // by index of the object
	for i, r := range rs.all {
		if s.samples[i].Len() > 0 {
			if dirs[r.Dir] == nil {
				dirs[r.Dir] = map[int32]*translators.Names{}
			}
			all.collect(dirs[r.Dir], r, all.of[i], files)
		}
	}
	var problems []error
	for dir, objects := range dirs {
		if len(objects) == 0 {
			continue
		}
		var names []translators.Names
		for _, object := range slices.Sorted(maps.Keys(objects)) {
			names = append(names, *objects[object])
		}
		b, err := translators.EncodeNames(names)
		if err == nil {
			err = data.WriteNames(dir, b)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", dir, err))
			continue
		}
	}
	return errors.Join(problems...)
}

// collect adds the names of a run's places, by the index of their objects. files are those
// without build-ids that did not change while they were read.
func (s *symbols) collect(objects map[int32]*translators.Names, r *run, of []int32, files map[string]translators.FileID) {
	seen := map[int32]bool{}
	for _, place := range of {
		if place == unselected || seen[place] || !s.named(int(place)) {
			continue
		}
		seen[place] = true
		p := s.places[place]
		object := s.objects[p.object]
		if object.path == "" || object.kernel != nil || object.named != nil || object.translator != "" {
			continue
		}
		file := translators.FileID{}
		if object.buildID == "" {
			file = files[object.path]
			if file == (translators.FileID{}) || file.Modified > r.Header.Start.UnixNano() {
				continue // it may be another one than was sampled
			}
		}
		n := objects[p.object]
		if n == nil {
			n = &translators.Names{Object: object.path, BuildID: object.buildID, File: file}
			objects[p.object] = n
		}
		frames := make([]translators.Location, len(s.chains[place]))
		for i, f := range s.chains[place] {
			frames[i] = translators.Location{Func: f.function, File: f.file, Line: f.line}
		}
		n.Add(p.vaddr, frames)
	}
}
