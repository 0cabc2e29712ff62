// A Go program that stops in a function four calls below main.
package main

import "runtime"

var sink int

func init() { runtime.LockOSThread() } // the main goroutine stays on the main thread

//go:noinline
func inner(n int) int {
	runtime.Breakpoint()
	return n + sink
}

//go:noinline
func middle(n int) int {
	var a [100]int
	a[n] = inner(n)
	return a[sink] + a[n]
}

//go:noinline
func outer(f func(int) int) int { return f(7) + sink }

func main() {
	for {
		sink += outer(middle)
	}
}
