package remote

import (
	"encoding/binary"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// register is one that gdb knows: what its description calls it, how many bits
// it has, and where it comes from.
type register struct {
	name  string
	bits  int
	kind  string // gdb's type
	group string // of those that gdb lists together
	// general gives its place in the kernel's image; nil for those of the
	// floating-point image, of which they are the bytes from float on.
	general func(*unix.PtraceRegs) *uint64
	float   int
	bytes   int // of the floating-point image; the rest of bits is zero
}

// size is the number of bytes it takes in a packet.
func (r *register) size() int { return r.bits / 8 }

const (
	floatImage = 512 // what FXSAVE writes
	tagWord    = 4   // its offset of the x87 tags, which gdb wants unabridged
)

// feature is one part of the description that gdb is given. Its registers are
// numbered through, in order.
type feature struct {
	name  string
	types string
	regs  []register
}

type pr = unix.PtraceRegs

func features() []feature {
	core := []register{
		{name: "rax", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.Rax }},
		{name: "rbx", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.Rbx }},
		{name: "rcx", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.Rcx }},
		{name: "rdx", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.Rdx }},
		{name: "rsi", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.Rsi }},
		{name: "rdi", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.Rdi }},
		{name: "rbp", bits: 64, kind: "data_ptr", general: func(r *pr) *uint64 { return &r.Rbp }},
		{name: "rsp", bits: 64, kind: "data_ptr", general: func(r *pr) *uint64 { return &r.Rsp }},
		{name: "r8", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.R8 }},
		{name: "r9", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.R9 }},
		{name: "r10", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.R10 }},
		{name: "r11", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.R11 }},
		{name: "r12", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.R12 }},
		{name: "r13", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.R13 }},
		{name: "r14", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.R14 }},
		{name: "r15", bits: 64, kind: "int64", general: func(r *pr) *uint64 { return &r.R15 }},
		{name: "rip", bits: 64, kind: "code_ptr", general: func(r *pr) *uint64 { return &r.Rip }},
		{name: "eflags", bits: 32, kind: "i386_eflags", general: func(r *pr) *uint64 { return &r.Eflags }},
		{name: "cs", bits: 32, kind: "int32", general: func(r *pr) *uint64 { return &r.Cs }},
		{name: "ss", bits: 32, kind: "int32", general: func(r *pr) *uint64 { return &r.Ss }},
		{name: "ds", bits: 32, kind: "int32", general: func(r *pr) *uint64 { return &r.Ds }},
		{name: "es", bits: 32, kind: "int32", general: func(r *pr) *uint64 { return &r.Es }},
		{name: "fs", bits: 32, kind: "int32", general: func(r *pr) *uint64 { return &r.Fs }},
		{name: "gs", bits: 32, kind: "int32", general: func(r *pr) *uint64 { return &r.Gs }},
	}
	for i := range 8 {
		core = append(core, register{name: "st" + strconv.Itoa(i), bits: 80, kind: "i387_ext", float: 32 + 16*i, bytes: 10})
	}
	for _, r := range []register{
		{name: "fctrl", float: 0, bytes: 2},
		{name: "fstat", float: 2, bytes: 2},
		{name: "ftag", float: tagWord, bytes: 2},
		{name: "fiseg", float: 12, bytes: 2},
		{name: "fioff", float: 8, bytes: 4},
		{name: "foseg", float: 20, bytes: 2},
		{name: "fooff", float: 16, bytes: 4},
		{name: "fop", float: 6, bytes: 2},
	} {
		r.bits, r.kind, r.group = 32, "int", "float"
		core = append(core, r)
	}
	var sse []register
	for i := range 16 {
		sse = append(sse, register{name: "xmm" + strconv.Itoa(i), bits: 128, kind: "vec128", float: 160 + 16*i, bytes: 16})
	}
	sse = append(sse, register{name: "mxcsr", bits: 32, kind: "i386_mxcsr", group: "vector", float: 24, bytes: 4})
	return []feature{
		{"org.gnu.gdb.i386.core", coreTypes, core},
		{"org.gnu.gdb.i386.sse", sseTypes, sse},
		{"org.gnu.gdb.i386.linux", "", []register{
			{name: "orig_rax", bits: 64, kind: "int", group: "system", general: func(r *pr) *uint64 { return &r.Orig_rax }},
		}},
		{"org.gnu.gdb.i386.segments", "", []register{
			{name: "fs_base", bits: 64, kind: "int", general: func(r *pr) *uint64 { return &r.Fs_base }},
			{name: "gs_base", bits: 64, kind: "int", general: func(r *pr) *uint64 { return &r.Gs_base }},
		}},
	}
}

// layout is the registers in the order of their numbers, and the text that
// describes them to gdb.
type layout struct {
	regs        []register
	description []byte
}

func newLayout() *layout {
	var l layout
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>" +
		"<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>")
	for _, f := range features() {
		b.WriteString("<feature name=\"" + f.name + "\">" + f.types)
		for _, r := range f.regs {
			b.WriteString("<reg name=\"" + r.name + "\" bitsize=\"" + strconv.Itoa(r.bits) + "\" type=\"" + r.kind)
			if r.group != "" {
				b.WriteString("\" group=\"" + r.group)
			}
			b.WriteString("\"/>")
		}
		b.WriteString("</feature>")
		l.regs = append(l.regs, f.regs...)
	}
	b.WriteString("</target>")
	l.description = []byte(b.String())
	return &l
}

// append appends the digits of one register, or x for each if its value is
// not known.
func (l *layout) append(to []byte, number int, r *Registers) []byte {
	reg := &l.regs[number]
	var raw [16]byte
	switch {
	case reg.general != nil:
		binary.LittleEndian.PutUint64(raw[:], *reg.general(&r.General))
	case len(r.Float) < floatImage:
		for range 2 * reg.size() {
			to = append(to, 'x')
		}
		return to
	case reg.float == tagWord:
		binary.LittleEndian.PutUint16(raw[:], fullTags(r.Float))
	default:
		copy(raw[:reg.bytes], r.Float[reg.float:])
	}
	return appendHex(to, raw[:reg.size()])
}

// set takes one register from the start of digits, as append gives it, and
// returns what follows; ok is false if it isn't there. What r doesn't know
// stays so.
func (l *layout) set(r *Registers, number int, digits []byte) (rest []byte, ok bool) {
	reg := &l.regs[number]
	n := 2 * reg.size()
	if len(digits) < n {
		return digits, false
	}
	var raw [16]byte
	if digits[0] == 'x' { // gdb doesn't know it either
		return digits[n:], true
	}
	if _, ok := decodeHex(raw[:0], digits[:n]); !ok {
		return digits, false
	}
	switch {
	case reg.general != nil:
		*reg.general(&r.General) = binary.LittleEndian.Uint64(raw[:])
	case len(r.Float) < floatImage:
	case reg.float == tagWord:
		r.Float[tagWord] = abridgedTags(binary.LittleEndian.Uint16(raw[:]))
	default:
		copy(r.Float[reg.float:reg.float+reg.bytes], raw[:])
	}
	return digits[n:], true
}
