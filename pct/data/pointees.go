package data

import (
	"os"
	"time"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
)

// pointees name what pointers lead to: as the data tell, else by the functions and variables of the objects, as long
// as their files are those that ran. It is a value.Namer.
type pointees struct {
	given   map[uint64]string
	objects []Object
	start   time.Time // of the run
	files   []mappedFile
	found   bool // the files of the objects were looked for

	functions map[ObjectID]*object.Symbols // of calledAt
}

// A mappedFile is the file of an object of the process, as it was when the run began.
type mappedFile struct {
	of         Object
	start, end uint64           // run-time addresses
	symbols    *object.Pointees // nil: not read yet
}

func (p *pointees) Data(addr uint64) string     { return p.at(addr) }
func (p *pointees) Function(addr uint64) string { return p.at(addr) }

// at is the symbol that covers an address, "symbol+offset".
func (p *pointees) at(addr uint64) string {
	if name, ok := p.given[addr]; ok {
		return name
	}
	if !p.found {
		p.found = true
		p.findFiles()
	}
	for i := range p.files {
		f := &p.files[i]
		if addr < f.start || addr >= f.end {
			continue
		}
		if f.symbols == nil {
			f.symbols = &object.Pointees{}
			p.open(f.of, f.readSymbols)
		}
		if found, ok := f.symbols.Find(addr - f.of.Bias); ok {
			return funcname.Pointee(found.Name, found.Offset)
		}
	}
	return ""
}

// findFiles finds the files of all objects.
func (p *pointees) findFiles() {
	type place struct {
		path string
		bias uint64
	}
	seen := map[place]bool{}
	for _, o := range p.objects {
		at := place{o.Path, o.Bias}
		if o.Kind != 0 || o.Path == "" || seen[at] {
			continue
		}
		seen[at] = true
		p.open(o, func(g *object.File) {
			start, end := g.Extent()
			p.files = append(p.files, mappedFile{of: o, start: start + o.Bias, end: end + o.Bias})
		})
	}
}

// open has the file of an object read, if it is still the one that ran.
func (p *pointees) open(o Object, read func(*object.File)) {
	g, err := object.Open(o.Path)
	if err != nil {
		return
	}
	defer g.Close()
	if g.IsBuild(o.BuildID) && (o.BuildID != "" || p.unchanged(o.Path)) {
		read(g)
	}
}

// unchanged reports whether a file was not written since the run began.
func (p *pointees) unchanged(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.ModTime().Before(p.start)
}

// readSymbols reads the symbols of the file, and of the one that has its debug data.
func (f *mappedFile) readSymbols(g *object.File) {
	debug := object.Installed().DebugFile(g)
	f.symbols = object.ReadPointees(g, debug)
	if debug != nil && debug != g {
		debug.Close()
	}
}
