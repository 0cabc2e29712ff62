// A Go program that stops twice in a function below main, and changes stacks
// in between.
package main

import (
	"runtime"
	"time"
)

var sink int

func init() { runtime.LockOSThread() } // the main goroutine stays on the main thread

//go:noinline
func inner(n int) int {
	runtime.Breakpoint()
	n += time.Now().Nanosecond() // goes to another stack, and to the vdso
	runtime.Breakpoint()
	return n + sink
}

//go:noinline
func middle(n int) int {
	var a [100]int
	a[n] = inner(n)
	return a[0] + a[n]
}

//go:noinline
func outer(f func(int) int) int { return f(7) + sink }

func main() {
	for {
		sink += outer(middle)
	}
}
