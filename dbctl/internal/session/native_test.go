package session

import (
	"testing"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/unwind"
)

// A recursive function that passes the sum of what it was passed, twice, would take a time that doubles with
// each call.
func TestAskedCallers(t *testing.T) {
	const low, returns, first = 0x1000, 0x1010, 0x2010
	object := &unwind.Object{Kind: unwind.File}
	frames := make([]unwind.Frame, 100)
	for i := range frames {
		frames[i] = unwind.Frame{PC: returns, Object: object, Exact: i == 0}
	}
	frames[len(frames)-1].PC = first
	seven := []plan.Instr{{Op: plan.Const, Arg: 7}, {Op: plan.Out, Size: 8}, {Op: plan.End}}
	twice := []plan.Instr{{Op: plan.Entry, Arg: 5}, {Op: plan.Entry, Arg: 5}, {Op: plan.Add}, {Op: plan.Out, Size: 8}, {Op: plan.End}}
	d := &debugObject{
		scopes: []*scope{{low: low, high: low + 0x100, entry: low}},
		passed: map[passing][]plan.Instr{{returns, low, 5}: twice, {first, low, 5}: seven},
	}
	a := &activation{p: &process{now: &moment{frames: frames}}, d: d}
	if v, ok := a.Entry(5); ok || *a.asked > mostAsked+1 {
		t.Errorf("%d, after callers were asked %d times", v, *a.asked)
	}
	if v, ok := (&activation{p: a.p, d: d, level: len(frames) - 4}).Entry(5); !ok || v != 7*4 {
		t.Errorf("passed: %d, %v", v, ok)
	}
}
