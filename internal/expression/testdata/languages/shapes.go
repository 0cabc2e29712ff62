// Values of Go's types, for expressions. It runs until it is killed.
package main

import "runtime"

type point struct {
	x int
	y float64
}

type kind uint8

const (
	round kind = iota + 1
	square
)

type named interface{ name() string }

type shape struct {
	corner point
	sizes  [3]int32
	label  string
	filled bool
	kind   kind
	marks  []int
	next   *shape
	named  named
	table  map[string]int
	call   func(int) int
}

func (s *shape) name() string { return s.label }

var (
	counter = 3
	moved   = 99 // a local variable hides it
	taken   = 98
	kept    *int
	grid    = [2][3]int16{{1, 2, 3}, {4, 5, 6}}
	ratio   = float32(0.5)
	bytes   = [4]byte{'a', 'b', 0, 200}
	wide    = uint64(1 << 63)
	first   = &shape{corner: point{1, 2.5}, sizes: [3]int32{4, 5, 6}, label: "first", filled: true, kind: square, marks: []int{7, 8, 9}}
	letter  = 'x'
	z       = complex(1.5, -2)
	sink    int
	many    = [300]int{0: 5}
	long    [250]int16
	names   = [2]*point{{1, 2}, nil}
	table   = map[string]int{"a": 1}
	channel = make(chan int)
	text    = [30]byte{'a', 'b'}
	empty   struct{}
	nested  struct{ a, b struct{ c bool } }
	any1    any = 5
	err     error
)

//go:noinline
func twice(n int) int { return 2 * n }

//go:noinline
func (s *shape) leaf(n int, text string, list []int, p point, f func(int) int) int {
	local := [3]int{n, n + 1, n + 2}
	small := int8(-n)
	yes := n > 3
	half := float64(n) / 2
	inner := shape{corner: p, label: text, marks: list, next: s, named: s, call: f}
	pointer := &grid
	for i := range 300 {
		s.corner.x += i + local[i%3] + int(small)
		if yes {
			counter += len(list) + int(half) + inner.next.corner.x + int(pointer[1][i%3])
		}
	}
	for i, v := range list {
		doubled := v * i
		sink += doubled + inner.corner.x + len(inner.label) + f(n)
	}
	return s.corner.x
}

//go:noinline
func thrice(n int) int { return 3 * n }

//go:noinline
func escape(n int) int {
	moved, taken := n*3, n*4
	kept = &moved
	return taken + func() int { return thrice(taken) + moved }()
}

// The thread that is stopped is the program's first one.
func init() { runtime.LockOSThread() }

func main() {
	for i := range long {
		long[i] = int16(3 * i)
	}
	runtime.KeepAlive([]any{many, long, names, table, channel, text, empty, nested, any1, err})
	sink += escape(5) + moved + taken
	values := []int{10, 20, 30, 40}
	for {
		sink += first.leaf(5, "text", values[1:], point{-1, 1e100}, twice)
		sink += len(first.table) + int(ratio) + int(bytes[0]) + int(wide) + int(letter) + int(real(z))
	}
}
