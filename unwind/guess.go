package unwind

// maxScan is how many words above the stack pointer are looked at for a call
// of the function that the pc is in.
const maxScan = 256

// roots are functions that nothing called, where there is no call frame
// information that says so.
var roots = map[string]bool{
	"_start":              true,
	"_rt0_amd64_linux":    true,
	"_rt0_amd64":          true,
	"runtime.rt0_go":      true,
	"runtime.rt0_go.abi0": true,
	"runtime.mstart":      true,
	"runtime.mstart.abi0": true,
	"runtime.goexit":      true,
	"runtime.goexit.abi0": true,
}

// analyse makes a recipe from the code around a pc, where there is no call
// frame information.
func (u *Unwinder) analyse(obj *Object, pc uint64, exact bool) *recipe {
	var nearBuf [2 * around]byte
	before, after := u.near(obj, &nearBuf, pc)
	if isSigreturn(before, after) {
		return signalRecipe()
	}
	name, start, size := obj.function(pc, exact)
	if roots[name] {
		return outermostRecipe
	}
	if exact {
		if start == pc {
			return calledRecipe
		}
		if rec := recognise(before, after); rec != nil {
			return rec
		}
	}
	if start == 0 || start >= pc {
		return guessRecipe
	}
	var buf [64]byte
	code := u.code(obj, buf[:min(size, uint64(len(buf)))], start)
	rec := recogniseFrame(code, pc-start)
	switch {
	case rec == nil, rec != framedRecipe && !exact:
		return guessRecipe
	case rec == framedRecipe && exact:
		done := int(min(uint64(len(before)), pc-start))
		if returning(before[len(before)-done:], after) {
			return leavingRecipe
		}
	}
	return rec
}

// begin returns the recipe of the function that begins at what looked like a return
// address, but that no call stands before; nil if none begins there. What makes a context,
// as makecontext does, has a function return to the beginning of another one.
func (u *Unwinder) begin(obj *Object, pc uint64) *recipe {
	var buf [longestCall]byte
	if obj.image == nil {
		return nil
	}
	if code := u.code(obj, buf[:], pc-longestCall); len(code) < longestCall {
		return nil
	} else if kind, _ := callBefore(code, pc); kind != noCall {
		return nil
	}
	return obj.image.recipe(pc - obj.Bias)
}

// around is how many bytes of code before a pc, and from it on, are looked at.
const around = 32

// near reads the code before and after a pc. They are parts of b.
func (u *Unwinder) near(obj *Object, b *[2 * around]byte, pc uint64) (before, after []byte) {
	if code := u.code(obj, b[:], pc-around); len(code) > around {
		return code[:around], code[around:]
	}
	return nil, u.code(obj, b[:around], pc)
}

// code reads the instructions at a runtime address: from the file, where a
// debugger has put no breakpoints, else from memory. It returns a part of b.
func (u *Unwinder) code(obj *Object, b []byte, addr uint64) []byte {
	if obj.image != nil {
		if n := obj.image.readAt(b, addr-obj.Bias); n > 0 {
			return b[:n]
		}
	}
	return b[:max(0, min(len(b), u.stack.mem.ReadAt(b, addr)))]
}

// called returns what instruction stands before an address, if it is
// executable, and where a direct call leads.
func (u *Unwinder) called(ra uint64) (callKind, uint64) {
	f := u.lookup(ra, false, false)
	if f.key == 0 {
		return noCall, 0
	}
	if f.call == callUnseen {
		var buf [longestCall]byte
		code := u.code(f.obj, buf[:], ra-longestCall)
		switch {
		case f.rec.signal:
			f.call = handlerCall
		case len(code) < longestCall:
			f.call = callUnreadable
		default:
			f.call, f.target = callBefore(code, ra)
			if f.call == directCall && u.objects.find(f.target) == nil {
				f.call = noCall
			}
		}
		if kept := u.table.get(f.key); kept != nil {
			*kept = f
		}
	}
	return f.call, f.target
}

// noSlot is no address of a word on a stack.
const noSlot = 1<<64 - 1

// guess goes from s to next where there is no recipe, or one that is of no
// use. In order of trust, it takes for the return address
//
//   - that of a direct call of the very function that the pc is in,
//   - the word at the stack pointer, where a function without a frame has it,
//   - what the frame pointer leads to,
//   - that of a signal handler,
//
// each only if it follows a call instruction.
func (u *Unwinder) guess(s, next *state, f found) outcome {
	sp, bp, pc := s.reg[regRSP], s.reg[regRBP], s.reg[regRIP]
	word, ok := u.stack.load(sp)
	if !ok {
		return badMemory
	}
	_, start, _ := f.obj.function(pc, s.exact)
	direct, handler := uint64(noSlot), uint64(noSlot)
	if start != 0 {
		direct, handler = u.scan(sp, start)
	}
	if direct != noSlot {
		return u.leaveAt(s, next, direct)
	}
	atSP := noCall
	if s.exact {
		var target uint64
		atSP, target = u.called(word)
		// A direct call that leads to after the pc may be left from
		// before, unless the function is known to keep no frame.
		if atSP != noCall && (atSP != directCall || target <= pc || start != 0) {
			return u.leaveAt(s, next, sp)
		}
	}
	if bp == 0 && !s.exact {
		return atEnd
	}
	// The frame pointer is above the stack pointer, but for Go's functions
	// that have changed stacks.
	switched := f.obj != nil && f.obj.image != nil && f.obj.image.golang
	if s.has(regRBP) && (bp >= sp || switched) && bp%8 == 0 && bp < handler {
		old, _ := u.stack.load(bp)
		ra, ok := u.stack.load(bp + 8)
		if ok && ra == 0 && old == 0 && f.obj != nil {
			return atEnd
		}
		// The outermost function may have been given its return address
		// without a call.
		if kind, _ := u.called(ra); ok && (kind != noCall || old == 0 && u.objects.find(ra) != nil) {
			how := u.leaveAt(s, next, bp+8)
			next.set(regRBP, old)
			return how
		}
	}
	switch {
	case atSP == directCall:
		return u.leaveAt(s, next, sp)
	case handler != noSlot:
		return u.leaveAt(s, next, handler)
	}
	return noRecipe
}

// scan looks on the stack from sp up for where the return address of a direct
// call of start stands, and stops where a signal handler is left.
func (u *Unwinder) scan(sp, start uint64) (direct, handler uint64) {
	for slot := sp; slot < sp+8*maxScan; slot += 8 {
		word, ok := u.stack.load(slot)
		if !ok {
			break
		}
		switch kind, target := u.called(word); {
		case kind == directCall && target == start:
			return slot, noSlot
		case kind == handlerCall:
			return noSlot, slot
		}
	}
	return noSlot, noSlot
}

// leaveAt takes the word at a stack address for the return address.
func (u *Unwinder) leaveAt(s, next *state, slot uint64) outcome {
	ra, ok := u.stack.load(slot)
	if !ok {
		return badMemory
	}
	next.reg = s.reg
	next.known = s.known & preserved
	next.exact = false
	next.set(regRSP, slot+8)
	next.set(regRIP, ra)
	return left
}
