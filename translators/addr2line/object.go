package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/profilecollection/pct/translators"
	"github.com/profilecollection/pct/translators/internal/debuginfo"
)

// An object answers for one ELF file.
type object struct {
	code    *file           // its program headers say what is code
	debug   *debuginfo.Data // nil if there is none
	golang  *goTable        // nil if there is none, or debug data
	symbols *symbolTable
	stubs   []stub
	name    string // that its users know it by
	names   translators.Demangler
	bounds  func() *debuginfo.Code // of functions without a name
	changed atomic.Bool            // while it was read: it answers nothing any more
}

// open opens the ELF file at path, of the given build-id if one is given. Where
// the path holds another build by now, the installed debug information of the
// right one serves alone.
func (d finder) open(path, buildID string) (*object, error) {
	f, err := openFile(path)
	if err == nil && buildID != "" && f.buildID() != buildID {
		err = fmt.Errorf("%s: another build than was profiled: its build-id is %s, not %s", path, f.buildID(), buildID)
		f.close()
	}
	if err != nil {
		if f = d.byBuildID(buildID); f == nil {
			return nil, err
		}
	}
	o := &object{code: f, name: filepath.Base(path), bounds: sync.OnceValue(f.functions)}
	g := d.debugFile(f)
	if g != nil {
		o.debug = d.debugInfo(g, f.lowestCode())
	}
	if o.debug == nil {
		o.golang = f.goTable()
	}
	o.symbols = readSymbols(f, g, f.miniDebug())
	o.stubs = f.stubs(o.symbols.find)
	if o.symbols.ada {
		o.names.Read = translators.DemangleAda
	}
	return o, nil
}

// frames appends the frames of the instruction at vaddr, innermost first; none
// where nothing is known of it. Any number of goroutines may call it.
func (o *object) frames(out []translators.Location, vaddr uint64, want debuginfo.Detail) []translators.Location {
	if !o.code.executable(vaddr) {
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
func (o *object) symbol(vaddr uint64) string {
	for _, s := range o.stubs {
		if vaddr-s.low < s.high-s.low {
			name, _ := strings.CutSuffix(s.name, "@plt")
			return o.names.Name(name) + "@plt"
		}
	}
	if name := o.symbols.find(vaddr); name != "" {
		return o.names.Name(name)
	}
	if start, ok := o.bounds().Start(vaddr); ok {
		return fmt.Sprintf("%s+0x%x", o.name, start)
	}
	return ""
}
