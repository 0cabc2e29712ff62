package session

import (
	"debug/elf"
	"regexp"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/unwind"
)

// debugData are the debug data of the objects of a tree, each opened once; any goroutine may ask. The files
// stay mapped until the command ends.
type debugData struct {
	mu      sync.Mutex
	objects map[fileID]*debugObject
}

// of is what the file at a path has, which is to be of this build; nil if it can't be read.
func (d *debugData) of(path, build string) *debugObject {
	id, err := identify(path)
	if err != nil {
		return nil
	}
	d.mu.Lock()
	if d.objects == nil {
		d.objects = make(map[fileID]*debugObject)
	}
	o := d.objects[id]
	if o == nil {
		o = &debugObject{path: path}
		d.objects[id] = o
	}
	d.mu.Unlock()
	o.once.Do(o.open)
	if o.file == nil || build != "" && o.file.BuildID() != build {
		return nil
	}
	return o
}

// prepare reads what the first evaluations will want of the file at a path, so that no stop lasts longer for
// it: it compiles each expression in a function that matches, once for a file, however often that is executed.
func (d *debugData) prepare(path string, evals []evaluation) {
	if interpreter, err := interpreterOf(path); err == nil {
		d.of(interpreter, "") // it runs before the program
	}
	o := d.of(path, "")
	if o == nil || o.object == nil {
		return
	}
	var functions []elf.Symbol
	o.guarded(func() {
		evals = slices.DeleteFunc(slices.Clone(evals), func(e evaluation) bool { return slices.Contains(o.prepared, e) })
		if len(evals) == 0 {
			return
		}
		o.prepared = append(o.prepared, evals...)
		o.tables.Lock()
		defer o.tables.Unlock()
		functions = o.file.FunctionSymbols()
	})
	for _, e := range evals {
		m, err := newMatcher(e.function)
		if err != nil {
			continue
		}
		at := slices.IndexFunc(functions, func(s elf.Symbol) bool { return s.Size > 0 && m.match(s.Name) })
		if at >= 0 {
			o.guarded(func() {
				vaddr := functions[at].Value + functions[at].Size/2
				if s := o.scopeAt(vaddr); len(s.functions) > 0 {
					o.code(s, s.outermost(), e.expression, vaddr)
				}
			})
		}
	}
}

// A debugObject is one object's debug data, and what was compiled by them.
type debugObject struct {
	path  string
	once  sync.Once
	file  *object.File // of once; nil: it can't be read
	debug *object.File // of once: the file with the debug data, nil if there are none

	tables       sync.Mutex // of the files' symbol tables while they are read
	pointeesOnce sync.Once
	pointees     *object.Pointees // of pointeesOnce, nil if the tables are damaged

	mu      sync.Mutex // of all below, the types and codes in it too
	data    *debuginfo.Data
	object  *expression.Object // nil: there are no debug data
	isGo    bool
	scopes  []*scope // by address
	args    *expression.Arguments
	passed  map[passing][]plan.Instr
	results map[uint64]*expression.Code // of functions, by where they begin; nil values: refused

	described map[*value.Type][]byte
	compiled  map[*expression.Code]*compiled

	prepared []evaluation // by prepare
}

// passing is a register at a call that returns to an address, of a function that begins at low.
type passing struct {
	returns, low uint64
	register     int
}

func (o *debugObject) open() {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			o.object = nil // the file is damaged, or became shorter
		}
	}()
	f, err := object.Map(o.path)
	if err != nil {
		return
	}
	o.file, o.isGo = f, f.IsGo()
	if o.debug = object.Installed().DebugFile(f); o.debug != nil {
		o.data = debuginfo.Open(object.Installed(), o.debug, f.LowestCode())
		o.object = expression.NewObject(o.data)
		o.args = o.object.NewArguments()
	}
}

// guarded does something with the debug data, the object locked. It reports false if they are wrong: damaged, or
// of a file that became shorter while it was mapped.
func (o *debugObject) guarded(work func()) (ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	work()
	return true
}

