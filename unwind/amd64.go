package unwind

import "bytes"

// What is particular to x86-64: its registers by DWARF number, which of them
// a function preserves, and the frame that the kernel makes for a signal.

const (
	regRBX  = 3
	regRBP  = 6
	regRSP  = 7
	regR12  = 12
	regR15  = 15
	regRIP  = 16
	numRegs = 17
)

// preserved are the registers that a function gives back to its caller as
// they were.
const preserved = 1<<regRBX | 1<<regRBP | 1<<regRSP | 0xf<<regR12

// redZone is the space below the stack pointer that a function may use.
const redZone = 128

// setsSigreturn are the ways to say rt_sigreturn, number 15, before the system
// call that is the end of a signal handler.
var setsSigreturn = []string{
	"\x48\xc7\xc0\x0f\x00\x00\x00", // mov $15,%rax
	"\xb8\x0f\x00\x00\x00",         // mov $15,%eax
}

// signalRegs holds, by DWARF register number, where in the kernel's signal
// frame, counted from the stack pointer at rt_sigreturn, a register of the
// interrupted instruction stands: struct ucontext, its uc_mcontext at 40.
var signalRegs = [numRegs]int64{
	144,                            // rax
	136,                            // rdx
	152,                            // rcx
	128,                            // rbx
	112,                            // rsi
	104,                            // rdi
	120,                            // rbp
	160,                            // rsp
	40, 48, 56, 64, 72, 80, 88, 96, // r8 to r15
	168, // rip
}

// signalRecipe undoes a signal frame where no call frame information says how.
func signalRecipe() *recipe {
	at := func(r int) []byte {
		off := signalRegs[r]
		return []byte{opBreg0 + regRSP, byte(off)&0x7f | 0x80, byte(off >> 7)}
	}
	rec := &recipe{kind: byRules, signal: true, cfa: rule{kind: ruleExpr, expr: append(at(regRSP), opDeref)}}
	for r := range numRegs {
		if r != regRIP {
			rec.saved = append(rec.saved, savedReg{reg: uint8(r), rule: rule{kind: ruleExpr, expr: at(r)}})
		}
	}
	rec.ra = rule{kind: ruleExpr, expr: at(regRIP)}
	return rec
}

// callKind says what instruction ends just before an address.
type callKind uint8

const (
	callUnseen callKind = iota // not looked at yet
	noCall
	directCall
	indirectCall
	handlerCall    // none: a signal handler returns to the address
	callUnreadable // the code can't be read
)

// longestCall is the length of the longest call instruction looked for.
const longestCall = 7

// callBefore finds the call instruction that ends where code does. end is the
// address of that; target is where a direct call leads.
func callBefore(code []byte, end uint64) (kind callKind, target uint64) {
	at := func(back int) byte {
		if back > len(code) {
			return 0
		}
		return code[len(code)-back]
	}
	if at(5) == 0xe8 {
		c := cursor{b: code[len(code)-4:]}
		return directCall, end + uint64(int32(c.u32()))
	}
	// ff /2: the length follows from the ModRM byte, its low bits 100 mean a
	// SIB byte; rip-relative is mode 0 with the low bits 101.
	for back := 2; back <= longestCall; back++ {
		if at(back) != 0xff {
			continue
		}
		modrm := at(back - 1)
		if modrm>>3&7 != 2 {
			continue
		}
		length, mode, low := 2, modrm>>6, modrm&7
		if mode != 3 && low == 4 {
			length++
		}
		switch {
		case mode == 1:
			length++
		case mode == 2, mode == 0 && low == 5, mode == 0 && low == 4 && back >= 3 && at(back-2)&7 == 5:
			length += 4
		}
		if length == back {
			return indirectCall, 0
		}
	}
	return noCall, 0
}

const endbr64 = "\xf3\x0f\x1e\xfa"

// settlesFrame are the instructions that make rbp the frame pointer once it
// has been pushed: mov %rsp,%rbp in its two encodings.
var settlesFrame = []string{"\x48\x89\xe5", "\x48\x8b\xec"}

// settles reports whether code begins with such an instruction.
func settles(code []byte) bool {
	for _, mov := range settlesFrame {
		if bytes.HasPrefix(code, []byte(mov)) {
			return true
		}
	}
	return false
}

// recogniseFrame says how to leave a function that keeps a frame pointer: code
// is its beginning, and done bytes of it lie before the pc. It returns nil if
// the function, as far as can be seen, keeps none.
func recogniseFrame(code []byte, done uint64) *recipe {
	for _, mov := range settlesFrame {
		// Mostly rbp is pushed at once, and set soon; but Go looks at its
		// stack first.
		pushed := 0
		if bytes.HasPrefix(code, []byte(endbr64)) {
			pushed = len(endbr64)
		}
		if pushed >= len(code) || code[pushed] != pushRBP {
			pushed = bytes.Index(code, append([]byte{pushRBP}, mov...))
		}
		if pushed < 0 {
			continue
		}
		i := bytes.Index(code[pushed:], []byte(mov))
		switch {
		case i < 0:
		case uint64(pushed+i+len(mov)) <= done:
			return framedRecipe
		case uint64(pushed) < done:
			return pushedRecipe
		default:
			return calledRecipe
		}
	}
	return nil
}

const pushRBP = 0x55

// returning reports whether rbp may have been popped already: the return
// instruction is near.
func returning(before, after []byte) bool {
	const popRBP, leave, ret = 0x5d, 0xc9, 0xc3
	return (bytes.IndexByte(before, popRBP) >= 0 || bytes.IndexByte(before, leave) >= 0) && bytes.IndexByte(after, ret) >= 0
}

// instruction patterns, for code that is about to be executed at a pc.
var atPC = []struct {
	before, after string // what ends before the pc, what begins at it
	recipe        *recipe
}{
	{"", endbr64, calledRecipe},
	{"", "\x55\x48\x89\xe5", calledRecipe},
	{"", "\x55\x48\x8b\xec", calledRecipe},
	{"\x55", "\x48\x89\xe5", pushedRecipe},
	{"\x55", "\x48\x8b\xec", pushedRecipe},
	{"", "\xff\x25", calledRecipe},     // jmp *n(%rip), as in a linkage table
	{"", "\xf2\xff\x25", calledRecipe}, // bnd jmp
	{"", "\xc3", calledRecipe},         // ret
	{"", "\xc2", calledRecipe},         // ret n
	{"", "\xf2\xc3", calledRecipe},     // bnd ret
	{"", "\xf3\xc3", calledRecipe},     // rep ret
	{"", "\x5d\xc3", pushedRecipe},     // pop %rbp; ret
	{"", "\xc9\xc3", framedRecipe},     // leave; ret
}

// recognise looks for such a pattern.
func recognise(before, after []byte) *recipe {
	for _, p := range atPC {
		if bytes.HasSuffix(before, []byte(p.before)) && bytes.HasPrefix(after, []byte(p.after)) {
			return p.recipe
		}
	}
	return nil
}

// isSigreturn reports whether a pc, between before and after, is in the code
// that a signal handler returns to.
func isSigreturn(before, after []byte) bool {
	const syscall = "\x0f\x05"
	for _, mov := range setsSigreturn {
		if bytes.HasPrefix(after, []byte(mov+syscall)) || bytes.HasSuffix(before, []byte(mov)) && bytes.HasPrefix(after, []byte(syscall)) {
			return true
		}
	}
	return false
}
