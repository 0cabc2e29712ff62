package gmon

import "testing"

// Whatever a file holds, it is read to an end, and a graph is made of what is in it.
func FuzzRead(f *testing.F) {
	content, _ := file()
	f.Add(content)
	f.Add(content[:len(content)-5])
	table := &symbols{all: []symbol{{0x1000, "main", false}, {0x1004, "f", true}, {0x1008, "g", false}}, end: 0x1010}
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := parse(content, "f")
		if d == nil && err == nil {
			t.Fatal("neither data nor an error")
		}
		if d == nil {
			return
		}
		sum := &Data{}
		for range 2 {
			if err := sum.Add(d); err != nil {
				return
			}
		}
		sum.Samples()
		sum.Rate()
		g := newGraph(table, sum)
		g.propagate()
		g.callGraph(func(s string) string { return s })
	})
}
