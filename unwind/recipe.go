package unwind

// ruleKind says how a value of the calling frame is found.
type ruleKind uint8

const (
	ruleNone      ruleKind = iota // not said: preserved or clobbered as the ABI has it
	ruleSame                      // the register has the caller's value
	ruleUndefined                 // lost; of the return address: there is no caller
	ruleOffset                    // in memory at CFA+off
	ruleValOffset                 // it is CFA+off
	ruleRegister                  // in register reg; of the CFA: reg+off
	ruleExpr                      // in memory at the address that expr gives
	ruleValExpr                   // what expr gives
)

type rule struct {
	kind ruleKind
	reg  uint8
	off  int64
	expr []byte
}

type savedReg struct {
	reg uint8
	rule
}

// recipeKind says how to leave a frame.
type recipeKind uint8

const (
	byRules   recipeKind = iota
	byGuess              // there is no call frame information: try what there is
	leaving              // rbp is the frame pointer, or was popped just now
	outermost            // there is no caller
)

// recipe is how to leave a frame at one pc. It does not change once made.
type recipe struct {
	kind   recipeKind
	signal bool // a signal frame: the caller was interrupted, it made no call
	cfa    rule // ruleRegister or ruleExpr
	ra     rule
	saved  []savedReg // the registers that have a rule
}

// Recipes for what code without call frame information does.
var (
	guessRecipe     = &recipe{kind: byGuess}
	leavingRecipe   = &recipe{kind: leaving}
	outermostRecipe = &recipe{kind: outermost}
	// The return address is at the stack pointer.
	calledRecipe = &recipe{cfa: rule{kind: ruleRegister, reg: regRSP, off: 8}, ra: rule{kind: ruleOffset, off: -8}}
	// rbp has been pushed since.
	pushedRecipe = &recipe{cfa: rule{kind: ruleRegister, reg: regRSP, off: 16}, ra: rule{kind: ruleOffset, off: -8},
		saved: []savedReg{{regRBP, rule{kind: ruleOffset, off: -16}}}}
	// rbp is the frame pointer.
	framedRecipe = &recipe{cfa: rule{kind: ruleRegister, reg: regRBP, off: 16}, ra: rule{kind: ruleOffset, off: -8},
		saved: []savedReg{{regRBP, rule{kind: ruleOffset, off: -16}}}}
)

// found is what is known of a pc.
type found struct {
	key    uint64 // pc<<1, with the low bit set if the pc is exact; 0 is an empty slot
	obj    *Object
	rec    *recipe
	begins bool     // the pc is no return address: a function that nothing called begins there
	call   callKind // whether the pc follows a call instruction
	target uint64   // of a direct call
}

// table maps a pc to what is known of it. It is an open-addressing hash
// table, bounded: when full it forgets everything.
type table struct {
	slots []found
	used  int
}

const maxSlots = 1 << 17

func hash(key uint64) uint64 { return (key * 0x9e3779b97f4a7c15) >> 20 }

// get returns the slot of a key, or nil. It is valid until the next add.
func (t *table) get(key uint64) *found {
	if len(t.slots) == 0 {
		return nil
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash(key) & mask; ; i = (i + 1) & mask {
		switch s := &t.slots[i]; s.key {
		case key:
			return s
		case 0:
			return nil
		}
	}
}

// add stores f, whose key is not in the table.
func (t *table) add(f found) *found {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		if len(old) >= maxSlots {
			old = nil
		}
		t.slots = make([]found, max(256, 2*len(old)))
		t.used = 0
		for i := range old {
			if old[i].key != 0 {
				t.add(old[i])
			}
		}
	}
	mask := uint64(len(t.slots) - 1)
	i := hash(f.key) & mask
	for t.slots[i].key != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = f
	t.used++
	return &t.slots[i]
}

func (t *table) clear() { *t = table{} }
