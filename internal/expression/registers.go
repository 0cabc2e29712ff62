package expression

import (
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// registers of 64 bits by their names, with their DWARF numbers.
var registers = map[string]int64{
	"rax": 0, "rdx": 1, "rcx": 2, "rbx": 3, "rsi": 4, "rdi": 5, "rbp": 6, "rsp": 7,
	"r8": 8, "r9": 9, "r10": 10, "r11": 11, "r12": 12, "r13": 13, "r14": 14, "r15": 15, "rip": 16,
}

// flagRegisters are those whose bits have names.
var flagRegisters = map[string]struct {
	number int64
	typ    *value.Type
}{
	"eflags": {plan.Flags, flagsType("i386_eflags", "CF  PF  AF  ZF SF TF IF DF OF   NT  RF VM AC VIF VIP ID")},
	"mxcsr":  {plan.VectorControl, flagsType("i386_mxcsr", "IE DE ZE OE UE PE DAZ IM DM ZM OM UM PM   FZ")},
}

// flagsType is the type of a register of flags, whose names are apart by blanks, from the lowest bit on.
func flagsType(name, flags string) *value.Type {
	t := &value.Type{Kind: value.Enumeration, Name: name, Size: 4, Bits: true}
	for i, flag := range strings.Split(flags, " ") {
		if flag != "" {
			t.Enums = append(t.Enums, value.Enumerator{Name: flag, Value: 1 << i})
		}
	}
	return t
}

// Types of parts of registers.
var (
	int8Type     = &value.Type{Kind: value.Integer, Name: "int8_t", Size: 1, Signed: true}
	int16Type    = &value.Type{Kind: value.Integer, Name: "int16_t", Size: 2, Signed: true}
	uint128Type  = &value.Type{Kind: value.Integer, Name: "uint128_t", Size: 16}
	halfType     = &value.Type{Kind: value.Float, Name: "half", Size: 2, Signed: true}
	bfloat16Type = &value.Type{Kind: value.Float, Name: value.BFloat16, Size: 2, Signed: true}
	x87Type      = &value.Type{Kind: value.Float, Name: "i387_ext", Size: 10, Signed: true}
	vectorType   = &value.Type{Kind: value.Structure, Name: "vec128", Size: 16, Union: true, Fields: []value.Field{
		{Name: "v8_bfloat16", Type: lanes(bfloat16Type)}, {Name: "v8_half", Type: lanes(halfType)},
		{Name: "v4_float", Type: lanes(floatType)}, {Name: "v2_double", Type: lanes(doubleType)},
		{Name: "v16_int8", Type: lanes(int8Type)}, {Name: "v8_int16", Type: lanes(int16Type)},
		{Name: "v4_int32", Type: lanes(intType)}, {Name: "v2_int64", Type: lanes(longType)}, {Name: "uint128", Type: uint128Type},
	}}
)

// lanes are the numbers that a vector register holds.
func lanes(t *value.Type) *value.Type {
	return &value.Type{Kind: value.Array, Elem: t, Size: 16, Count: int64(16 / t.Size), Vector: true}
}

// register is the place of a register, or of a part of one.
func (c *compiler) register(name string) (place, error) {
	name = name[1:]
	switch name {
	case "pc":
		name = "rip"
	case "sp":
		name = "rsp"
	case "fp":
		// A debugger finds it by the code of the prologue.
		if len(c.blocks) == 0 || c.blocks[0] != c.whole {
			return place{}, refusef("the register $fp of an inlined function")
		}
		p, err := c.register("$rbp")
		p.word = join(p.word, ownFramePointer)
		return p, err
	}
	if n, ok := registers[name]; ok {
		t := longType
		switch name {
		case "rip":
			t = codePointer
		case "rsp", "rbp":
			t = dataPointer
		}
		return place{typ: t, word: []plan.Instr{{Op: plan.Register, Arg: n}}}, nil
	}
	if whole, t, from := partOf(name); t != nil {
		word := []plan.Instr{{Op: plan.Register, Arg: registers[whole]}}
		if from > 0 {
			word = append(word, plan.Instr{Op: plan.Const, Arg: from}, plan.Instr{Op: plan.ShrU})
		}
		return place{typ: t, word: join(word, fit(t))}, nil
	}
	if c.dialect != nil {
		return place{}, refusef("the register $%s in %s", name, c.dialect.name)
	}
	if r, ok := flagRegisters[name]; ok {
		return place{typ: r.typ, word: []plan.Instr{{Op: plan.Register, Arg: r.number}}}, nil
	}
	if n, ok := numbered(name, "xmm", 16); ok {
		return halves(vectorType, firstVector+n), nil
	}
	if n, ok := numbered(name, "st", 8); ok {
		return halves(x87Type, plan.FloatStack+n), nil
	}
	return place{}, refusef("the register $%s", name)
}

// numbered is the number of one of a row of registers; false if the name is of another.
func numbered(name, row string, count int) (int64, bool) {
	for n := range count {
		if name == row+strconv.Itoa(n) {
			return int64(n), true
		}
	}
	return 0, false
}

// halves is a register of two words, the second of which may be a part.
func halves(t *value.Type, number int64) place {
	return place{typ: t, parts: []part{
		{size: 8, word: []plan.Instr{{Op: plan.Register, Arg: number}}},
		{size: t.Size - 8, word: []plan.Instr{{Op: plan.High, Arg: number}}},
	}}
}

// partOf is the register of which a name is a part, with the part's type and its first bit; no type if it is none.
func partOf(name string) (whole string, t *value.Type, from int64) {
	if len(name) < 2 {
		return "", nil, 0
	}
	last := name[len(name)-1]
	if _, ok := registers[name[:len(name)-1]]; ok && name[1] <= '9' { // r8d, r8w, r8l
		switch last {
		case 'd':
			return name[:len(name)-1], intType, 0
		case 'w':
			return name[:len(name)-1], int16Type, 0
		case 'l':
			return name[:len(name)-1], int8Type, 0
		}
	}
	for _, r := range []string{"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"} {
		short := strings.TrimSuffix(r, "x")
		switch {
		case name == "e"+r:
			return "r" + r, intType, 0
		case name == r:
			return "r" + r, int16Type, 0
		case name == short+"l":
			return "r" + r, int8Type, 0
		case name == short+"h" && r != short:
			return "r" + r, int8Type, 8
		}
	}
	return "", nil, 0
}
