package syscalls

import "strconv"

// A decoder writes the text of an argument.
type decoder func(c *Call, v uint64)

// A when says at which end of a call an argument is decoded.
type when uint8

const (
	atEntry when = iota // what the program tells the kernel
	atExit              // what the kernel tells the program: an address if the call failed
	atBoth              // what the kernel changes: decoded twice, the second text counts
)

// A param is an argument of a call.
type param struct {
	name     string
	arg      int // the register
	when     when
	decode   decoder
	only     func(c *Call) bool // the call has the argument; nil: it always has
	labelled bool               // strace tells its name
	path     bool               // it is a path
}

// A format is how a result is written.
type format uint8

const (
	inDecimal format = iota
	inHex
	inOctal
	asDescriptor
)

// A row is what is known of a system call.
type row struct {
	params []param
	as     format
	result func(c *Call) // adds to the result, if the call did not fail
}

// byPlace is the register of an argument that is in its place.
const byPlace = -1

// params are the arguments of a call, in the order in which they are shown.
func params(list ...param) []param {
	if list == nil {
		return []param{}
	}
	for i := range list {
		if list[i].arg == byPlace {
			list[i].arg = i
		}
	}
	return list
}

func in(name string, d decoder) param { return param{arg: byPlace, name: name, decode: d} }
func out(name string, d decoder) param {
	return param{arg: byPlace, name: name, decode: d, when: atExit}
}
func both(name string, d decoder) param {
	return param{arg: byPlace, name: name, decode: d, when: atBoth}
}
func path(name string) param {
	return param{arg: byPlace, name: name, decode: (*Call).path, path: true}
}

// from is the argument in another register than its place says.
func (p param) from(arg int) param { p.arg = arg; return p }

// given is the argument of some calls only.
func (p param) given(only func(c *Call) bool) param { p.only = only; return p }

// label is the argument with its name.
func (p param) label() param { p.labelled = true; return p }

// raw are arguments that are not decoded.
func raw(n int) []param {
	list := make([]param, n)
	for i := range list {
		list[i] = param{name: "arg" + strconv.Itoa(i), arg: i, decode: hexadecimal}
	}
	return list
}

// others are the rows of calls that are not decoded, by how many arguments they have.
var others = [7]row{{raw(0), 0, nil}, {raw(1), 0, nil}, {raw(2), 0, nil}, {raw(3), 0, nil}, {raw(4), 0, nil}, {raw(5), 0, nil}, {raw(6), 0, nil}}

// rowOf is what is known of a call.
func rowOf(number uint64) *row {
	switch {
	case number < uint64(len(rows)) && rows[number].params != nil:
		return &rows[number]
	case number < uint64(len(undecoded)) && names[number] != "":
		return &others[undecoded[number]]
	}
	return &others[6]
}

// Name is the name of a system call: openat, or syscall_0x1f4 where the table has none.
func Name(number uint64) string {
	if number < uint64(len(names)) && names[number] != "" {
		return names[number]
	}
	return "syscall_0x" + strconv.FormatUint(number, 16)
}
