package plan

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
)

// What is calculated with numbers of 80 bits is what the processor makes of them.
func TestExtended(t *testing.T) {
	program := filepath.Join(t.TempDir(), "x87")
	if out, err := exec.Command("gcc", "-O1", "-o", program, "testdata/x87.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 3))
	var numbers []x87
	for _, mantissa := range []uint64{0, 1, 2, integerBit, integerBit | 1, math.MaxUint64, integerBit | quietBit, integerBit | quietBit | 5, integerBit | 7} {
		for _, exponent := range []uint16{0, 1, 2, 60, bias - 64, bias, bias + 1, bias + 63, largest - 1, largest, signBit, signBit | bias, signBit | largest} {
			numbers = append(numbers, x87{mantissa, exponent})
		}
	}
	one := func() x87 {
		x := x87{random.Uint64() | integerBit, uint16(random.IntN(1 << 16))}
		switch random.IntN(6) {
		case 0:
			return numbers[random.IntN(len(numbers))]
		case 1:
			x.exponent = uint16(random.IntN(140)) | x.exponent&signBit // small ones
		case 2:
			x.exponent = uint16(bias-70+random.IntN(140)) | x.exponent&signBit
		case 3:
			x.exponent, x.mantissa = x.exponent&signBit, x.mantissa<<random.IntN(64)>>random.IntN(64)
		case 4:
			x.exponent, x.mantissa = uint16(bias-1100+random.IntN(2200))|x.exponent&signBit, x.mantissa&^(1<<random.IntN(60)-1) // at the ends of doubles
		}
		return x
	}
	ops := []Instr{{Op: XAdd}, {Op: XSub}, {Op: XMul}, {Op: XDiv}, {Op: XEq}, {Op: XNe}, {Op: XLt}, {Op: XLe}, {Op: XFromS}, {Op: XFromU}, {Op: XFromF}, {Op: XToF}, {Op: XToF, Size: 4}}
	const count = 30000
	var asked bytes.Buffer
	var codes [][]Instr
	push := func(x x87) []Instr {
		return []Instr{{Op: Const, Arg: int64(x.mantissa)}, {Op: Const, Arg: int64(x.exponent)}}
	}
	for n := range count {
		op, a, b := n%len(ops), one(), one()
		if random.IntN(8) == 0 {
			b = a
		}
		for _, v := range []uint64{uint64(op), a.mantissa, uint64(a.exponent), b.mantissa, uint64(b.exponent)} {
			asked.Write(binary.LittleEndian.AppendUint64(nil, v))
		}
		code := push(a)
		switch i := ops[op].Op; {
		case i <= XLe:
			code = append(code, push(b)...)
		case i < XToS:
			code = code[:1]
		}
		code = append(code, ops[op])
		if i := ops[op].Op; i <= XDiv || i >= XFromS && i < XToS {
			code = append(code, Instr{Op: Swap}, Instr{Op: Out, Size: 8})
		}
		codes = append(codes, append(code, Instr{Op: Out, Size: 8}))
	}
	cmd := exec.Command(program)
	cmd.Stdin = &asked
	theirs, err := cmd.Output()
	if err != nil || len(theirs) != 16*count {
		t.Fatalf("%d bytes: %v", len(theirs), err)
	}
	for n, code := range codes {
		ours, why := Run(code, nil, nil)
		if want := theirs[16*n:][:len(ours)]; why != Got || !bytes.Equal(ours, want) {
			t.Errorf("%v\nis %x, want %x", code, ours, want)
		}
		if t.Failed() && n > 200 {
			break
		}
	}
}

func TestExtendedFromText(t *testing.T) {
	for text, want := range map[string]x87{
		"0.1": {0xcccccccccccccccd, 0x3ffb}, "1": {integerBit, bias}, "0": {}, "1e4932": {0xd72cb2a95c7ef6cd, 0x7ffe}, "1e5000": {integerBit, largest}, "1e-4950": {0x3, 0},
	} {
		if mantissa, exponent, ok := Extended(text); !ok || mantissa != want.mantissa || exponent != uint64(want.exponent) {
			t.Errorf("%s is %#x %#x, want %#x", text, mantissa, exponent, want)
		}
	}
}
