package addr2line

import (
	"slices"
	"testing"

	"github.com/profilecollection/pct/translators"
)

// What is left out is left out of the same answers: -innermost all frames but the
// first, -functions files and lines, -lines the functions of frames whose line is
// known.
func TestDetail(t *testing.T) {
	for _, c := range []struct{ source, flags string }{
		{"names.cc", "-O2 -gdwarf-5"},
		{"names.cc", "-O0 -gdwarf-4"},
		{"names.cc", "-O2 -flto -g"},
		{"names.cc", "-O2 -g1"},
		{"names.cc", "-O2"},
		{"names.cc", "-O2 -s"},
		{"chain.c", "-O2 -gdwarf-5 -gsplit-dwarf"},
		{"chain.c", "-O1 -gdwarf-2 -static"},
		{"asm.S", "-g -nostdlib -static -Wl,-e,0"},
	} {
		t.Run(c.source+" "+c.flags, func(t *testing.T) {
			program := build(t, c.source, c.flags)
			vaddrs := text(t, program, 4000)
			all := translate(t, program, vaddrs)
			functions := edit(all, func(f *translators.Location) { f.File, f.Line = "", 0 })
			lines := edit(all, func(f *translators.Location) {
				if f.File != "" && f.Line > 0 {
					f.Func = ""
				}
			})
			same(t, program, vaddrs, innermost(all), "-innermost")
			same(t, program, vaddrs, lines, "-lines")
			same(t, program, vaddrs, innermost(lines), "-innermost", "-lines")
			same(t, program, vaddrs, functions, "-functions")
			same(t, program, vaddrs, innermost(functions), "-innermost", "-functions")
		})
	}
}

// edit returns answers with each frame changed.
func edit(answers [][]translators.Location, change func(*translators.Location)) [][]translators.Location {
	all := make([][]translators.Location, len(answers))
	for i, frames := range answers {
		all[i] = slices.Clone(frames)
		for j := range all[i] {
			change(&all[i][j])
		}
	}
	return all
}

// innermost returns answers with their first frames alone.
func innermost(answers [][]translators.Location) [][]translators.Location {
	all := make([][]translators.Location, len(answers))
	for i, frames := range answers {
		all[i] = frames[:1]
	}
	return all
}

// same requires that the answers with the flags given are those wanted.
func same(t *testing.T, program string, vaddrs []uint64, want [][]translators.Location, flags ...string) {
	t.Helper()
	for i, got := range translate(t, program, vaddrs, flags...) {
		if !slices.Equal(got, want[i]) {
			t.Errorf("%v: 0x%x: %v, want %v", flags, vaddrs[i], got, want[i])
		}
	}
}
