package unwind

// row holds the rules that call frame instructions have set.
type row struct {
	cfa  rule
	regs [numRegs]rule
}

// program is a run of call frame instructions up to a target address.
type program struct {
	f       *frames
	cie     *cie
	loc     uint64
	target  uint64
	row     row
	initial row // after the CIE's instructions
	stack   []row
}

// maxRemembered bounds the memory that a hostile program can ask for.
const maxRemembered = 64

// Call frame instructions. The first three hold an operand in their low six
// bits.
const (
	cfaAdvance          = 0x40
	cfaOffset           = 0x80
	cfaRestore          = 0xc0
	cfaNop              = 0x00
	cfaSetLoc           = 0x01
	cfaAdvance1         = 0x02
	cfaAdvance2         = 0x03
	cfaAdvance4         = 0x04
	cfaOffsetExtended   = 0x05
	cfaRestoreExtended  = 0x06
	cfaUndefined        = 0x07
	cfaSameValue        = 0x08
	cfaRegister         = 0x09
	cfaRememberState    = 0x0a
	cfaRestoreState     = 0x0b
	cfaDefCFA           = 0x0c
	cfaDefCFARegister   = 0x0d
	cfaDefCFAOffset     = 0x0e
	cfaDefCFAExpr       = 0x0f
	cfaExpr             = 0x10
	cfaOffsetExtendedSf = 0x11
	cfaDefCFASf         = 0x12
	cfaDefCFAOffsetSf   = 0x13
	cfaValOffset        = 0x14
	cfaValOffsetSf      = 0x15
	cfaValExpr          = 0x16
	cfaGNUArgsSize      = 0x2e
	cfaGNUNegOffset     = 0x2f
)

// run executes instructions until the next would be for an address after the
// target. It reports false if there is one that it does not know.
func (p *program) run(c cursor) bool {
	// set gives the rule of a register; vector registers and the like are
	// of no use here.
	set := func(reg uint64, r rule) {
		if reg < numRegs {
			p.row.regs[reg] = r
		}
	}
	restore := func(reg uint64) {
		if reg < numRegs {
			p.row.regs[reg] = p.initial.regs[reg]
		}
	}
	advance := func(n uint64) { p.loc += n * p.cie.codeAlign }
	scaled := func() int64 { return int64(c.uleb()) * p.cie.dataAlign }
	scaledSf := func() int64 { return c.sleb() * p.cie.dataAlign }
	cfaReg := func(reg uint64) {
		if reg >= numRegs {
			c.bad = true
		}
		p.row.cfa.kind, p.row.cfa.reg = ruleRegister, uint8(reg)
	}
	for !c.done() {
		op := c.u8()
		low := uint64(op & 0x3f)
		switch op & 0xc0 {
		case cfaAdvance:
			advance(low)
		case cfaOffset:
			set(low, rule{kind: ruleOffset, off: scaled()})
		case cfaRestore:
			restore(low)
		default:
			switch op {
			case cfaNop:
			case cfaSetLoc:
				p.loc = c.pointer(p.cie.enc, p.f.vaddr, 0)
			case cfaAdvance1:
				advance(uint64(c.u8()))
			case cfaAdvance2:
				advance(uint64(c.u16()))
			case cfaAdvance4:
				advance(uint64(c.u32()))
			case cfaOffsetExtended:
				set(c.uleb(), rule{kind: ruleOffset, off: scaled()})
			case cfaOffsetExtendedSf:
				set(c.uleb(), rule{kind: ruleOffset, off: scaledSf()})
			case cfaGNUNegOffset:
				set(c.uleb(), rule{kind: ruleOffset, off: -scaled()})
			case cfaRestoreExtended:
				restore(c.uleb())
			case cfaUndefined:
				set(c.uleb(), rule{kind: ruleUndefined})
			case cfaSameValue:
				set(c.uleb(), rule{kind: ruleSame})
			case cfaRegister:
				reg, from := c.uleb(), c.uleb()
				if from < numRegs {
					set(reg, rule{kind: ruleRegister, reg: uint8(from)})
				} else {
					set(reg, rule{kind: ruleUndefined})
				}
			case cfaRememberState:
				if len(p.stack) == maxRemembered {
					return false
				}
				p.stack = append(p.stack, p.row)
			case cfaRestoreState:
				if len(p.stack) == 0 {
					return false
				}
				p.row = p.stack[len(p.stack)-1]
				p.stack = p.stack[:len(p.stack)-1]
			case cfaDefCFA:
				cfaReg(c.uleb())
				p.row.cfa.off = int64(c.uleb())
			case cfaDefCFASf:
				cfaReg(c.uleb())
				p.row.cfa.off = scaledSf()
			case cfaDefCFARegister:
				cfaReg(c.uleb())
			case cfaDefCFAOffset:
				p.row.cfa.off = int64(c.uleb())
			case cfaDefCFAOffsetSf:
				p.row.cfa.off = scaledSf()
			case cfaDefCFAExpr:
				p.row.cfa = rule{kind: ruleExpr, expr: c.take(c.uleb())}
			case cfaExpr:
				set(c.uleb(), rule{kind: ruleExpr, expr: c.take(c.uleb())})
			case cfaValOffset:
				set(c.uleb(), rule{kind: ruleValOffset, off: scaled()})
			case cfaValOffsetSf:
				set(c.uleb(), rule{kind: ruleValOffset, off: scaledSf()})
			case cfaValExpr:
				set(c.uleb(), rule{kind: ruleValExpr, expr: c.take(c.uleb())})
			case cfaGNUArgsSize:
				c.uleb()
			default:
				return false
			}
		}
		if p.loc > p.target && !c.bad {
			// The row for the target is the one before this advance,
			// which has changed nothing but loc.
			return true
		}
	}
	return !c.bad
}

// recipe packs a row.
func (r *row) recipe(ci *cie) *recipe {
	if r.cfa.kind == ruleNone {
		return nil
	}
	rec := &recipe{kind: byRules, signal: ci.signal, cfa: r.cfa, ra: r.regs[ci.ra]}
	for i, s := range r.regs {
		if s.kind != ruleNone && uint64(i) != ci.ra {
			rec.saved = append(rec.saved, savedReg{reg: uint8(i), rule: s})
		}
	}
	return rec
}
