package session

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/unwind"
)

// readPointees reads what names the object's functions and variables have.
func (o *debugObject) readPointees() {
	o.tables.Lock()
	defer o.tables.Unlock()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { recover() }() // the file is damaged, or became shorter: it has no names
	o.pointees = object.ReadPointees(o.file, o.debug)
}

// naming names addresses of a process, as reports name them. Where gdb would choose among names, or make one by
// debug data, it is unsure.
type naming struct {
	p        *process
	language value.Language // of the value
	unsure   bool
}

// Data is the name of what covers an address, and how far in it the address lies.
func (n *naming) Data(addr uint64) string {
	objects := n.p.unwinder.Objects()
	at := slices.IndexFunc(objects, func(o *unwind.Object) bool { return o.Kind != unwind.Anon && addr >= o.Start && addr < o.End })
	if at < 0 {
		return ""
	}
	o := objects[at]
	d := n.p.fileOf(o)
	if d == nil {
		n.unsure = true
		return ""
	}
	d.pointeesOnce.Do(d.readPointees)
	if d.pointees == nil {
		n.unsure = true // the symbols are damaged
		return ""
	}
	found, ok := d.pointees.Find(addr - o.Bias)
	if !ok {
		n.unsure = n.unsure || d.file.Executable(addr-o.Bias)
		return ""
	}
	symbol, odd := found.Name, ".<["
	if n.language == value.Ada {
		symbol, odd = funcname.DemangleAda(symbol), "<["
	}
	name := funcname.Pointee(symbol, found.Offset)
	if !found.Only || strings.ContainsAny(name, odd) || strings.Contains(name, "(anonymous") ||
		strings.HasPrefix(symbol, "_R") { // which demanglers read in several ways
		n.unsure = true
	}
	return name
}

// Function is the name of the function at an address.
func (n *naming) Function(addr uint64) string { return n.Data(addr) }
