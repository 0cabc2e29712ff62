package unwind

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkUnwind(b *testing.B) {
	for _, depth := range []int{5, 50} {
		b.Run(fmt.Sprintf("depth %d", depth), func(b *testing.B) {
			p := trace(b, build(b, "deep.c", "-O2", "-fno-optimize-sibling-calls"), fmt.Sprint(depth-5))
			p.run()
			u, err := New(p.pid, NewCache())
			if err != nil {
				b.Fatal(err)
			}
			defer u.Close()
			mem := ProcessMemory(p.pid)
			fs, why := u.Unwind(p.few(), mem, nil)
			if why != Complete || len(fs) != depth {
				b.Fatalf("%v, %d frames\n%s", why, len(fs), describe(u, fs))
			}
			b.ReportAllocs()
			for b.Loop() {
				fs, _ = u.Unwind(p.few(), mem, fs[:0])
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, cached := range []bool{false, true} {
		b.Run(fmt.Sprintf("cached %v", cached), func(b *testing.B) {
			p := trace(b, build(b, "throw.cc", "-O2"))
			p.run()
			c := NewCache()
			b.ReportAllocs()
			for b.Loop() {
				if !cached {
					c = NewCache()
				}
				u, err := New(p.pid, c)
				if err != nil {
					b.Fatal(err)
				}
				u.Unwind(p.few(), u.objects.mem, nil)
				u.Close()
			}
		})
	}
}

// BenchmarkRecipe is what a pc costs that has not been seen before.
func BenchmarkRecipe(b *testing.B) {
	p := trace(b, build(b, "throw.cc", "-O2"))
	p.run()
	u := newUnwinder(b, p.pid)
	for _, o := range u.Objects() {
		s := o.image.functions()
		if !strings.Contains(o.Path, "libc.so") {
			continue
		}
		f := o.image.ehFrames()
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			recipeFor(f, s.Functions[i%len(s.Functions)].Low+7)
			i++
		}
	}
}
