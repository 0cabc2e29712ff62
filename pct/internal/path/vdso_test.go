package path

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

// knowsNothing is a translator.
type knowsNothing struct{}

func (knowsNothing) TranslateBuild(_, _ string, vaddrs []uint64) ([][]translators.Location, error) {
	answers := make([][]translators.Location, len(vaddrs))
	for i := range answers {
		answers[i] = []translators.Location{{}}
	}
	return answers, nil
}

func TestVDSO(t *testing.T) {
	f, err := object.VDSO()
	if err != nil {
		t.Fatal(err)
	}
	functions, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	const name = "__vdso_clock_gettime"
	vaddr := uint64(0)
	for _, s := range functions {
		if s.Name == name {
			vaddr = s.Value + s.Size - 1
		}
	}
	id := f.BuildID()
	if vaddr == 0 || id == "" {
		t.Fatalf("no %s, or no build-id: %q", name, id)
	}
	for buildID, want := range map[string]string{
		id:                       "[vdso]:" + name,
		"":                       "[vdso]:0x",
		strings.Repeat("0b", 20): "[vdso]:0x",
	} {
		file := filepath.Join(t.TempDir(), "[vdso]")
		counts := data.Counts{Object: "[vdso]", ObjectKind: 1, BuildID: buildID, Clock: "prof", Resource: "cpu", Period: time.Millisecond, Start: time.Unix(1, 0)}
		if err := data.WriteCounts(file, &counts, map[uint64]uint64{vaddr: 3}); err != nil {
			t.Fatal(err)
		}
		runs, err := Open([]string{file})
		if err != nil {
			t.Fatal(err)
		}
		selected, err := runs.Select(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := selected.Flat(knowsNothing{}, Options{Granularity: Symbol})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Rows) != 1 || !strings.HasPrefix(p.Rows[0].Path.Innermost(), want) {
			t.Errorf("build-id %q: %+v, want %s", buildID, p.Rows, want)
		}
	}
}
