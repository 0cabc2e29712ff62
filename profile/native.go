package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"

	values "github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	executor "github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/pct/data"
)

// A native tells whether the library can evaluate all expressions: then it has their plans in a file.
type native struct {
	plans string // the file; "" if the library cannot
}

// ours reports whether all expressions are of the program that is started, and nothing is asked for that takes
// another collector than the library.
func (o *options) ours() bool {
	if len(o.expressions) == 0 || o.gdb || o.limited() || o.clock != "best" {
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
	f, err := object.Map(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Interpreter() == "" {
		return nil, errors.New("it is static")
	}
	g := object.Installed().DebugFile(f)
	if g == nil {
		return nil, errors.New("it has no debug data")
	}
	if g != f {
		defer g.Close()
	}
	c := &compiler{file: f, object: values.NewObject(debuginfo.Open(object.Installed(), g, f.LowestCode())), numbers: map[string]int{}}
	for i, e := range o.expressions {
		if err := c.add(i, e); err != nil {
			return nil, err
		}
	}
	id, err := hex.DecodeString(f.BuildID())
	if err != nil {
		return nil, err
	}
	thread, _ := f.ThreadOffset()
	return executor.File(len(o.expressions), data.ValuesHead(c.fields), []executor.Object{{ID: id, Path: path, Thread: thread, Stretches: executor.Stretches(c.uses)}})
}

// A compiler puts the plans of expressions together.
type compiler struct {
	file    *object.File
	object  *values.Object
	uses    []executor.Ranged
	fields  []data.PlanField
	numbers map[string]int // of fields
	most    int            // bytes of all values of a sample
}

func (c *compiler) add(number int, e expression) error {
	// Of a pattern nobody knows here which functions of libraries it is for as well.
	if name, whole := regexp.MustCompile(e.function).LiteralPrefix(); !whole || name == "" {
		return errors.New("the function is a pattern")
	}
	functions := values.NewMeant(e.function)
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
		c.uses = append(c.uses, executor.Ranged{Low: code.Low, High: code.High, Use: executor.Use{Expression: number, Plan: field, Code: code.Code, Entries: c.entries(code)}})
	}
	const head = 16 // of a value, with its padding
	if c.most += most + head; c.most > executor.MostWritten {
		return errors.New("the values are too large")
	}
	return nil
}

// entries are what the callers passed in the registers that a code asks for.
func (c *compiler) entries(code *values.Code) map[int64][]executor.Site {
	all := map[int64][]executor.Site{}
	for _, i := range code.Code {
		if i.Op == executor.Entry && all[i.Arg] == nil {
			all[i.Arg] = c.object.Sites(code.Low, int(i.Arg))
		}
	}
	return all
}

// covered sees that there is debug data for all functions of that name.
func (c *compiler) covered(codes []*values.Code, functions values.Meant) error {
	if len(codes) == 0 {
		return errors.New("there is no such function with debug data")
	}
	for _, s := range c.file.FunctionSymbols() {
		if functions.Symbol(s.Name) && !slices.ContainsFunc(codes, func(code *values.Code) bool { return code.Low <= s.Value && s.Value < code.High }) {
			return fmt.Errorf("%s has no debug data", s.Name)
		}
	}
	return nil
}

// field is the number of the field of what a code writes.
func (c *compiler) field(name string, code *values.Code) (int, error) {
	described, err := code.Type.Describe()
	if err != nil {
		return 0, err
	}
	key := fmt.Sprint(name, "\x00", string(described), "\x00", code.Gone)
	n, ok := c.numbers[key]
	if !ok {
		if n = len(c.fields); n > 1<<16-1 {
			return 0, errors.New("the values are of too many kinds")
		}
		c.numbers[key] = n
		c.fields = append(c.fields, data.PlanField{Name: name, Type: described, Gone: code.Gone})
	}
	return n, nil
}
