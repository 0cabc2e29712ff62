package path

import (
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// TestQuantities: of numbers there is a mean, of pointers, characters, booleans and
// enumerators there is none.
func TestQuantities(t *testing.T) {
	for value, numeric := range map[string]bool{
		"42": true, "-1.5e+30": true, "0": true,
		"0x55d0": false, "(node *) 0x55d0": false, "0x401136 <main+4>": false, `0x4006 "x"`: false,
		"65 'A'": false, `0 '\000'`: false, "true": false, "RED": false, "(RED | 4)": false,
	} {
		c := call{weight: 1, frames: []uint64{atMain}, fields: map[string]string{"v": value}}
		columns, err := selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, c)).Tabulate(nil, []string{"v"}, Options{})
		check(t, err)
		if columns[0].Numeric != numeric {
			t.Errorf("%s: %+v", value, columns[0])
		}
	}
}

// TestKilledTime: a process that was killed before it could say what CPU time it used has that which its
// samples stand for, and no time on the clock.
func TestKilledTime(t *testing.T) {
	calls := []call{{weight: 1, frames: []uint64{atMain}}, {weight: 1, frames: []uint64{atMain}}}
	dir := writeRun(t, "/bin/prog", data.Meta{Pid: 7, Start: time.Now(), State: "running", Collector: "libpct"}, calls...)
	rows, _, err := new(Reader).Lineage([]string{dir}, time.Now())
	check(t, err)
	if len(rows) != 1 || rows[0].CPU != 20*time.Millisecond || rows[0].Wall != 0 {
		t.Errorf("%+v", rows)
	}
}
