package expression

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// A parameter is one of a function.
type parameter struct {
	name  string
	entry debuginfo.Entry
}

// parameters are those of a function.
func (a *Arguments) parameters(function debuginfo.Entry) []parameter {
	params, known := a.params[function]
	if !known {
		for e := range function.Children() {
			if e.Tag() == dwarf.TagFormalParameter {
				params = append(params, parameter{e.Name(), e})
			}
		}
		a.params[function] = params
	}
	return params
}

// isName matches names; other parameters are those that a compiler has made.
var isName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// Calls are what a frame at a stretch of code is in.
type Calls struct {
	Low, High uint64
	Functions []Called // the innermost first
}

// Called is a function with what its arguments are at a stretch of code.
type Called struct {
	Name      string // "" unknown
	Arguments []Argument
}

// An Argument is that of a parameter.
type Argument struct {
	Name   string
	Code   *Code // nil: it is not known natively
	Plural bool  // it is no single number
}

// mostScopes bounds how many scopes are looked at for a stretch.
const mostScopes = 4

// ErrTooMuch says that an object has more code than was permitted.
var ErrTooMuch = errors.New("the program has too much code")

// Arguments are the calls of all code of the object, in the order of their addresses; at most so many: ErrTooMuch.
func (o *Object) Arguments(most int) ([]Calls, error) {
	a := o.NewArguments()
	var all []Calls
	scopes := o.data.NewScopes()
	looked := 0
	for _, r := range o.code(Meant{}, func(debuginfo.Entry) bool { return true }) {
		for pc := r.low; pc < r.high; {
			// Several scopes can be one stretch.
			if looked++; looked > mostScopes*most {
				return nil, ErrTooMuch
			}
			s := scopes.At(pc)
			end := min(s.High, r.high)
			functions := activations(s)
			if len(functions) == 0 || end <= pc {
				pc = max(end, pc+1)
				continue
			}
			for pc < end {
				c := a.between(pc, pc, end, functions)
				if n := len(all); n > 0 && all[n-1].High == c.Low && slices.EqualFunc(all[n-1].Functions, c.Functions, Called.equal) {
					all[n-1].High = c.High
				} else if all = append(all, c); len(all) > most {
					return nil, ErrTooMuch
				}
				pc = c.High
			}
		}
	}
	return all, nil
}

func (f Called) equal(g Called) bool {
	return f.Name == g.Name && slices.Equal(f.Arguments, g.Arguments)
}

// Arguments compiles those of functions of an object, each once for the addresses for which it holds.
type Arguments struct {
	o      *Object
	known  map[debuginfo.Entry][]argument // by the entries of parameters
	names  map[debuginfo.Entry]string
	params map[debuginfo.Entry][]parameter // by the entries of functions
}

// NewArguments compiles those of functions as they are asked for.
func (o *Object) NewArguments() *Arguments {
	return &Arguments{o: o, known: map[debuginfo.Entry][]argument{}, names: map[debuginfo.Entry]string{}, params: map[debuginfo.Entry][]parameter{}}
}

// At are the calls of the code around an address.
func (a *Arguments) At(pc uint64) Calls {
	s := a.o.data.ScopeAt(pc)
	return a.between(pc, s.Low, s.High, activations(s))
}

// argument is that of a parameter for the addresses for which it holds.
type argument struct {
	low, high uint64
	Argument
}

// between are the calls of the code around an address, from low and up to high at most.
func (a *Arguments) between(pc, low, high uint64, functions []debuginfo.Entry) Calls {
	c := Calls{Low: low, High: high}
	if len(functions) == 0 {
		return c
	}
	whole := functions[len(functions)-1]
	for _, f := range functions {
		name, ok := a.names[f]
		if !ok {
			name = CallName(f)
			a.names[f] = name
		}
		called := Called{Name: name}
		for _, p := range a.parameters(f) {
			if l := whole.Language(); !isName.MatchString(p.name) || !l.CFamily() && dialects[l] == nil {
				called.Arguments = append(called.Arguments, Argument{Name: p.name})
				continue
			}
			arg := a.argument(p, f, whole, pc)
			c.Low, c.High = max(c.Low, arg.low), min(c.High, arg.high)
			called.Arguments = append(called.Arguments, arg.Argument)
		}
		c.Functions = append(c.Functions, called)
	}
	return c
}

// argument is that of a parameter at an address. It depends on that by locations alone, so that it holds as far as they do.
func (a *Arguments) argument(p parameter, function, whole debuginfo.Entry, pc uint64) argument {
	known := a.known[p.entry]
	if i := slices.IndexFunc(known, func(k argument) bool { return k.low <= pc && pc < k.high }); i >= 0 {
		return known[i]
	}
	c := &compiler{
		object: a.o, types: a.o.types, pc: pc, high: debuginfo.Always,
		blocks: []debuginfo.Entry{function}, whole: whole, unit: whole.Unit(), dialect: dialects[whole.Language()],
	}
	arg := argument{Argument: Argument{Name: p.name}}
	code, err := c.argument(p.entry)
	if err == nil {
		arg.Plural = code.Type.Plural()
		if !arg.Plural && len(code.Gone) == 0 {
			code.Low = pc
			arg.Code = code
		}
	}
	arg.low, arg.high = c.low, c.high
	a.known[p.entry] = append(known, arg)
	return arg
}

func (c *compiler) argument(e debuginfo.Entry) (*Code, error) {
	p, err := c.variable(variable{entry: e})
	if err != nil {
		return nil, err
	}
	return c.finish(p)
}

// CallName is the name of a function in a call path; "" if it is unknown.
func CallName(f debuginfo.Entry) string {
	symbol := f.Linkage()
	for range mostNested {
		o := f.Origin()
		if !o.OK() {
			break
		}
		f = o
	}
	if f.Language() == debuginfo.Ada && f.Name() != "" {
		return funcname.DemangleAda(f.Name())
	}
	if path := f.Path(); path != nil {
		return strings.Join(path, "::")
	}
	return cmp.Or(symbol, f.Name())
}
