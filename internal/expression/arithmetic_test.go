package expression

import (
	"testing"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// Numbers smaller than a word are shifted within their size.
func TestShifts(t *testing.T) {
	for _, x := range []struct {
		name string
		op   byte
		typ  *value.Type
		of   int64
		want int64
	}{
		{"logical, signed", dwShr, intType, -1 << 31, 1 << 30},
		{"logical, unsigned", dwShr, uintType, 1 << 31, 1 << 30},
		{"arithmetical, signed", dwShra, intType, -1 << 31, -1 << 30},
		{"arithmetical, unsigned", dwShra, uintType, 1 << 31, 3 << 30},
		{"logical, a word", dwShr, longType, -1 << 63, 1 << 62},
	} {
		l := &locator{c: &compiler{}}
		l.pushTyped(plan.Instr{Op: plan.Const, Arg: x.of}, x.typ)
		l.pushTyped(plan.Instr{Op: plan.Const, Arg: 1}, x.typ)
		if err := l.calculate(x.op); err != nil {
			t.Fatal(err)
		}
		b, outcome := plan.Run(append(l.code, plan.Instr{Op: plan.Out, Size: 8}), anything{}, nil)
		if got := int64(value.Number(b)); outcome != plan.Got || got != x.want {
			t.Errorf("%s: %#x, %v, want %#x", x.name, got, outcome, x.want)
		}
	}
}
