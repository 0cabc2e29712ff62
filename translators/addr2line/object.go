package addr2line

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/translators"
)

// An answerer answers for one ELF file.
type answerer struct {
	code    *object.File    // its program headers say what is code
	debug   *debuginfo.Data // nil if there is none
	golang  *goTable        // nil if there is none, or debug data
	symbols *object.Symbols
	stubs   []stub
	name    string // that its users know it by
	names   funcname.Demangler
	bounds  func() *object.Frames // of functions without a name
	changed atomic.Bool           // while it was read: it answers nothing any more
}

// open opens the ELF file at path, of the given build-id if one is given. Where
// the path holds another build by now, the installed debug information of the
// right one serves alone.
func open(d object.Finder, path, buildID string) (*answerer, error) {
	f, err := object.Map(path)
	if err == nil {
		if err = f.Build(buildID); err != nil {
			f.Close()
		}
	}
	if err != nil {
		if f = d.OfBuild(buildID); f == nil {
			return nil, err
		}
	}
	o := &answerer{code: f, name: filepath.Base(path), bounds: sync.OnceValue(f.EHFrames)}
	g := d.DebugFile(f)
	if g != nil {
		o.debug = debuginfo.Open(d, g, f.LowestCode())
	}
	if o.debug == nil {
		o.golang = readGoTable(f)
	}
	o.symbols = object.ReadSymbols(f, g, f.MiniDebug())
	o.stubs = stubs(f, o.symbolName)
	if o.symbols.Ada {
		o.names.Read = funcname.DemangleAda
	}
	return o, nil
}

// frames appends the frames of the instruction at vaddr, innermost first; none
// where nothing is known of it. Any number of goroutines may call it.
func (o *answerer) frames(out []translators.Location, vaddr uint64, want debuginfo.Detail) []translators.Location {
	if !o.code.Executable(vaddr) {
		return out
	}
	before := len(out)
	var last debuginfo.Frame
	if o.debug != nil {
		var room [8]debuginfo.Frame
		for _, last = range o.debug.Frames(room[:0], vaddr, want) {
			out = append(out, translators.Location{Func: last.Func, File: last.File, Line: last.Line})
		}
	}
	switch {
	case len(out) == before && o.golang != nil:
		at, ok := o.golang.find(vaddr)
		if !ok {
			at.Func = o.symbol(vaddr)
		}
		if want.NoLines {
			at.File, at.Line = "", 0
		}
		out = append(out, at)
	case len(out) == before:
		out = append(out, translators.Location{Func: o.symbol(vaddr)})
	case last.Func == "" && !last.Inlined && !(want.NoNames && last.Located()):
		out[len(out)-1].Func = o.symbol(vaddr)
	}
	return out
}

// symbol returns the function at vaddr as far as the symbols tell: of one without,
// OBJECT+0xSTART.
func (o *answerer) symbol(vaddr uint64) string {
	for _, s := range o.stubs {
		if vaddr-s.low < s.high-s.low {
			name, _ := strings.CutSuffix(s.name, "@plt")
			return o.names.Name(name) + "@plt"
		}
	}
	if name := o.symbolName(vaddr); name != "" {
		return o.names.Name(name)
	}
	if d, ok := o.bounds().Find(vaddr); ok {
		return fmt.Sprintf("%s+0x%x", o.name, d.Start)
	}
	return ""
}

// symbolName is the name of the symbol that vaddr is in, as it stands in the file.
func (o *answerer) symbolName(vaddr uint64) string {
	if y := o.symbols.Find(vaddr); y != nil {
		return o.symbols.Name(y)
	}
	return ""
}
