package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	values "github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/object"
	executor "github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/pct/data"
)

// A native tells whether the library can evaluate all expressions: then it has their plans in a file.
type native struct {
	plans string // the file; "" if the library cannot
	large bool   // it cannot, as the program has too much code
}

// ours reports whether all expressions are of the program that is started, or the arguments of functions are wanted, and
// nothing is asked for that takes another collector than the library.
func (o *options) ours() bool {
	if len(o.expressions) == 0 && !o.args || o.gdb || o.limited() || o.clock != "best" {
		return false
	}
	path, ok := executable(o.program[0])
	names := []string{filepath.Base(o.program[0]), filepath.Base(path)}
	return ok && !slices.ContainsFunc(o.expressions, func(e expression) bool { return !e.matches(names) })
}

// askNative compiles the expressions. Whatever stands in the way is left to dbctl, which says what is wrong.
func askNative(p *session, t *target, _ *rights) error {
	t.native = &native{}
	b, err := compile(p.options)
	if err != nil {
		t.native.large = errors.Is(err, values.ErrTooMuch)
		return nil
	}
	file := p.tmp + "/plans"
	// Programs that take another user read it, too.
	if err := os.WriteFile(file, b, 0o644); err != nil {
		return err
	}
	t.native.plans = file
	return nil
}

// compile makes the file of plans for the program that is started. Damaged debug data lead to an error, and
// so does a file that becomes shorter while it is mapped.
func compile(o *options) (plans []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("the debug data are damaged: %v", wrong)
		}
	}()
	path, _ := executable(o.program[0])
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	main, err := openModule(path)
	if err != nil {
		return nil, err
	}
	defer main.close()
	switch {
	case main.file.Interpreter() == "":
		return nil, errors.New("it is static")
	case main.object == nil:
		return nil, errors.New("it has no debug data")
	case main.file.IsGo():
		return nil, errors.New("it is in Go, whose functions do not preserve registers")
	}
	c := &compiler{module: main, numbers: map[string]int{}}
	if o.args {
		return c.arguments()
	}
	for i, e := range o.expressions {
		if err := c.add(i, e); err != nil {
			return nil, err
		}
	}
	return executor.File(len(o.expressions), false, data.ValuesHead(c.fields, nil), []executor.Object{main.planned(executor.Stretches(c.uses))})
}

// A compiler puts the plans of expressions together.
type compiler struct {
	*module
	uses    []executor.Ranged
	fields  []data.PlanField
	numbers map[string]int // of fields
	most    int            // bytes of all values of a sample
}

func (c *compiler) add(number int, e expression) error {
	functions, err := values.NewMeant(e.function)
	if err != nil {
		return err
	}
	codes, err := c.object.Ranges(e.text, functions)
	if err != nil {
		return err
	}
	if err := c.covered(codes, functions); err != nil {
		return err
	}
	most := 0
	for _, code := range codes {
		n, err := executor.Fits(code.Code)
		if err != nil {
			return err
		}
		most = max(most, n)
		field, err := c.field(e.field, code)
		if err != nil {
			return err
		}
		c.uses = append(c.uses, executor.Ranged{Low: code.Low, High: code.High, Use: executor.Use{Expression: number, Plan: field, Code: code.Code, Entries: c.object.Entries(code.Low, code.Code)}})
	}
	const head = 16 // of a value, with its padding
	if c.most += most + head; c.most > executor.MostWritten {
		return errors.New("the values are too large")
	}
	return nil
}

// covered sees that there is debug data for all functions that are meant, and that they are in the program alone.
func (c *compiler) covered(codes []*values.Code, functions values.Meant) error {
	if len(codes) == 0 {
		return errors.New("there is no such function with debug data")
	}
	for _, s := range c.file.FunctionSymbols() {
		if functions.Symbol(s.Name) && !slices.ContainsFunc(codes, func(code *values.Code) bool { return code.Low <= s.Value && s.Value < code.High }) {
			return fmt.Errorf("%s has no debug data", s.Name)
		}
	}
	// A function that is named is one of the program's.
	if functions.Named() {
		return nil
	}
	libraries, err := c.libraries()
	if err != nil {
		return err
	}
	for _, path := range libraries {
		f, err := object.Open(path)
		if err != nil {
			return err
		}
		for _, s := range f.FunctionSymbols() {
			if functions.Symbol(s.Name) {
				f.Close()
				return fmt.Errorf("the pattern matches %s of %s as well", s.Name, path)
			}
		}
		f.Close()
	}
	return nil
}

// field is the number of the field of what a code writes; "" is the name of arguments.
func (c *compiler) field(name string, code *values.Code) (int, error) {
	described, err := code.Type.Describe()
	if err != nil {
		return 0, err
	}
	key := fmt.Sprint(name, "\x00", string(described), "\x00", code.Gone)
	n, ok := c.numbers[key]
	if !ok {
		// The last number marks frames.
		if n = len(c.fields); n >= 1<<16-1 {
			return 0, errors.New("the values are of too many kinds")
		}
		c.numbers[key] = n
		c.fields = append(c.fields, data.PlanField{Name: name, Type: described, Gone: code.Gone})
	}
	return n, nil
}
