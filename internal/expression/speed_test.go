package expression

import (
	"debug/dwarf"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/object/debuginfo"
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

// BenchmarkOpen opens the debug data of -program, and compiles a first expression: what is there of the first
// function that has a parameter.
func BenchmarkOpen(b *testing.B) {
	argv := strings.Fields(*programs)
	if len(argv) == 0 {
		b.Skip("no -program")
	}
	name, pc := firstParameter(opened(b, argv[0]))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewObject(opened(b, argv[0])).Compile(name, pc, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func firstParameter(data *debuginfo.Data) (name string, pc uint64) {
	for unit := range data.Units() {
		for f := range unit.Children() {
			if low, ok := f.Begins(); ok && f.Tag() == dwarf.TagSubprogram {
				for v := range f.Children() {
					if v.Tag() == dwarf.TagFormalParameter && v.Name() != "" {
						return v.Name(), low
					}
				}
			}
		}
	}
	return "", 0
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
