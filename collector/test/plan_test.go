package collector_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/plan"
)

// madeUp is the frame of testdata/plans.c.
type madeUp struct{ memory []byte }

const planBase, planBias = 0x10000, 0x7000

func newMadeUp() madeUp {
	b := make([]byte, 0x2100)
	for i := range b {
		b[i] = byte(i * 31 % 97)
		if i >= len(b)-80 {
			b[i]++
		}
	}
	return madeUp{b}
}

func (madeUp) Register(n int) (uint64, bool) {
	return uint64(planBase + 0x101*n), uint(n) < 33 && n != 11
}
func (madeUp) High(n int) (uint64, bool)       { return uint64(n) * 0x9e3779b97f4a7c15, n >= 17 && n < 33 }
func (madeUp) CFA() (uint64, bool)             { return planBase + 0x800, true }
func (madeUp) Entry(int) (uint64, bool)        { return 0, false }
func (madeUp) Bias() uint64                    { return planBias }
func (madeUp) Thread(at uint64) (uint64, bool) { return planBase + at, true }
func (f madeUp) Read(b []byte, addr uint64) bool {
	at := addr - planBase
	if len(b) == 0 {
		return true
	}
	if at > uint64(len(f.memory)) || uint64(len(b)) > uint64(len(f.memory))-at {
		return false
	}
	copy(b, f.memory[at:])
	return true
}

// words are numbers at which something ends, and addresses.
var words = []uint64{
	0, 1, 2, 3, 7, 8, 63, 64, 65, 127, 128, 255, 256, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1,
	math.MaxUint64, math.MaxUint64 - 1, planBase, planBase + 1, planBase + 0x1000 - 3, planBase + 0x20f9, planBase + 0x20ff, planBase + 0x2100,
	math.Float64bits(0.5), math.Float64bits(-1.5), math.Float64bits(1e300), math.Float64bits(-1e19), math.Float64bits(9.3e18),
	math.Float64bits(5e-324), math.Float64bits(1e-310), math.Float64bits(1.0000000001), math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)),
	math.Float64bits(math.NaN()), 0x7ff0000000000001, 0xfff8000000000123, uint64(math.Float32bits(1e-40)), uint64(math.Float32bits(3.5)), 0x7f800001,
}

// fixed are plans that try each operation with each pair of words.
func fixed() [][]plan.Instr {
	var all [][]plan.Instr
	for op := plan.Neg; op <= plan.Round32; op++ {
		for _, a := range words {
			for _, b := range words {
				all = append(all, []plan.Instr{{Op: plan.Const, Arg: int64(a)}, {Op: plan.Const, Arg: int64(b)}, {Op: op}, {Op: plan.Out, Size: 8}, {Op: plan.End}})
			}
		}
	}
	for op := plan.Add; op <= plan.ModU; op++ {
		for _, a := range words {
			for _, b := range words {
				all = append(all, []plan.Instr{{Op: plan.Const, Arg: int64(a)}, {Op: plan.Const, Arg: int64(b)}, {Op: op}, {Op: plan.Out, Size: 8}, {Op: plan.End}})
			}
		}
	}
	for op := plan.Extend; op <= plan.Truncate; op++ {
		for size := range uint8(10) {
			for _, a := range words {
				all = append(all, []plan.Instr{{Op: plan.Const, Arg: int64(a)}, {Op: op, Size: size}, {Op: plan.Out, Size: 8}})
			}
		}
	}
	for _, a := range words {
		for most := range int64(200) {
			for _, size := range []uint8{0, 2, 4} {
				all = append(all, []plan.Instr{{Op: plan.Const, Arg: int64(a)}, {Op: plan.OutText, Size: size, Arg: most}})
			}
			all = append(all, []plan.Instr{{Op: plan.Const, Arg: int64(a)}, {Op: plan.OutMem, Arg: 50 * most}})
		}
	}
	for _, a := range words {
		for _, b := range words {
			for _, most := range []int64{-1, 0, 1, 64, 0x2100, 0xfffe, 0xffff} {
				all = append(all, []plan.Instr{{Op: plan.Const, Arg: int64(a)}, {Op: plan.Const, Arg: int64(b)}, {Op: plan.OutBlock, Arg: most}, {Op: plan.Out, Size: 1}})
			}
		}
		for size := range uint8(9) {
			all = append(all, []plan.Instr{{Op: plan.Const, Arg: int64(a)}, {Op: plan.Load, Size: size, Arg: 1}, {Op: plan.Out, Size: 8}})
		}
	}
	loop := []plan.Instr{{Op: plan.Const, Arg: 1}, {Op: plan.Jump, Arg: -1}}
	grows := []plan.Instr{{Op: plan.Const, Arg: 1}, {Op: plan.Jump, Arg: -2}}
	counts := []plan.Instr{{Op: plan.Const, Arg: 1000}, {Op: plan.Const, Arg: -1}, {Op: plan.Add}, {Op: plan.Dup}, {Op: plan.JumpZero, Arg: 1}, {Op: plan.Jump, Arg: -5}, {Op: plan.Out, Size: 3}}
	more := []plan.Instr{{Op: plan.Const, Arg: 1}, {Op: plan.Out, Size: 8}, {Op: plan.Jump, Arg: -3}}
	texts := []plan.Instr{{Op: plan.Const, Arg: planBase}, {Op: plan.OutText, Arg: 60}, {Op: plan.Jump, Arg: -3}}
	full := []plan.Instr{{Op: plan.OutGone, Arg: 65532}, {Op: plan.Const}, {Op: plan.Out, Size: 2}}
	strange := []plan.Instr{{Op: plan.End + 1}}
	before, behind := []plan.Instr{{Op: plan.Jump, Arg: math.MinInt64}}, []plan.Instr{{Op: plan.Jump, Arg: 1 << 40}}
	return append(all, more, texts, full, strange, before, behind, loop, grows, counts, []plan.Instr{{Op: plan.OutGone, Arg: 65536}}, []plan.Instr{{Op: plan.OutGone, Arg: 65537}}, nil)
}

