package expression

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Parameters have their values from a function's first instruction to its last, or none where it has not stored
// them yet.
func TestPrologue(t *testing.T) {
	want := map[string]string{"a": "11", "s[0]": "116 't'", "d": "2.5", "c": "113 'q'", "e": "55", "seventh": "66", "b.y": "8", "this->own": "77", "own": "77", "a+1": "12"}
	for _, cc := range []string{
		"g++ -g -O0", "clang++ -g -O0", "g++ -g -O0 -fomit-frame-pointer",
		"g++ -g -O0 -fstack-protector-all -fstack-clash-protection", "g++ -g -O0 -gsplit-dwarf", "g++ -g -O0 -gdwarf-4 -fcf-protection=full", "g++ -g -Og", "g++ -g -O2",
	} {
		t.Run(cc, func(t *testing.T) {
			s := start(t, build(t, "prologue.cpp", strings.Fields(cc)...))
			if !s.runTo("body::leaf", 0) {
				t.Fatal("leaf has no code")
			}
			got, none := map[string]int{}, map[string]int{}
			steps := 0
			for ; steps < 1000 && s.path[0].Object != nil && s.path[0].Object.Path == s.exe; steps++ {
				pc := s.path[0].Vaddr()
				acts := s.object.Activations(pc)
				if len(acts) == 0 || acts[len(acts)-1].Name() != "leaf" && acts[len(acts)-1].Origin().Name() != "leaf" {
					break
				}
				for x, value := range want {
					q := asked{expression: x, pc: pc}
					q.evaluate(s, 0, 0)
					switch q.ours {
					case "", "<optimized out>":
						none[x]++
					case value:
						got[x]++
					default:
						t.Errorf("%s is %s after %d instructions, at %#x", x, q.ours, steps, pc)
					}
				}
				if err := unix.PtraceSingleStep(s.pid); err != nil {
					t.Fatal(err)
				}
				s.wait()
				s.look()
			}
			t.Logf("%d instructions: values %v, none %v", steps, got, none)
			for x := range want {
				if strings.Contains(cc, "-O0") && got[x] < 10 {
					t.Errorf("%s has a value at %d instructions of %d", x, got[x], steps)
				}
			}
		})
	}
}