// A scope is a stretch of code whose instructions are in the same functions and blocks.
type scope struct {
	low, high uint64
	functions []inScope   // the innermost inlined one first; none where no function is known
	entry     uint64      // where the outermost begins
	ranges    [][2]uint64 // of code of the outermost
	language  debuginfo.Language
	symbol    *string // of the outermost, once it was looked for
	differs   bool    // the symbol is that of another function
	codes     map[codeKey][]stretch
	calls     []*expression.Calls // the functions with their arguments, where these were wanted
}

// inScope is a function that code belongs to, by all names that it has.
type inScope struct{ names []string }

type codeKey struct {
	function   int // number of the scope's
	expression string
}

// A stretch is a part of a scope for which an expression is compiled, or refused.
type stretch struct {
	low, high uint64
	compiled  *compiled
	refused   error
}

// writes reports whether an expression would change the program, as far as its operators tell.
func writes(l debuginfo.Language, text string) bool {
	switch {
	case l.CFamily():
		return expression.Writes(text)
	case l == debuginfo.Ada || l == debuginfo.Pascal: // = compares
		return strings.Contains(text, ":=")
	}
	return assignment.MatchString(text)
}

// assignment is a = that does not compare.
var assignment = regexp.MustCompile(`(^|[^=!<>/:])=([^=]|$)|<<=|>>=|\+\+|--`)

// scopeAt is the scope of an address of the object. The object is locked.
func (o *debugObject) scopeAt(vaddr uint64) *scope {
	i := sort.Search(len(o.scopes), func(i int) bool { return o.scopes[i].high > vaddr })
	if i < len(o.scopes) && o.scopes[i].low <= vaddr {
		return o.scopes[i]
	}
	around := o.data.ScopeAt(vaddr)
	s := &scope{low: around.Low, high: around.High, codes: make(map[codeKey][]stretch)}
	if len(around.Blocks) == 0 {
		s.low, s.high = vaddr, vaddr+1
	} else {
		for _, e := range o.object.Activations(vaddr) {
			s.functions = append(s.functions, inScope{namesOf(e)})
		}
		around.Blocks[0].Ranges(func(low, high uint64) { s.ranges = append(s.ranges, [2]uint64{low, high}) })
		s.entry, _ = around.Blocks[0].Begins()
		s.language = around.Blocks[0].Language()
	}
	o.scopes = append(o.scopes, nil)
	copy(o.scopes[i+1:], o.scopes[i:])
	o.scopes[i] = s
	return s
}

// outermost is the number of the function that is not inlined.
func (s *scope) outermost() int { return len(s.functions) - 1 }

// covers reports whether the scope's function that is not inlined has code at an address.
func (s *scope) covers(vaddr uint64) bool {
	return slices.ContainsFunc(s.ranges, func(r [2]uint64) bool { return r[0] <= vaddr && vaddr < r[1] })
}

// code is that of an expression in one of the functions of a scope. The object is locked.
func (o *debugObject) code(s *scope, function int, text string, vaddr uint64) (*compiled, error) {
	key := codeKey{function, text}
	for _, c := range s.codes[key] {
		if c.low <= vaddr && vaddr < c.high {
			return c.compiled, c.refused
		}
	}
	c := stretch{low: vaddr, high: vaddr + 1}
	var code *expression.Code
	if code, c.refused = o.object.Compile(text, vaddr, function); c.refused == nil {
		c.compiled = o.compiledFor(code)
		c.low, c.high = max(s.low, code.Low), min(s.high, code.High)
	}
	s.codes[key] = append(s.codes[key], c)
	return c.compiled, c.refused
}

// callsAt are the functions of a scope at an address, with their arguments. The object is locked.
func (o *debugObject) callsAt(s *scope, vaddr uint64) *expression.Calls {
	i := slices.IndexFunc(s.calls, func(c *expression.Calls) bool { return c.Low <= vaddr && vaddr < c.High })
	if i < 0 {
		i = len(s.calls)
		c := o.args.At(vaddr)
		s.calls = append(s.calls, &c)
	}
	return s.calls[i]
}

