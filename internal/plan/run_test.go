package plan

import (
	"math"
	"testing"
)

// still is a frame whose registers hold their number times 10, and whose memory begins at 0x1000.
type still struct{ memory []byte }

func (s still) Register(n int) (uint64, bool)    { return uint64(10 * n), n < 17 }
func (s still) High(n int) (uint64, bool)        { return uint64(n), n >= 17 }
func (s still) CFA() (uint64, bool)              { return 0x1008, true }
func (s still) Entry(n int) (uint64, bool)       { return 77, n == 5 }
func (s still) Bias() uint64                     { return 0x100 }
func (s still) Thread(off uint64) (uint64, bool) { return 0x1000 + off, off < 8 }
func (s still) Read(b []byte, addr uint64) bool {
	if addr < 0x1000 || addr > 0x1000+uint64(len(s.memory)) || uint64(len(b)) > 0x1000+uint64(len(s.memory))-addr {
		return false
	}
	copy(b, s.memory[addr-0x1000:])
	return true
}

var frame = still{append([]byte("\x01\x02\x03\x04\x05\x06\x07\x88hello\x00rest"), make([]byte, 4078)...)}

func TestOps(t *testing.T) {
	f := func(d float64) int64 { return int64(math.Float64bits(d)) }
	c := func(v int64) Instr { return Instr{Op: Const, Arg: v} }
	for _, x := range []struct {
		name string
		code []Instr
		want int64
	}{
		{"address", []Instr{{Op: Address, Arg: 5}}, 0x105},
		{"register", []Instr{{Op: Register, Arg: 3}}, 30},
		{"high", []Instr{{Op: High, Arg: 18}}, 18},
		{"cfa", []Instr{{Op: CFA}}, 0x1008},
		{"entry", []Instr{{Op: Entry, Arg: 5}}, 77},
		{"thread", []Instr{{Op: Thread, Arg: 4}}, 0x1004},
		{"load 2", []Instr{c(0x1001), {Op: Load, Size: 2}}, 0x302},
		{"load 8", []Instr{c(0x1000), {Op: Load, Size: 8}}, -0x77f8f9fafbfcfdff},
		{"extend", []Instr{c(0x180), {Op: Extend, Size: 1}}, -128},
		{"truncate", []Instr{c(-1), {Op: Truncate, Size: 2}}, 0xffff},
		{"dup", []Instr{c(3), {Op: Dup}, {Op: Mul}}, 9},
		{"drop", []Instr{c(3), c(4), {Op: Drop}}, 3},
		{"swap", []Instr{c(3), c(4), {Op: Swap}, {Op: Sub}}, 1},
		{"pick", []Instr{c(3), c(4), c(5), {Op: Pick, Arg: 2}}, 3},
		{"rotate", []Instr{c(1), c(2), c(3), {Op: Rotate}, {Op: Drop}}, 1},
		{"add", []Instr{c(1), c(2), {Op: Add}}, 3},
		{"divide", []Instr{c(-7), c(2), {Op: DivS}}, -3},
		{"divide by -1", []Instr{c(math.MinInt64), c(-1), {Op: DivS}}, math.MinInt64},
		{"divide unsigned", []Instr{c(-1), c(2), {Op: DivU}}, math.MaxInt64},
		{"rest", []Instr{c(-7), c(2), {Op: ModS}}, -1},
		{"rest by -1", []Instr{c(math.MinInt64), c(-1), {Op: ModS}}, 0},
		{"rest unsigned", []Instr{c(7), c(4), {Op: ModU}}, 3},
		{"negative", []Instr{c(7), {Op: Neg}}, -7},
		{"not", []Instr{c(7), {Op: Not}}, -8},
		{"and", []Instr{c(6), c(3), {Op: And}}, 2},
		{"or", []Instr{c(6), c(3), {Op: Or}}, 7},
		{"xor", []Instr{c(6), c(3), {Op: Xor}}, 5},
		{"shift left", []Instr{c(1), c(63), {Op: Shl}}, math.MinInt64},
		{"shift far", []Instr{c(1), c(64), {Op: Shl}}, 0},
		{"shift sign", []Instr{c(-8), c(1), {Op: ShrS}}, -4},
		{"shift right", []Instr{c(-1), c(63), {Op: ShrU}}, 1},
		{"equal", []Instr{c(1), c(1), {Op: Eq}}, 1},
		{"not equal", []Instr{c(1), c(1), {Op: Ne}}, 0},
		{"less", []Instr{c(-1), c(1), {Op: LtS}}, 1},
		{"less unsigned", []Instr{c(-1), c(1), {Op: LtU}}, 0},
		{"at most", []Instr{c(1), c(1), {Op: LeS}}, 1},
		{"at most unsigned", []Instr{c(-1), c(1), {Op: LeU}}, 0},
		{"fraction", []Instr{c(f(1.5)), c(f(0.25)), {Op: FAdd}}, f(1.75)},
		{"fraction less", []Instr{c(f(1.5)), c(f(0.25)), {Op: FSub}}, f(1.25)},
		{"fraction times", []Instr{c(f(1.5)), c(f(2)), {Op: FMul}}, f(3)},
		{"fraction by zero", []Instr{c(f(1)), c(f(0)), {Op: FDiv}}, f(math.Inf(1))},
		{"fraction sign", []Instr{c(f(1)), {Op: FNeg}}, f(-1)},
		{"fractions equal", []Instr{c(f(0)), c(f(math.Copysign(0, -1))), {Op: FEq}}, 1},
		{"no number", []Instr{c(f(math.NaN())), c(f(math.NaN())), {Op: FNe}}, 1},
		{"fraction less than", []Instr{c(f(-1)), c(f(1)), {Op: FLt}}, 1},
		{"fraction at most", []Instr{c(f(1)), c(f(1)), {Op: FLe}}, 1},
		{"from signed", []Instr{c(-3), {Op: FromS}}, f(-3)},
		{"from unsigned", []Instr{c(-1), {Op: FromU}}, f(1 << 64)},
		{"to whole", []Instr{c(f(-3.9)), {Op: ToS}}, -3},
		{"to whole, far", []Instr{c(f(1e300)), {Op: ToS}}, math.MaxInt64},
		{"to whole, no number", []Instr{c(f(math.NaN())), {Op: ToS}}, math.MaxInt64},
		{"from float", []Instr{c(int64(math.Float32bits(0.5))), {Op: FromF32}}, f(0.5)},
		{"to float", []Instr{c(f(0.5)), {Op: ToF32}}, int64(math.Float32bits(0.5))},
		{"as a float", []Instr{c(f(0.1)), {Op: Round32}}, f(float64(float32(0.1)))},
		{"jump", []Instr{c(1), {Op: Jump, Arg: 1}, {Op: Neg}}, 1},
		{"jump if zero", []Instr{c(1), c(0), {Op: JumpZero, Arg: 1}, {Op: Neg}}, 1},
		{"no jump", []Instr{c(1), c(9), {Op: JumpZero, Arg: 1}, {Op: Neg}}, -1},
	} {
		b, why := Run(append(x.code, Instr{Op: Out, Size: 8}, Instr{Op: End}), frame, []byte("before"))
		if why != Got || string(b[:6]) != "before" || len(b) != 14 {
			t.Errorf("%s: %v, %q", x.name, why, b)
			continue
		}
		got := uint64(0)
		for i := 7; i >= 0; i-- {
			got = got<<8 | uint64(b[6+i])
		}
		if int64(got) != x.want {
			t.Errorf("%s: %d, not %d", x.name, int64(got), x.want)
		}
	}
}

