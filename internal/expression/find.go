package expression

import (
	"debug/dwarf"
	"regexp"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/value"
)

// findIn is find for a dialect: in the innermost block, outwards, then in the packages or modules around the function.
func (c *compiler) findIn(name string) (variable, error) {
	path := pathOf(name)
	if len(path) == 1 && !strings.HasPrefix(name, "::") {
		if v, ok := c.local(name); ok {
			return v, nil
		}
		if v, ok, err := c.aroundFunction(name); ok || err != nil {
			return v, err
		}
	}
	for _, full := range c.qualifiedBy(path) {
		if v, ok := c.outside(full); ok {
			return v, nil
		}
	}
	if c.dialect.language == value.Fortran {
		if v, ok := c.used(path); ok {
			return v, nil
		}
		if v, ok := c.outside(path); ok {
			return v, nil
		}
	}
	return variable{}, unknown(name)
}

// used looks for a name by what the function uses, and the functions and modules around it.
func (c *compiler) used(path []string) (variable, bool) {
	users := append(slices.Clone(c.blocks), c.unit)
	for f := c.function().Outer(); f.OK(); f = f.Outer() {
		users = append(users, f)
	}
	around := c.namespaces()
	for n := len(around); n > 0; n-- {
		users = slices.AppendSeq(users, c.data().Named(around[:n]...))
	}
	for _, user := range users {
		if v, ok := c.usedBy(user, path, 0); ok {
			return v, true
		}
	}
	return variable{}, false
}

// usedBy looks in what a block or module uses, which has the names of what that uses, too.
func (c *compiler) usedBy(user debuginfo.Entry, path []string, depth int) (variable, bool) {
	for _, full := range imported(user, path) {
		if v, ok := c.outside(full); ok {
			return v, true
		}
		if n := len(full) - len(path); n > 0 && depth < mostNested {
			for module := range c.data().Named(full[:n]...) {
				if v, ok := c.usedBy(module, path, depth+1); ok {
					return v, true
				}
			}
		}
	}
	return variable{}, false
}

// qualifiedBy are the whole names that a name may have where the function is, the nearest first.
func (c *compiler) qualifiedBy(path []string) [][]string {
	around := c.namespaces()
	var all [][]string
	switch c.dialect.language {
	case value.Rust:
		switch {
		case path[0] == "crate" && len(around) > 0:
			return [][]string{append(around[:1:1], path[1:]...)}
		case path[0] == "super":
			return nil
		case path[0] == "self":
			path = path[1:]
		}
		// A name is of the module that the function is in, not of those around that.
		return append(all, append(around[:c.modules(around):len(around)], path...), path)
	case value.Go:
		// What a function literal takes from around it need not be known, and hides what is in the package.
		if len(path) > 1 || strings.Contains(path[0], ".") || closures.MatchString(c.functionName()) {
			return append(all, path)
		}
		return append(all, []string{c.goPackage() + "." + path[0]})
	case value.Ada:
		for in := c.functionName(); len(path) == 1; {
			i := strings.LastIndex(in, "__")
			if i < 0 {
				break
			}
			in = in[:i]
			all = append(all, []string{in + "__" + path[0]})
		}
		if strings.Contains(path[0], "__") {
			all = append(all, path)
		}
		return all // what a unit uses is not known
	}
	for n := len(around); n > 0; n-- {
		all = append(all, append(around[:n:n], path...))
	}
	return all
}

// closures matches the names of function literals of Go, and of what is in them.
var closures = regexp.MustCompile(`\.func[0-9]|-range[0-9]`)

// modules is how many of the names around the function are those of modules, not of types.
func (c *compiler) modules(around []string) int {
	n := 0
	for n < len(around) && !strings.HasPrefix(around[n], "{") {
		is := false
		for e := range c.data().Named(around[:n+1]...) {
			is = is || e.Tag() == dwarf.TagNamespace
		}
		if !is {
			break
		}
		n++
	}
	return n
}

// function is the entry of the function, of which that of the activation may be a copy.
func (c *compiler) function() debuginfo.Entry {
	if len(c.blocks) == 0 {
		return debuginfo.Entry{}
	}
	f := c.blocks[0]
	for range mostNested {
		o := f.Origin()
		if !o.OK() {
			break
		}
		f = o
	}
	return f
}

func (c *compiler) functionName() string { return c.function().Name() }

// goPackage is the package of the function: its name up to the first dot behind the last slash.
func (c *compiler) goPackage() string {
	name := c.functionName()
	slash := strings.LastIndexByte(name, '/') + 1
	before, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + before
}

// aroundFunction looks in the functions that the function stands in. What is in their frames is refused: it hides what
// is outside of them.
func (c *compiler) aroundFunction(name string) (variable, bool, error) {
	for f := c.function().Outer(); f.OK(); f = f.Outer() {
		if v, ok := c.staticIn(f, name, 0); ok {
			return v, true, nil
		}
		if _, ok := c.inBlock(f, name); ok {
			return variable{}, false, refusef("a variable of an enclosing function")
		}
	}
	return variable{}, false, nil
}

// storedByGo reports whether a variable of Go is where its location says: its compiler does not tell that the function
// has not stored its parameters yet, nor that it is about to begin anew on a larger stack. The code is narrowed to where
// that does not change. The code for the stack is the last one of a function, and of its first line.
func (c *compiler) storedByGo(e debuginfo.Entry, list []debuginfo.Location) (bool, error) {
	if e.Tag() != dwarf.TagFormalParameter && e.Tag() != dwarf.TagVariable || !c.whole.OK() || len(list) > 0 && len(list[0].Expr) > 0 && list[0].Expr[0] == dwAddr {
		return true, nil
	}
	low, high := c.extent()
	body, end := low, c.data().FirstAgain(low, high)
	if e.Tag() == dwarf.TagFormalParameter && len(list) == 1 && list[0].High == debuginfo.Always {
		if body = c.data().SecondLine(low, high); body == low {
			return false, refusef("a parameter of a function written in one line")
		}
	}
	if end <= low {
		end = high
	}
	switch {
	case c.pc < body:
		c.high = min(c.high, body)
		return false, nil
	case c.pc >= end && c.pc < high:
		c.low = max(c.low, end)
		return false, nil
	}
	c.low, c.high = max(c.low, body), min(c.high, end)
	return true, nil
}