// randomPlan is a plan that mostly comes to something.
func randomPlan(r *rand.Rand) []plan.Instr {
	code := make([]plan.Instr, 1+r.IntN(30))
	for n := range code {
		i := plan.Instr{Op: plan.Op(r.IntN(int(plan.End) + 1)), Size: uint8(r.IntN(9))}
		if r.IntN(3) == 0 {
			i.Op = plan.Const
		}
		switch i.Op {
		case plan.Const:
			i.Arg = int64(words[r.IntN(len(words))])
			if r.IntN(4) == 0 {
				i.Arg = int64(r.Uint64() >> r.IntN(64))
			}
		case plan.Address:
			i.Arg = int64(planBase - planBias + r.IntN(0x2200))
		case plan.Fail:
			if i.Arg = int64(1 + r.IntN(7)); r.IntN(4) > 0 {
				i.Op = plan.Dup
			}
		case plan.Jump, plan.JumpZero:
			if i.Arg = int64(r.IntN(len(code) - n)); r.IntN(5) == 0 {
				i.Arg = -int64(r.IntN(n + 2))
			}
		case plan.Load:
			i.Arg = int64(r.IntN(2))
		case plan.End:
			if r.IntN(4) > 0 {
				i.Op = plan.Register
			}
			i.Arg = int64(r.IntN(35))
		default:
			i.Arg = int64(r.IntN(35))
		}
		code[n] = i
	}
	return append(code, plan.Instr{Op: plan.Out, Size: 8})
}

// The library executes plans as package plan does: all outcomes and bytes are the same.
func TestPlansAsInGo(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	plans := fixed()
	for range 100000 {
		plans = append(plans, randomPlan(r))
	}
	var in bytes.Buffer
	for _, code := range plans {
		binary.Write(&in, binary.LittleEndian, uint32(len(code)))
		for _, i := range code {
			in.Write([]byte{byte(i.Op), i.Size, 0, 0, 0, 0, 0, 0})
			in.Write(binary.LittleEndian.AppendUint64(nil, uint64(i.Arg)))
		}
	}
	for _, checks := range [][]string{nil, {"-fsanitize=undefined,address", "-fno-sanitize-recover=all"}} {
		exe := filepath.Join(t.TempDir(), "plans")
		args := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-o", exe, "testdata/plans.c", "../plan.c", "../number.c"}, checks...)
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		cmd := exec.Command(exe)
		cmd.Stdin = bytes.NewReader(in.Bytes())
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", checks, err, said.Bytes())
		}
		comparePlans(t, plans, out)
	}
}

func comparePlans(t *testing.T, plans [][]plan.Instr, out []byte) {
	t.Helper()
	f := newMadeUp()
	got, values := map[plan.Outcome]int{}, 0
	for _, code := range plans {
		if len(out) < 5 || len(out)-5 < int(binary.LittleEndian.Uint32(out[1:])) {
			t.Fatal("the output ends too early")
		}
		outcome, length := plan.Outcome(out[0]), int(binary.LittleEndian.Uint32(out[1:]))
		bytesGot := out[5 : 5+length]
		out = out[5+length:]
		want, why := plan.Run(code, f, nil)
		if why != outcome || !bytes.Equal(want, bytesGot) {
			t.Fatalf("%v:\nthe library has %d, %d bytes, %.100x\npackage plan %d, %d bytes, %.100x", code, outcome, length, bytesGot, why, len(want), want)
		}
		got[why]++
		values += len(want)
	}
	for why := plan.Got; why < plan.NoThread; why++ {
		if got[why] == 0 {
			t.Errorf("no plan came to outcome %d", why)
		}
	}
	if got[plan.Got] < len(plans)/10 || values < len(plans) {
		t.Errorf("%v of %d plans, %d bytes", got, len(plans), values)
	}
}
