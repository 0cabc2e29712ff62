package pr

import (
	"errors"
	"fmt"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

// A printer makes the output of all files. There is none when a translator fails:
// the report at the end of a pipeline must not be made of a part.
type printer struct {
	options
	warn    func(error)
	objects map[objectKey]data.Object
}

// objectKey tells objects apart.
type objectKey struct{ path, buildID string }

// nowhere is the label of samples without an address.
const nowhere = "?"

func (p *printer) print() ([]byte, error) {
	if len(p.files) == 0 {
		dirs, err := path.Newest(data.Root())
		if err != nil {
			return nil, err
		}
		p.warn(errors.New(path.NewestText(dirs)))
		p.files = dirs
	}
	runs, err := path.Open(p.files)
	if err != nil {
		return nil, err
	}
	for _, w := range runs.Warnings {
		p.warn(errors.New(w))
	}
	runs.Changed = func(sentence string) { p.warn(errors.New(sentence)) }
	if p.vmlinux != "" {
		if err := runs.UseKernel(p.vmlinux); err != nil {
			return nil, err
		}
	}
	selected, err := runs.Select(nil, nil)
	if err != nil {
		return nil, err
	}
	if err := p.know(runs.Objects()); err != nil {
		return nil, err
	}
	spots, err := p.spots(runs, selected)
	if err != nil {
		return nil, err
	}
	var text []byte
	rest := uint64(selected.Samples())
	for i := range spots {
		spots[i].show()
		text = p.output.append(text, &spots[i])
		rest -= spots[i].count
	}
	if rest > 0 {
		text = p.output.append(text, &spot{count: rest, object: nowhere, label: nowhere})
	}
	return text, nil
}

// know keeps what is known of each object: its bias, and the translator that it is
// stamped with.
func (p *printer) know(objects []data.Object) error {
	p.objects = map[objectKey]data.Object{}
	for _, o := range objects {
		key := objectKey{o.Path, o.BuildID}
		first, ok := p.objects[key]
		switch {
		case !ok:
			p.objects[key] = o
		case first.Bias != o.Bias && (p.output.uses("B") || p.request.uses("B")):
			return fmt.Errorf("%%B: %s is at different addresses in the files; print them one by one", o.Path)
		case first.Translator != o.Translator && p.translator == "" && p.request != nil:
			return fmt.Errorf("%s is stamped with the translators %q and %q; print the files one by one, or give -translator",
				o.Path, first.Translator, o.Translator)
		}
	}
	return nil
}

// spots returns all addresses, sorted by object and address, with their labels.
func (p *printer) spots(runs *path.Runs, selected *path.Selection) ([]spot, error) {
	if p.request != nil {
		instructions, err := selected.Instructions(nil)
		if err != nil {
			return nil, err
		}
		spots := p.untranslated(instructions)
		return spots, p.askForeign(spots)
	}
	var t path.Translator
	if p.granularity != path.Address && p.granularity != path.Object || p.output.uses("fFL") {
		all := &clients{running: map[string]*translators.Cached{}, timeout: p.timeout}
		if p.granularity == path.Symbol && !p.output.uses("FL") {
			all.arguments = []string{"-functions"} // it leaves out lines, which takes time
		}
		defer all.close()
		if p.translator == "" {
			runs.Stamped = all.start
		}
		var err error
		if t, err = all.start(p.translator); err != nil {
			return nil, err
		}
	}
	instructions, err := selected.Instructions(t)
	if err != nil {
		return nil, err
	}
	spots := p.untranslated(instructions)
	for i := range instructions {
		in := &instructions[i]
		spots[i].label = in.Label(p.granularity, p.templates)
		if len(in.Frames) > 0 {
			f := in.Frames[0]
			spots[i].function, spots[i].file, spots[i].line = f.Func, f.File, f.Line
		}
	}
	return spots, nil
}

// untranslated makes spots, each labelled with its address.
func (p *printer) untranslated(instructions []path.Instruction) []spot {
	spots := make([]spot, len(instructions))
	for i := range instructions {
		in := &instructions[i]
		spots[i] = spot{
			count:   uint64(in.Samples),
			object:  in.Object,
			buildID: in.BuildID,
			vaddr:   in.Vaddr,
			bias:    p.objects[objectKey{in.Object, in.BuildID}].Bias,
			label:   in.Label(path.Address, true),
		}
		if in.Object == "" {
			spots[i].object = nowhere
		}
	}
	return spots
}

// show makes the texts of a spot fit to be printed.
func (s *spot) show() {
	for _, text := range []*string{&s.object, &s.function, &s.file, &s.label} {
		*text = visible.Source(*text) // the lines of an answer are joined by tabs
	}
}
