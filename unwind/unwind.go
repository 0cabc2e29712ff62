package unwind

import "slices"

// MaxDepth is the number of frames at which Unwind gives up, unless Unwinder.Limit is another one.
const MaxDepth = 4096

// Regs are the registers of a stopped thread. PC, SP and BP are always
// known; others by their DWARF numbers where bit n of Known says so.
type Regs struct {
	PC, SP, BP uint64
	Other      [17]uint64
	Known      uint32
}

// Frame is one activation of a function.
type Frame struct {
	PC     uint64
	CFA    uint64  // the stack pointer of its caller, just before the call; 0 where it is not known, as the path ends there
	Object *Object // what PC lies in; nil: unknown
	Exact  bool    // PC is an instruction not yet executed, no return address: frame 0, what a signal interrupted, and what its handler returns to
	// Guessed says that this frame, or one inside of it, was left without call frame information: what
	// registers hold, and the CFA, are likely but not sure.
	Guessed bool
}

// Vaddr returns the ELF virtual address of the instruction that the frame is
// at: where PC is a return address, an address in the call instruction. In no
// object it is a runtime address.
func (f Frame) Vaddr() uint64 {
	a := f.PC
	if !f.Exact {
		a--
	}
	if f.Object != nil {
		a -= f.Object.Bias
	}
	return a
}

// Reason says why a call path ends where it does.
type Reason int

const (
	Complete  Reason = iota // the last frame is the outermost
	NoRecipe                // nothing tells how to leave the last frame
	BadMemory               // the stack could not be read
	TooDeep                 // MaxDepth, or Limit, frames
	Loop                    // the frames lead back to themselves
)

func (r Reason) String() string {
	switch r {
	case Complete:
		return "complete"
	case NoRecipe:
		return "no recipe"
	case BadMemory:
		return "bad memory"
	case TooDeep:
		return "too deep"
	case Loop:
		return "loop"
	}
	return "unknown"
}

// Unwinder unwinds the threads of one process.
type Unwinder struct {
	Limit int  // of frames; 0: MaxDepth
	Keep  bool // the registers of each frame, for Register

	objects objects
	table   table
	stack   window
	states  [2]state
	guesses int // frames left without a recipe
	kept    []registers
}

// New makes an Unwinder for a process, which shares the cache with others. It reads the process's
// mappings and the headers of the objects mapped; an error means that the mappings could not be read.
func New(pid int, c *Cache) (*Unwinder, error) {
	u := &Unwinder{objects: objects{pid: pid, mem: ProcessMemory(pid), cache: c, byID: make(map[identity]*Object)}}
	if err := u.Refresh(); err != nil {
		return nil, err
	}
	return u, nil
}

// registers are those of a frame.
type registers struct {
	reg   [numRegs]uint64
	known uint32
}

// Register is what a register, by its DWARF number, holds in a frame of the last path, 0 being the
// innermost: if Keep was set then, and the frames inside of it saved the register or have to leave it
// as it is.
func (u *Unwinder) Register(level, number int) (uint64, bool) {
	if level >= len(u.kept) || number < 0 || number >= numRegs {
		return 0, false
	}
	k := &u.kept[level]
	return k.reg[number], k.known>>number&1 != 0
}

// Read reads memory of the process, all of b or nothing: from what the last path read of the stack, where
// it lies there.
func (u *Unwinder) Read(b []byte, addr uint64) bool {
	for i := range u.stack.panes {
		p := &u.stack.panes[i]
		if d, n := addr-p.base, uint64(len(p.data)); d <= n && n-d >= uint64(len(b)) && n > 0 {
			copy(b, p.data[d:])
			return true
		}
	}
	return u.stack.mem.ReadAt(b, addr) == len(b)
}

// Refresh reads the mappings of the process again. Call it when the process
// has executed another program and when it has loaded or unloaded a shared
// object. Unwind does it by itself, at a limited rate, when it meets a pc in
// no known object.
func (u *Unwinder) Refresh() error {
	changed, err := u.objects.refresh()
	if changed {
		u.table.clear()
	}
	return err
}

// Objects returns all objects seen so far, in the order of their IDs.
func (u *Unwinder) Objects() []*Object { return u.objects.all }

// Mapped reports whether an object is mapped now.
func (u *Unwinder) Mapped(o *Object) bool {
	return slices.ContainsFunc(u.objects.spans, func(s span) bool { return s.obj == o })
}

// ObjectAt returns the object in whose executable memory an address lies; nil: in none.
func (u *Unwinder) ObjectAt(addr uint64) *Object { return u.objects.find(addr) }

// Returns reports whether an address is one to which a call returns, or the handler of a signal.
func (u *Unwinder) Returns(addr uint64) bool {
	if u.stack.mem == nil {
		u.stack.reset(u.objects.mem)
	}
	kind, _ := u.called(addr)
	return kind == directCall || kind == indirectCall || kind == handlerCall
}

// Begins reports whether the call frame information has a function that begins at an address.
func (u *Unwinder) Begins(addr uint64) bool {
	o := u.objects.find(addr)
	return o != nil && o.image != nil && o.image.begins(addr-o.Bias)
}

// Symbol returns the raw, mangled name and the start (ELF virtual address) of
// the function symbol that covers the frame's Vaddr; "" if there is none. The
// symbols are those of .symtab, else of .dynsym; of a stripped Go program they
// are the runtime's own. Of several names for one function it is the one with
// the fewest leading underscores.
func (u *Unwinder) Symbol(f Frame) (name string, start uint64) {
	name, start, _ = f.Object.function(f.PC, f.Exact)
	if name != "" {
		start -= f.Object.Bias
	}
	return name, start
}

// Function is a function symbol of a mapped object. Addr is an ELF virtual
// address, Size in bytes. What is at the address of an indirect one only chooses, when the
// program starts, the function that serves under its name.
type Function struct {
	Object     *Object
	Name       string
	Addr, Size uint64
	Indirect   bool
}

// Functions returns the function symbols, by their raw names, of all objects
// that are mapped now. Where several names have one address, each is one.
func (u *Unwinder) Functions(match func(name string) bool) []Function {
	var list []Function
	seen := make(map[*Object]bool)
	for _, sp := range u.objects.spans {
		if !seen[sp.obj] {
			seen[sp.obj] = true
			list = append(list, u.FunctionsOf(sp.obj, match)...)
		}
	}
	return list
}

// FunctionsOf returns those of one object.
func (u *Unwinder) FunctionsOf(o *Object, match func(name string) bool) (list []Function) {
	if o.image == nil {
		return nil
	}
	s := o.image.functions()
	for i := range s.Functions {
		y := &s.Functions[i]
		if name := s.Name(y); match(name) {
			list = append(list, Function{Object: o, Name: name, Addr: y.Low, Size: y.High - y.Low, Indirect: y.Indirect})
		}
	}
	return list
}

// Close gives back what the Unwinder holds, which cannot be used any more. Its
// Objects remain valid as data.
func (u *Unwinder) Close() error {
	u.objects.close()
	u.table.clear()
	return nil
}
