package unwind

// maxScan is how many words above the stack pointer are looked at for a call
// of the function that the pc is in.
const maxScan = 256

// roots are functions that nothing called, for want of better knowledge.
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

// lookup returns what is known of a pc; the key is 0 where nothing is to be
// kept. refresh allows to look for new mappings.
func (u *Unwinder) lookup(pc uint64, exact, refresh bool) found {
	key := pc << 1
	if exact {
		key |= 1
	}
	if s := u.table.get(key); s != nil {
		return *s
	}
	at := pc // an address in the instruction
	if !exact {
		at--
	}
	none := found{rec: guessRecipe}
	if pc == 0 || pc>>63 != 0 {
		return none
	}
	obj := u.objects.find(at)
	if obj == nil && refresh && u.objects.mayRefresh() && u.Refresh() == nil {
		obj = u.objects.find(at)
	}
	if obj == nil {
		return none // not kept: it may become mapped
	}
	f := found{key: key, obj: obj}
	if obj.image != nil {
		f.rec = obj.image.recipe(at - obj.Bias)
	}
	if f.rec != nil && obj.image.golang {
		var buf [16]byte
		name, _, _ := u.function(obj, pc, exact)
		f.rec = goRecipe(f.rec, name, exact, u.objects.code(obj, u.stack.mem, buf[:], pc))
	}
	if f.rec == nil {
		f.rec = u.analyse(obj, pc, exact)
	}
	u.table.add(f)
	return f
}

// analyse makes a recipe from the code around a pc, where there is no call
// frame information.
func (u *Unwinder) analyse(obj *Object, pc uint64, exact bool) *recipe {
	// The code around the pc, and the beginning of the function.
	const around = 32
	var buf [2*around + 64]byte
	before := around
	near := u.objects.code(obj, u.stack.mem, buf[:2*around], pc-around)
	if len(near) <= around {
		near, before = u.objects.code(obj, u.stack.mem, buf[:around], pc), 0
	}
	if isSigreturn(near[before:]) {
		return signalRecipe()
	}
	name, start, size := u.function(obj, pc, exact)
	if roots[name] {
		return outermostRecipe
	}
	if exact {
		if start == pc {
			return calledRecipe
		}
		if rec := recognise(near[:before], near[before:]); rec != nil {
			return rec
		}
	}
	if start != 0 && start < pc {
		code := buf[2*around:]
		code = u.objects.code(obj, u.stack.mem, code[:min(size, uint64(len(code)))], start)
		rec := recogniseFrame(code, pc-start)
		done := min(uint64(before), pc-start)
		if rec == framedRecipe && exact && returning(near[before-int(done):before], near[before:]) {
			rec = leavingRecipe
		}
		if rec == framedRecipe || rec != nil && exact {
			return rec
		}
	}
	return guessRecipe
}

// function returns the symbol of the function that a pc is in, its runtime
// address and its size; 0 if it is not known.
func (u *Unwinder) function(obj *Object, pc uint64, exact bool) (name string, start, size uint64) {
	if obj == nil || obj.image == nil {
		return "", 0, 0
	}
	s := obj.image.functions()
	y := s.find(Frame{PC: pc, Object: obj, Exact: exact}.Vaddr())
	if y == nil {
		return "", 0, 0
	}
	return s.name(y), y.addr + obj.Bias, y.size
}

// called returns what instruction stands before an address, if it is
// executable, and where a direct call leads.
func (u *Unwinder) called(ra uint64) (callKind, uint64) {
	f := u.lookup(ra, false, false)
	if f.key == 0 {
		return noCall, 0
	}
	if f.rec.signal {
		return handlerCall, 0
	}
	if f.call == callUnseen {
		var buf [longestCall]byte
		code := u.objects.code(f.obj, u.stack.mem, buf[:], ra-longestCall)
		f.call = callUnreadable
		if len(code) == longestCall {
			f.call, f.target = callBefore(code, ra)
		}
		if s := u.table.get(f.key); s != nil {
			s.call, s.target = f.call, f.target
		}
	}
	return f.call, f.target
}

// guess goes from s to next where there is no recipe. In order of trust: a
// return address of a call of this very function; the word at the stack
// pointer, which it is in a function that has no frame; the frame pointer.
func (u *Unwinder) guess(s, next *state, f found) outcome {
	m := &u.stack
	sp, pc := s.reg[regRSP], s.reg[regRIP]
	if _, ok := m.load(sp); !ok {
		return badMemory
	}
	// at continues after the return address at a stack address.
	at := func(addr uint64) {
		ra, _ := m.load(addr)
		next.reg = s.reg
		next.known = s.known & preserved
		next.exact = false
		next.set(regRSP, addr+8)
		next.set(regRIP, ra)
	}
	handler := uint64(1<<64 - 1) // where the end of a signal handler is said to be
	_, start, _ := u.function(f.obj, pc, s.exact)
	for i := uint64(0); start != 0 && i < maxScan; i++ {
		w, ok := m.load(sp + 8*i)
		if !ok {
			break
		}
		kind, target := u.called(w)
		if kind == directCall && target == start {
			at(sp + 8*i)
			return left
		}
		if kind == handlerCall {
			handler = sp + 8*i
			break
		}
	}
	word, _ := m.load(sp)
	kind, target := noCall, uint64(0)
	if s.exact {
		kind, target = u.called(word)
		// A direct call that leads to after the pc may be left from
		// before, unless the function is known to keep no frame.
		if kind == indirectCall || kind == callUnreadable || kind == handlerCall || kind == directCall && (target <= pc || start != 0) {
			at(sp)
			return left
		}
	}
	// The frame pointer is above the stack pointer, but for Go's functions
	// that have changed stacks.
	switches := !s.exact && f.obj != nil && f.obj.image != nil && f.obj.image.golang
	if bp := s.reg[regRBP]; s.has(regRBP) && bp != 0 && (bp >= sp || switches) && bp%8 == 0 && bp < handler {
		ra, ok := m.load(bp + 8)
		old, _ := m.load(bp)
		if ok && ra == 0 && old == 0 && f.obj != nil {
			return atEnd
		}
		if ok {
			// The outermost function may have been given its return
			// address without a call.
			if kind, _ := u.called(ra); kind != noCall || old == 0 && u.objects.find(ra) != nil {
				at(bp + 8)
				next.set(regRBP, old)
				return left
			}
		}
	} else if bp == 0 && !s.exact {
		return atEnd
	}
	switch {
	case kind == directCall:
		at(sp)
	case handler != 1<<64-1:
		at(handler)
	default:
		return noRecipe
	}
	return left
}
