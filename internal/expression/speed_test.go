package expression

import (
	"testing"

	"github.com/profilecollection/pct/internal/plan"
)

// BenchmarkCompile compiles expressions in a program of C++ whose data are open.
func BenchmarkCompile(b *testing.B) {
	data := opened(b, build(b, "classes.cpp", "g++", "-g", "-O0"))
	o := NewObject(data)
	pc, ok := uint64(0), false
	for e := range data.Named("ns", "Nest", "work") {
		if pc, ok = o.begins(e); ok {
			break
		}
	}
	if !ok {
		b.Fatal("no code")
	}
	for _, x := range []string{"n", "inner.deep", "this->x + n * 2", "*this", "ns::counter", "nosuch", "(ns::Nest*)this"} {
		b.Run(x, func(b *testing.B) {
			for b.Loop() {
				o.Compile(x, pc+8, 0)
			}
		})
	}
}

func BenchmarkRun(b *testing.B) {
	code := []plan.Instr{{Op: plan.CFA}, {Op: plan.Const, Arg: -20}, {Op: plan.Add}, {Op: plan.Load, Size: 8}, {Op: plan.Const, Arg: 16}, {Op: plan.Add}, {Op: plan.OutMem, Arg: 8}, {Op: plan.End}}
	out := make([]byte, 0, 64)
	var f plan.Frame = anything{}
	b.ReportAllocs()
	for b.Loop() {
		plan.Run(code, f, out)
	}
}