func TestOutput(t *testing.T) {
	c := func(v int64) Instr { return Instr{Op: Const, Arg: v} }
	for _, x := range []struct {
		name string
		code []Instr
		want string
		why  Outcome
	}{
		{"memory", []Instr{c(0x1000), {Op: OutMem, Arg: 3}}, "\x01\x02\x03", Got},
		{"no memory", []Instr{c(0x2000), {Op: OutMem, Arg: 3}}, "", NoMemory},
		{"load of none", []Instr{c(0), {Op: Load, Size: 8}, {Op: Out, Size: 8}}, "", NoMemory},
		{"gone", []Instr{{Op: OutGone, Arg: 2}, c(7), {Op: Out, Size: 1}}, "\x00\x00\x07", Got},
		{"text", []Instr{c(0x1008), {Op: OutText, Arg: 200}}, "\x06\x00hello\x00", Got},
		{"wide text", []Instr{c(0x100a), {Op: OutText, Size: 2, Arg: 200}}, "\x0a\x00llo\x00rest\x00\x00", Got},
		{"wide text, cut", []Instr{c(0x1008), {Op: OutText, Size: 2, Arg: 3}}, "\x02\x00he", Got},
		{"text, cut", []Instr{c(0x1008), {Op: OutText, Arg: 3}}, "\x03\x00hel", Got},
		{"block", []Instr{c(0x1008), c(4), {Op: OutBlock, Arg: 200}, {Op: Out, Size: 1}}, "\x04\x00hell\x01", Got},
		{"block, cut", []Instr{c(0x1008), c(-1), {Op: OutBlock, Arg: 2}, {Op: Out, Size: 1}}, "\x02\x00he\x01", Got},
		{"empty block", []Instr{c(0), c(0), {Op: OutBlock, Arg: 2}, {Op: Out, Size: 1}}, "\x00\x00\x01", Got},
		{"no block", []Instr{c(0x9000), c(1), {Op: OutBlock, Arg: 2}, {Op: Out, Size: 1}}, "\xff\xff\x00", Got},
		{"block in part", []Instr{c(0x1000), c(0x2000), {Op: OutBlock, Arg: 0x2000}, {Op: Out, Size: 1}}, "\xff\xff\x00", Got},
		{"load of none but -1", []Instr{c(0x9000), {Op: Load, Size: 1, Arg: 1}, {Op: Out, Size: 2}}, "\xff\xff", Got},
		{"block too long", []Instr{c(0x1000), c(1), {Op: OutBlock, Arg: 0xffff}}, "", TooLong},
		{"no text", []Instr{c(0), {Op: OutText, Arg: 3}}, "\xff\xff", Got},
		{"text of no memory", []Instr{c(0x9000), {Op: OutText, Arg: 3}}, "\xff\xff", Got},
		{"by zero", []Instr{c(1), c(0), {Op: DivS}}, "", DivisionByZero},
		{"rest by zero", []Instr{c(1), c(0), {Op: ModU}}, "", DivisionByZero},
		{"failure", []Instr{c(1), {Op: Out, Size: 8}, {Op: Fail, Arg: int64(OptimizedOut)}}, "", OptimizedOut},
		{"no register", []Instr{{Op: Register, Arg: 40}}, "", NoRegister},
		{"not entered with", []Instr{{Op: Entry, Arg: 1}}, "", NoEntry},
		{"no thread", []Instr{{Op: Thread, Arg: 100}}, "", NoThread},
		{"empty stack", []Instr{{Op: Add}}, "", TooLong},
		{"pick of none", []Instr{c(1), {Op: Pick, Arg: 1}}, "", TooLong},
		{"negative pick", []Instr{c(1), {Op: Pick, Arg: -1}}, "", TooLong},
		{"loop", []Instr{{Op: Jump, Arg: -1}}, "", TooLong},
		{"loop that pushes", []Instr{c(1), {Op: Jump, Arg: -2}}, "", TooLong},
		{"jump before the first", []Instr{{Op: Jump, Arg: -5}}, "", TooLong},
		{"jump far before", []Instr{{Op: Jump, Arg: math.MinInt64}}, "", TooLong},
		{"jump behind the last", []Instr{{Op: Jump, Arg: 1 << 40}}, "", TooLong},
		{"too much", []Instr{c(0x1000), {Op: OutMem, Arg: 1 << 40}}, "", TooLong},
		{"too much that is gone", []Instr{{Op: OutGone, Arg: Longest + 1}}, "", TooLong},
		{"less than nothing", []Instr{c(0x1000), {Op: OutMem, Arg: -1}}, "", TooLong},
		{"too many words", []Instr{c(1), {Op: Out, Size: 8}, {Op: Jump, Arg: -3}}, "", TooLong},
		{"too many texts", []Instr{c(0x1008), {Op: OutText, Arg: 60}, {Op: Jump, Arg: -3}}, "", TooLong},
		{"no such op", []Instr{c(1), {Op: End + 1}}, "", TooLong},
		{"size of no word", []Instr{c(0x1000), {Op: Load, Size: 9}}, "", TooLong},
		{"output of no word", []Instr{c(1), {Op: Out, Size: 200}}, "", TooLong},
	} {
		b, why := Run(x.code, frame, nil)
		if why != x.why || string(b) != x.want {
			t.Errorf("%s: %q, %d, not %q, %d", x.name, b, why, x.want, x.why)
		}
	}
}

// A plan is run in every sample: it takes no memory of its own.
func TestAllocations(t *testing.T) {
	out := make([]byte, 0, 4096)
	var f Frame = frame
	code := []Instr{{Op: CFA}, {Op: OutMem, Arg: 8}, {Op: Const, Arg: 0x1000}, {Op: Load, Size: 4}, {Op: Out, Size: 4}, {Op: CFA}, {Op: OutText, Arg: 200}, {Op: End}}
	if n := testing.AllocsPerRun(100, func() { Run(code, f, out) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRun(f *testing.F) {
	f.Add([]byte{byte(Const), 8, 0, byte(Dup), 0, 0, byte(Out), 8, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var code []Instr
		for ; len(b) >= 3; b = b[3:] {
			code = append(code, Instr{Op: Op(b[0]), Size: b[1], Arg: int64(int8(b[2])) << (b[1] % 60)})
		}
		if out, _ := Run(code, frame, nil); len(out) > Longest {
			t.Errorf("%d bytes", len(out))
		}
	})
}
