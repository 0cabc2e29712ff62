package unwind

// state is what is known of the registers in one frame.
type state struct {
	reg   [numRegs]uint64
	known uint32
	exact bool   // the pc is no return address
	pops  bool   // recipe.pops of the frame
	cfa   uint64 // 0 unknown
}

func (s *state) has(r uint8) bool { return s.known>>r&1 != 0 }

func (s *state) set(r uint8, v uint64) {
	s.reg[r] = v
	s.known |= 1 << r
}

// maxBackward is how often the stack pointer may go down on the way out of
// the frames, as it does where a program changes stacks. More often is a loop.
const maxBackward = 64

// outcome is what came of leaving a frame.
type outcome int

const (
	left outcome = iota // the next state holds the caller's registers
	atEnd
	noRecipe
	badMemory
	unknownValue // a register or a word that the recipe needs is not known
)

// Unwind appends the frames of a stopped thread to out, innermost first, at
// most MaxDepth or Limit, and says why there are no more. mem holds the thread's stack;
// what it lacks ends the path with BadMemory.
func (u *Unwinder) Unwind(r Regs, mem Memory, out []Frame) ([]Frame, Reason) {
	u.stack.reset(mem)
	s, next := &u.states[0], &u.states[1]
	*s = state{reg: r.Other, known: r.Known & (1<<numRegs - 1), exact: true}
	s.set(regRIP, r.PC)
	s.set(regRSP, r.SP)
	s.set(regRBP, r.BP)
	u.kept = u.kept[:0]
	f := u.lookup(r.PC, true, true)
	limit := u.Limit
	if limit == 0 {
		limit = MaxDepth
	}
	guessed := false
	for depth, backward := 1, 0; ; depth++ {
		before := u.guesses
		out = append(out, Frame{PC: s.reg[regRIP], Object: f.obj, Exact: s.exact || f.rec.signal})
		if u.Keep {
			u.kept = append(u.kept, registers{s.reg, s.known})
		}
		s.cfa = 0
		how, g := u.leave(s, next, f)
		guessed = guessed || f.analysed || u.guesses != before
		out[len(out)-1].Guessed = guessed
		switch how {
		case left:
			out[len(out)-1].CFA = next.reg[regRSP]
		case atEnd:
			return out, Complete
		case badMemory:
			out[len(out)-1].CFA = s.cfa
			return out, BadMemory
		default:
			return out, NoRecipe
		}
		if depth == limit {
			return out, TooDeep
		}
		if next.reg[regRSP] <= s.reg[regRSP] {
			backward++
			if backward > maxBackward || next.reg[regRSP] == s.reg[regRSP] && next.reg[regRIP] == s.reg[regRIP] {
				return out, Loop
			}
		}
		next.exact = next.exact || g.begins
		s, next, f = next, s, g
	}
}

// leave goes from the frame s, whose pc is f's, to its caller's, next, whose
// pc is g's.
func (u *Unwinder) leave(s, next *state, f found) (how outcome, g found) {
	rec := f.rec
	if rec.kind == leaving {
		word, _ := u.stack.load(s.reg[regRSP])
		if kind, _ := u.called(word); kind != noCall {
			rec = calledRecipe
		} else {
			rec = framedRecipe
		}
	}
	switch rec.kind {
	case outermost:
		return atEnd, g
	case byRules, toHandler:
		if rec.kind == toHandler {
			how = s.land(&u.stack, rec, next)
		} else {
			how = s.apply(&u.stack, rec, next)
		}
		if f.begins && !rec.signal {
			// Nothing called it, unless what its own information leads to is behind a call.
			kind := noCall
			if how == left {
				kind, _ = u.called(next.reg[regRIP])
			}
			if kind == noCall {
				how = atEnd
			}
		}
		if how == atEnd || how == badMemory {
			return how, g
		}
		if how == left {
			g = u.lookup(next.reg[regRIP], next.exact, true)
			if g.obj != nil || rec.signal || rec.kind == toHandler {
				return left, g
			}
		}
		// The recipe can't be followed, or leads nowhere: the function
		// changes stacks and does not say so, or a register is wrong.
	}
	u.guesses++
	if how = u.guess(s, next, f); how == left {
		g = u.lookup(next.reg[regRIP], false, true)
	}
	return how, g
}

