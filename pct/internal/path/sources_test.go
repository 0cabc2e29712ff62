package path

import (
	"reflect"
	"testing"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

func sourcesRuns(t *testing.T) *Selection {
	t.Helper()
	a := writeRun(t, "/bin/a", data.Meta{},
		call{weight: 10, frames: []uint64{atStart, atMain, atEven, atOdd, atEven, atOdd}},
		call{weight: 1, frames: []uint64{atMain, atEven}},
		call{weight: 2, frames: []uint64{atMain, atSym}},
		call{weight: 4})
	b := writeRun(t, "/bin/b", data.Meta{}, call{weight: 5, frames: []uint64{atMain, atOdd}})
	runs, err := Open([]string{a, b})
	check(t, err)
	s, err := runs.Select(nil, nil)
	check(t, err)
	return s
}

func TestSources(t *testing.T) {
	both := []string{"/bin/a", "/bin/b"}
	for _, c := range []struct {
		total bool
		want  []SourceFile
	}{
		{false, []SourceFile{
			{"/src/leaf.h", both, []SourceLine{{1, 15, 2}}, 15, 2},
			{"", []string{""}, nil, 4, 1},
			{"", []string{"/bin/a"}, nil, 2, 1},
			{"/src/lib.c", []string{"/bin/a"}, []SourceLine{{30, 1, 1}}, 1, 1},
		}},
		{true, []SourceFile{
			{"/src/main.c", both, []SourceLine{{20, 18, 4}}, 18, 4},
			{"/src/lib.c", both, []SourceLine{{30, 11, 2}, {40, 15, 2}}, 16, 3},
			{"/src/leaf.h", both, []SourceLine{{1, 15, 2}}, 15, 2},
			{"/crt/start.S", []string{"/bin/a"}, []SourceLine{{9, 10, 1}}, 10, 1},
			{"", []string{""}, nil, 4, 1},
			{"", []string{"/bin/a"}, nil, 2, 1},
		}},
	} {
		got, err := sourcesRuns(t).Sources(translator, Options{Total: c.total})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("total %v: %v, got\n%v\nwant\n%v", c.total, err, got, c.want)
		}
	}
}

func TestInstructions(t *testing.T) {
	want := []Instruction{
		{Object: "/bin/a", Vaddr: atEven, Weight: 1, Samples: 1, Frames: translator[atEven]},
		{Object: "/bin/a", Vaddr: atOdd, Weight: 10, Samples: 1, Frames: translator[atOdd]},
		{Object: "/bin/a", Vaddr: atSym, Weight: 2, Samples: 1, Frames: translator[atSym]},
		{Object: "/bin/b", Vaddr: atOdd, Weight: 5, Samples: 1, Frames: []translators.Location(translator[atOdd])},
	}
	got, err := sourcesRuns(t).Instructions(translator)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, got\n%v\nwant\n%v", err, got, want)
	}
}
