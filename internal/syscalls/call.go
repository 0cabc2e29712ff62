package syscalls

// A Memory is that of the process, or a record of it.
type Memory interface {
	// ReadAt reads the bytes at an address, and returns how many of them can be read, from the first on.
	ReadAt(p []byte, addr uint64) int
}

// An Entry is what a thread asks the kernel for: what PTRACE_GET_SYSCALL_INFO and a seccomp stop tell.
type Entry struct {
	Number uint64
	Args   [6]uint64
	Stack  uint64 // the stack pointer, for rt_sigreturn; 0: unknown
}

// What strace shows of a string, of a buffer and of an array by default.
const (
	DefaultBytes    = 32
	DefaultElements = 32
)

// Bounds of one decoding, at the entry or at the exit.
const (
	mostReads = 192   // reads of memory
	mostText  = 65536 // bytes of text; the argument that exceeds them is its address
	mostPath  = 4095
)

// A state is how far a call is.
type state uint8

const (
	entered state = iota // show the arguments known, wait for the result
	left                 // show all
	ended                // the thread did not return from the call: its result is "?"
)

// A Call is one system call of a thread. It is used again for the thread's next one, so that its buffers are.
type Call struct {
	Bytes    int // shown of a string or a buffer; 0: DefaultBytes
	Elements int // shown of an array; 0: DefaultElements

	Paths func(fd int) string // what a descriptor stands for, "" if that is unknown, to be shown: 3</etc/passwd>; nil: numbers alone

	entry  Entry
	row    *row
	state  state
	result int64

	text  []byte // of the arguments, in the order in which they became known
	spans [6]span
	as    format // of the result
	extra []byte // what follows the result, in parentheses
	opens []byte // what a descriptor stands for that is the result
	last  []byte // the text that an argument of both ends had at the entry

	later bool // an argument of both ends shows nothing before the exit

	mem   Memory
	reads int
	size  uint32 // a length in memory at the entry, which the kernel changes: of an address, of an option

	scratch [512]uint64
}

// A span is the text of an argument.
type span struct {
	from, to int
	known    bool
	shown    bool
}

// Enter begins a call, and comes before all else: it decodes all that is known before the kernel does anything.
func (c *Call) Enter(e Entry, mem Memory) {
	c.entry, c.row, c.state, c.result = e, rowOf(e.Number), entered, 0
	c.text, c.extra, c.opens, c.size = c.text[:0], c.extra[:0], c.opens[:0], 0
	c.spans = [6]span{}
	c.mem, c.reads = mem, mostReads
	for i := range c.row.params {
		p := &c.row.params[i]
		c.spans[i].shown = p.only == nil || p.only(c)
		if c.spans[i].shown && p.when != atExit {
			c.later = false
			c.decode(i)
			c.spans[i].known = !c.later
		}
	}
	c.mem = nil
}

// Exit ends a call with what the kernel returned, a value or a negated error: it decodes what only the kernel knew.
func (c *Call) Exit(result int64, mem Memory) {
	c.result, c.state, c.as = result, left, c.row.as
	c.mem, c.reads = mem, mostReads
	for i := range c.row.params {
		if s := &c.spans[i]; s.shown && c.row.params[i].when != atEntry {
			c.decode(i)
			s.known = true
		}
	}
	if c.row.result != nil && !c.failed() {
		c.row.result(c)
	}
	if c.as == asDescriptor && !c.failed() {
		c.opens = c.appendFile(c.opens, int32(result))
	}
	c.mem = nil
}

// End ends a call from which the thread does not return: exit, or death in it.
func (c *Call) End() { c.state = ended }

// decode writes the text of an argument.
func (c *Call) decode(i int) {
	p, s := &c.row.params[i], &c.spans[i]
	v := c.entry.Args[p.arg]
	if c.state == left && p.when == atBoth {
		c.last = append(c.last[:0], c.text[s.from:s.to]...)
	}
	s.from = len(c.text)
	if c.state == left && p.when == atExit && c.failed() {
		c.address(v)
	} else {
		p.decode(c, v)
	}
	if len(c.text) > mostText {
		c.text = c.text[:s.from]
		c.address(v)
	}
	s.to = len(c.text)
}

// failed reports whether the kernel returned an error.
func (c *Call) failed() bool { return c.result < 0 && c.result >= -4095 }

// exiting reports whether the result is known.
func (c *Call) exiting() bool { return c.state == left }

// arg is an argument's register.
func (c *Call) arg(i int) uint64 { return c.entry.Args[i] }

// num is an argument of 32 bits.
func (c *Call) num(i int) uint64 { return uint64(uint32(c.entry.Args[i])) }

// Number is the call's number.
func (c *Call) Number() uint64 { return c.entry.Number }

// Name is the call's name: openat, or syscall_0x1f4 where the kernel is newer than the table.
func (c *Call) Name() string { return Name(c.entry.Number) }

// Args is how many arguments the call has.
func (c *Call) Args() int {
	n := 0
	for i := range c.row.params {
		if c.spans[i].shown {
			n++
		}
	}
	return n
}

// Arg is an argument's name and text, as strace has it; an argument that the kernel fills is not known at the entry.
// The text is that of Call's buffer: it changes with the next Enter.
func (c *Call) Arg(n int) (name string, text []byte, known bool) {
	for i := range c.row.params {
		s := &c.spans[i]
		if !s.shown {
			continue
		}
		if n == 0 {
			return c.row.params[i].name, c.text[s.from:s.to], s.known
		}
		n--
	}
	return "", nil, false
}

// Path is the first path among the arguments, as it is quoted: "" where there is none.
func (c *Call) Path() []byte {
	for i := range c.row.params {
		if s := &c.spans[i]; s.shown && s.known && c.row.params[i].path {
			return c.text[s.from:s.to]
		}
	}
	return nil
}

// Append appends the call as strace prints it: whole after Exit and End, as far as it is known before. Of a call that
// has ended, what only the kernel would have told is "<unfinished ...>".
func (c *Call) Append(b []byte) []byte {
	b = append(b, c.Name()...)
	b = append(b, '(')
	first := true
	for i := range c.row.params {
		s := &c.spans[i]
		if !s.shown {
			continue
		}
		if !first {
			b = append(b, ", "...)
		}
		first = false
		if !s.known {
			if c.state == ended {
				b = append(b, " <unfinished ...>) = ?"...)
			}
			return b
		}
		if c.row.params[i].labelled {
			b = append(b, c.row.params[i].name...)
			b = append(b, '=')
		}
		b = append(b, c.text[s.from:s.to]...)
	}
	if c.state == entered {
		return b
	}
	b = append(b, ") = "...)
	return c.AppendResult(b)
}