// findCFA works out the CFA.
func (s *state) findCFA(m *window, rec *recipe) (uint64, bool) {
	if rec.cfa.kind == ruleRegister {
		return s.reg[rec.cfa.reg] + uint64(rec.cfa.off), s.has(rec.cfa.reg)
	}
	return s.eval(m, rec.cfa.expr, false, 0)
}

// apply follows a recipe from s to next.
func (s *state) apply(m *window, rec *recipe, next *state) outcome {
	cfa, ok := s.findCFA(m, rec)
	if !ok {
		return unknownValue
	}
	s.cfa = cfa
	s.pops = rec.pops
	next.reg = s.reg
	next.known = s.known & preserved
	next.exact = rec.signal || rec.lands
	next.set(regRSP, cfa)
	for i := range rec.saved {
		r := &rec.saved[i]
		if v, ok := s.value(m, &r.rule, cfa, r.reg); ok {
			next.set(r.reg, v)
		} else {
			next.known &^= 1 << r.reg
		}
	}
	if !next.has(regRSP) {
		return unknownValue
	}
	if rec.ra.kind == ruleUndefined {
		return atEnd
	}
	ra, ok := s.value(m, &rec.ra, cfa, regRIP)
	switch {
	case !ok && rec.ra.kind == ruleOffset:
		return badMemory
	case !ok:
		return unknownValue
	case ra == 0 && !rec.signal:
		return atEnd
	}
	next.set(regRIP, ra)
	return left
}

// value works out a rule for register reg.
func (s *state) value(m *window, r *rule, cfa uint64, reg uint8) (uint64, bool) {
	switch r.kind {
	case ruleOffset:
		popped := r.popped && s.exact || s.pops && cfa+uint64(r.off) < s.reg[regRSP]
		if popped && s.has(reg) {
			return s.reg[reg], true
		}
		return m.load(cfa + uint64(r.off))
	case ruleValOffset:
		return cfa + uint64(r.off), true
	case ruleRegister:
		return s.reg[r.reg], s.has(r.reg)
	case ruleExpr:
		addr, ok := s.eval(m, r.expr, true, cfa)
		if !ok {
			return 0, false
		}
		return m.load(addr)
	case ruleValExpr:
		return s.eval(m, r.expr, true, cfa)
	case ruleUndefined:
		return 0, false
	}
	return s.reg[reg], s.has(reg)
}

// lookup returns what is known of a pc. Its key is 0 if the pc is in no
// object, in which case nothing is kept. refresh allows to look for new
// mappings.
func (u *Unwinder) lookup(pc uint64, exact, refresh bool) found {
	key := pc << 1
	if exact {
		key |= 1
	}
	if f := u.table.get(key); f != nil {
		return *f
	}
	none := found{rec: guessRecipe}
	if pc == 0 || pc>>63 != 0 {
		return none
	}
	at := pc // an address in the instruction
	if !exact {
		at--
	}
	obj := u.objects.find(at)
	if obj == nil && refresh && u.objects.mayRefresh() && u.Refresh() == nil {
		obj = u.objects.find(at)
	}
	if obj == nil {
		return none
	}
	f := found{key: key, obj: obj}
	if obj.image != nil {
		f.rec = obj.image.recipe(at - obj.Bias)
	}
	if !exact && (f.rec == nil || obj.image.begins(pc-obj.Bias)) {
		// A function may end by a call, behind which another one begins.
		if rec := u.begin(obj, pc); rec != nil {
			f.rec, f.begins = rec, true
		}
	}
	switch {
	case f.rec == nil:
		f.rec, f.analysed = u.analyse(obj, pc, exact), true
	case exact && f.rec.fromFrame() && !obj.image.golang:
		var buf [2 * around]byte
		if before, _ := u.near(obj, &buf, pc); pops(before) {
			popping := *f.rec
			popping.pops = true
			f.rec = &popping
		}
	case obj.image.golang:
		var buf [2 * around]byte
		before, after := u.near(obj, &buf, pc)
		name, _, _ := obj.function(pc, exact)
		f.rec = goRecipe(f.rec, name, exact, before, after)
	}
	if obj.Kind != Anon || !exact {
		u.table.add(f) // generated code changes; but at a return address it stays
	}
	return f
}