// compiledFor is a code with the description of its type. The object is locked.
func (o *debugObject) compiledFor(code *expression.Code) *compiled {
	c := o.compiled[code]
	if c == nil {
		c = &compiled{code, o.description(code.Type)}
		if o.compiled == nil {
			o.compiled = make(map[*expression.Code]*compiled)
		}
		o.compiled[code] = c
	}
	return c
}

// description is that of a type, nil if it has none. The object is locked.
func (o *debugObject) description(t *value.Type) []byte {
	d, known := o.described[t]
	if !known {
		var err error
		if d, err = t.Describe(); err != nil {
			d = nil
		}
		if o.described == nil {
			o.described = make(map[*value.Type][]byte)
		}
		o.described[t] = d
	}
	return d
}

// passes is the code, for the caller's frame, that writes what a register held at a call; nil if the
// caller does not tell. The object is locked.
func (o *debugObject) passes(p passing) []plan.Instr {
	code, known := o.passed[p]
	if !known {
		code, _ = o.object.Passed(p.returns, p.register, p.low)
		if o.passed == nil {
			o.passed = make(map[passing][]plan.Instr)
		}
		o.passed[p] = code
	}
	return code
}

// returned is the code of what a function returns, which begins at an address; nil if that is refused, and
// known is false where the debug data do not know the function. The object is locked.
func (o *debugObject) returned(vaddr uint64) (code *expression.Code, known bool) {
	code, known = o.results[vaddr]
	if known {
		return code, true
	}
	s := o.scopeAt(vaddr)
	if len(s.functions) == 0 || s.entry != vaddr || !s.language.CFamily() {
		return nil, false
	}
	code, _ = o.object.Result(vaddr)
	if o.results == nil {
		o.results = make(map[uint64]*expression.Code)
	}
	o.results[vaddr] = code
	return code, true
}

// namesOf are the names of a function: its symbol and its qualified name in the source, as far as the
// debug data tell.
func namesOf(e debuginfo.Entry) []string {
	var names []string
	if symbol := e.Linkage(); symbol != "" {
		names = append(names, symbol)
	}
	for range mostOrigins {
		o := e.Origin()
		if !o.OK() {
			break
		}
		e = o
	}
	path := e.Path()
	switch l := e.Language(); {
	case l == debuginfo.Ada && e.Name() != "":
		name := funcname.DemangleAda(e.Name())
		return append(names, name[strings.LastIndexByte(name, '.')+1:], name)
	case path != nil && l == debuginfo.Fortran:
		return append(names, path[len(path)-1], strings.Join(path, "::"))
	case path != nil:
		return append(names, strings.Join(path, "::"))
	}
	if name := e.Name(); name != "" && len(names) == 0 {
		names = append(names, name)
	}
	return names
}

// mostOrigins bounds how far an inlined copy leads to the function that it is of.
const mostOrigins = 8

// debugOf are the debug data of an object of the process; nil if there are none.
func (p *process) debugOf(o *unwind.Object) *debugObject {
	if d := p.fileOf(o); d != nil && d.object != nil {
		return d
	}
	return nil
}

// fileOf is what the file of an object of the process has; nil if it has none.
func (p *process) fileOf(o *unwind.Object) *debugObject {
	if o == nil || o.Kind != unwind.File {
		return nil
	}
	d, known := p.files[o]
	if !known {
		if path := p.mappedAs(o); o.BuildID != "" || o.Path == p.exe || o.MappedFrom(path) {
			d = p.tree.debugData.of(path, o.BuildID)
		}
		p.files[o] = d
	}
	return d
}

// mappedAs is a path that leads to the file of an object: its own, if it is the same file for us, by
// which files beside it are found.
func (p *process) mappedAs(o *unwind.Object) string {
	name := proc.Entry(p.pid, "root"+o.Path)
	if o.Path == p.exe {
		name = proc.Entry(p.pid, "exe")
	}
	mapped, err := identify(name)
	if own, e := identify(o.Path); err == nil && e == nil && own == mapped {
		return o.Path
	}
	return name
}
