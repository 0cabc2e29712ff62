package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// What is packed comes back, also of values that follow no other, and of more than a block.
func TestPacked(t *testing.T) {
	var none *Packed
	if none.Len() != 0 {
		t.Error("nil has samples")
	}
	for range none.All() {
		t.Error("nil has a sample")
	}
	extreme := []Sample{
		{Count: 1},
		{Time: math.MaxInt64, CPU: math.MinInt64, Thread: math.MaxUint32, Node: math.MaxUint32, Weight: math.MaxUint64, Count: math.MaxUint64},
		{Time: math.MinInt64, CPU: math.MaxInt64, Count: 1, Partial: true},
		{Count: 2, Untimed: true, Fields: []FieldValue{{1, ""}, {math.MaxUint32, "x"}}},
		{Count: 2, Untimed: true, Fields: []FieldValue{{1, "x"}}},
	}
	random := rand.New(rand.NewPCG(1, 2))
	many := make([]Sample, 200_000)
	for i := range many {
		many[i] = Sample{
			Time: time.Duration(random.Int64()), CPU: time.Duration(random.IntN(3)), Thread: random.Uint32N(3), Node: NodeID(random.Uint32N(1000)),
			Weight: random.Uint64N(2), Count: 1 + random.Uint64N(2), Partial: random.IntN(2) == 0, Untimed: random.IntN(2) == 0,
		}
		if random.IntN(10) == 0 {
			many[i].Fields = []FieldValue{{1, fmt.Sprint(random.IntN(5))}}
		}
	}
	for _, samples := range [][]Sample{nil, extreme[:1], extreme, many} {
		p := Packed{}
		var count, weight, partial uint64
		for i := range samples {
			p.Add(&samples[i])
			count, weight = count+samples[i].Count, weight+samples[i].Weight
			if samples[i].Partial {
				partial += samples[i].Count
			}
		}
		if p.Len() != len(samples) || p.Count != count || p.Weight != weight || p.Partial != partial {
			t.Errorf("%d samples, sums %d, %d, %d, want %d, %d, %d, %d", p.Len(), p.Count, p.Weight, p.Partial, len(samples), count, weight, partial)
		}
		for i := range p.All() {
			if i == 1 {
				break
			}
		}
		if got := p.unpacked(); !reflect.DeepEqual(got, samples) || p.Len() != len(samples) {
			t.Errorf("%d samples came back as %d others", len(samples), len(got))
		}
	}
}
