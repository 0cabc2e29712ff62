package data

import (
	"cmp"
	"encoding/binary"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// ArgumentsField is the field of samples with the functions of their call paths up to main, innermost first, each with its
// arguments: "worker(n=1000) <- dispatch_1(a=1000) <- main()". Files have the arguments of frames, of which the
// reader makes the text. A pointer to characters is the text that it leads to.
const ArgumentsField = "args"

// A Called is a function of a frame, as files of values know it.
type Called struct {
	Name       string // "" unknown
	Parameters []CalledParameter
	Bare       bool // its parameters are not known
}

// A CalledParameter has a value in each record, unless it is plural: no single number.
type CalledParameter struct {
	Name   string
	Plural bool
}

// calls are the functions that code is in, innermost first, by the number that records have, from 1.
type calls struct {
	of    [][]Called
	given []givenField // the types of arguments, as the fields of the file are numbered from 0
}

// appendCalls appends lists of functions, of which many have the same ones.
func appendCalls(b []byte, lists [][]Called) []byte {
	numbers := map[string]int{}
	var functions, numbered []byte
	for _, list := range lists {
		numbered = binary.AppendUvarint(numbered, uint64(len(list)))
		for _, f := range list {
			body := binary.AppendUvarint(appendString(nil, f.Name), uint64(len(f.Parameters)))
			for _, p := range f.Parameters {
				body = append(appendString(body, p.Name), 0)
				if p.Plural {
					body[len(body)-1] = 1
				}
			}
			n, ok := numbers[string(body)]
			if !ok {
				n = len(numbers)
				numbers[string(body)] = n
				functions = append(functions, body...)
			}
			numbered = binary.AppendUvarint(numbered, uint64(n))
		}
	}
	b = append(binary.AppendUvarint(b, uint64(len(numbers))), functions...)
	return append(binary.AppendUvarint(b, uint64(len(lists))), numbered...)
}

// calls reads what appendCalls has made.
func (c *cursor) calls() [][]Called {
	var functions []Called
	for range c.uvarint() {
		f := Called{Name: c.kept()}
		for range c.uvarint() {
			f.Parameters = append(f.Parameters, CalledParameter{Name: c.kept(), Plural: c.byte() == 1})
			if c.bad {
				return nil
			}
		}
		if c.bad {
			return nil
		}
		functions = append(functions, f)
	}
	var lists [][]Called
	for range c.uvarint() {
		var list []Called
		for range c.uvarint() {
			n := c.uvarint()
			if c.bad || n >= uint64(len(functions)) {
				c.fail()
				return nil
			}
			list = append(list, functions[n])
		}
		if c.bad {
			return nil
		}
		lists = append(lists, list)
	}
	return lists
}

// called reads the functions of a list, which Writer.Called has made.
func (v *forms) called(c *cursor) bool {
	lists := c.calls()
	if c.bad || len(lists) != 1 {
		return false
	}
	if c.rest != "" && c.byte() == 1 {
		for i := range lists[0] {
			lists[0][i].Bare = true
		}
	}
	v.calls.of = append(v.calls.of, lists[0])
	return true
}

// frameMark stands in a record in place of a value's field: the arguments of a frame follow.
const frameMark, frameNoRoom = 0xffff, 0xffff

// objectFile is the Object.Kind of files.
const objectFile = 0

// argued is a value of ArgumentsField until its text is made: the node of the sample, and values of its record.
func argued(node NodeID, values string) string {
	return string(binary.LittleEndian.AppendUint32(nil, uint32(node))) + values
}

// mostCallText bounds the text of arguments, in bytes: lists of functions may be anybody's.
const mostCallText = 1 << 24

// textOfCalls makes the text.
func (r *Run) textOfCalls(k *calls, written string, names *pointees) string {
	c := cursor{rest: written}
	node := NodeID(c.u32())
	at := map[uint32]cursor{} // by calls out from the innermost
	k.frames(c, func(depth uint32, frame cursor) { at[depth] = frame })
	var all []string
	size := 0
	for depth := uint32(0); node > 0 && size < mostCallText; depth++ {
		n := r.Nodes[node]
		if frame, ok := at[depth]; ok {
			for _, f := range k.of[frame.u32()-1] {
				if size < mostCallText {
					all = append(all, r.textOfCall(k, &frame, f, names))
					size += len(all[len(all)-1])
				}
			}
		} else {
			all = append(all, names.calledAt(n.Object, n.Vaddr))
		}
		if last := all[len(all)-1]; last == "main" || strings.HasPrefix(last, "main(") {
			break
		}
		node = n.Parent
	}
	return JoinCalls(all)
}

// textOfCall is a function with its arguments, whose values are read.
func (r *Run) textOfCall(k *calls, c *cursor, f Called, names *pointees) string {
	if f.Bare {
		return cmp.Or(f.Name, FunctionUnknown)
	}
	t := NewCallText(cmp.Or(f.Name, FunctionUnknown))
	for _, p := range f.Parameters {
		if p.Plural {
			t.Argument(p.Name, ArgumentPlural)
			continue
		}
		number, outcome, written := c.value()
		text := ArgumentUnknown
		switch {
		case outcome != plan.Got || int(number) >= len(k.given) || k.given[number].unread:
		case k.given[number].form == 0:
			text = value.WithoutAddress(written)
		case r.forms.of[k.given[number].form-1].typ != nil:
			form := r.forms.of[k.given[number].form-1]
			if v, ok := value.Decode(form.typ, form.gone, []byte(written)); ok {
				text = value.WithoutAddress(v.Text(names))
			}
		}
		t.Argument(p.Name, text)
	}
	return t.String()
}

// value reads a value of a record.
func (c *cursor) value() (number uint16, outcome plan.Outcome, written string) {
	what, length := c.u32(), c.u32()
	written = c.bytes(uint64(length))
	c.bytes(uint64(-length & 3))
	return uint16(what), plan.Outcome(what >> 16), written
}

// frames calls do for the frames with arguments in the values of a record, the innermost first. It reports whether they
// are whole, and whether they are all: there was room.
func (k *calls) frames(c cursor, do func(depth uint32, frame cursor)) (ok, all bool) {
	for least := uint32(0); c.rest != ""; {
		what := c.u32()
		frame := c
		number := c.u32()
		switch {
		case c.bad || what&frameMark != frameMark:
			return false, false
		case what>>16 == frameNoRoom:
			return c.rest == "", false
		case what>>16 < least || number == 0 || uint64(number) > uint64(len(k.of)):
			return false, false
		}
		least = what>>16 + 1
		do(what>>16, frame)
		for _, f := range k.of[number-1] {
			for _, p := range f.Parameters {
				if !p.Plural {
					c.value()
				}
			}
		}
	}
	return !c.bad, true
}

// calledAt is the name of the function at an address of an object.
func (p *pointees) calledAt(id ObjectID, vaddr uint64) string {
	s, known := p.functions[id]
	if !known {
		s = p.functionsOf(p.objects[id])
		if p.functions == nil {
			p.functions = map[ObjectID]*object.Symbols{}
		}
		p.functions[id] = s
	}
	if y := s.FindFunction(vaddr); y != nil {
		return funcname.Plain(funcname.Demangle(s.Name(y)))
	}
	return FunctionUnknown
}

// functionsOf are the functions of an object whose file is the one that ran.
func (p *pointees) functionsOf(o Object) *object.Symbols {
	if o.Kind != objectFile || o.BuildID == "" {
		return &object.Symbols{}
	}
	f, err := object.Open(o.Path)
	if err != nil {
		return &object.Symbols{}
	}
	defer f.Close()
	if !f.IsBuild(o.BuildID) {
		return &object.Symbols{}
	}
	g := object.Installed().DebugFile(f)
	if g == nil || g == f {
		return object.ReadSymbols(f)
	}
	// It is mapped, and the symbols are to last.
	path := g.Path
	g.Close()
	if g, err = object.Open(path); err != nil {
		return object.ReadSymbols(f)
	}
	defer g.Close()
	return object.ReadSymbols(f, g)
}
