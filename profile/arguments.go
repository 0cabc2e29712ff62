package main

import (
	"strings"

	values "github.com/profilecollection/pct/internal/expression"
	executor "github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/pct/data"
)

// mostStretches bounds the stretches of code with arguments: dbctl samples those of larger programs.
const mostStretches = 1 << 16

// arguments makes the file of plans for the arguments of all functions of the program, and of the libraries that it is
// loaded with and that have debug data themselves.
func (c *compiler) arguments() ([]byte, error) {
	a := &argumentCompiler{compiler: c, lists: map[string]int{}, known: map[*values.Code]executor.Use{}}
	stretches, err := a.stretches(c.module)
	if err != nil {
		return nil, err
	}
	objects := []executor.Object{c.planned(stretches)}
	libraries, err := c.libraries()
	if err != nil {
		return nil, err
	}
	for _, path := range libraries {
		own, err := hasDebugData(path)
		if err != nil {
			return nil, err
		}
		if !own {
			continue
		}
		m, err := openModule(path)
		if err != nil {
			return nil, err
		}
		defer m.close()
		if m.object == nil {
			continue
		}
		if stretches, err = a.stretches(m); err != nil {
			return nil, err
		}
		objects = append(objects, m.planned(stretches))
	}
	return executor.File(0, true, data.ValuesHead(c.fields, a.called), objects)
}

// An argumentCompiler puts the plans of arguments together.
type argumentCompiler struct {
	*compiler
	used   int
	called [][]data.Called // the functions that code is in
	lists  map[string]int  // of these, by what they are
	known  map[*values.Code]executor.Use
}

func (a *argumentCompiler) stretches(m *module) ([]executor.Stretch, error) {
	calls, err := m.object.Arguments(mostStretches - a.used)
	if err != nil {
		return nil, err
	}
	a.used += len(calls)
	all := make([]executor.Stretch, 0, len(calls))
	for _, c := range calls {
		s := executor.Stretch{Low: c.Low, High: c.High}
		var list []data.Called
		for _, f := range c.Functions {
			called := data.Called{Name: f.Name}
			for _, arg := range f.Arguments {
				called.Parameters = append(called.Parameters, data.CalledParameter{Name: arg.Name, Plural: arg.Plural})
				if arg.Plural {
					continue
				}
				use, err := a.use(m, arg.Code)
				if err != nil {
					return nil, err
				}
				s.Uses = append(s.Uses, use)
			}
			list = append(list, called)
		}
		s.Calls = a.list(list)
		all = append(all, s)
	}
	return all, nil
}

// unknown is the code of an argument that has no value there.
var unknown = []executor.Instr{{Op: executor.Fail, Arg: int64(executor.OptimizedOut)}}

// use evaluates an argument.
func (a *argumentCompiler) use(m *module, code *values.Code) (executor.Use, error) {
	u, ok := a.known[code]
	if ok {
		return u, nil
	}
	u = executor.Use{Expression: executor.Argument, Code: unknown}
	if code != nil {
		if _, err := executor.Fits(code.Code); err == nil {
			u.Code, u.Entries = code.Code, m.object.Entries(code.Low, code.Code)
			if u.Plan, err = a.field("", code); err != nil {
				return u, err
			}
		}
	}
	a.known[code] = u
	return u, nil
}

// list is the number of functions that code is in, from 1.
func (a *argumentCompiler) list(list []data.Called) int {
	var key strings.Builder
	for _, f := range list {
		key.WriteString(f.Name + "\x01")
		for _, p := range f.Parameters {
			key.WriteString(p.Name + "\x00")
			if p.Plural {
				key.WriteString("\x02")
			}
		}
	}
	n, ok := a.lists[key.String()]
	if !ok {
		a.called = append(a.called, list)
		n = len(a.called)
		a.lists[key.String()] = n
	}
	return n
}
