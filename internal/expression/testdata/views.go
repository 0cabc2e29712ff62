//go:build ignore

// What Go's strings and slices hold when look is called.
package main

import "runtime"

type request struct {
	command string
	sizes   []int
}

//go:noinline
func look(text string, sizes []int, r *request) int {
	return len(text) + len(sizes) + len(r.command)
}

//go:noinline
func work(r *request) int {
	text, empty := "hello", ""
	numbers, none := make([]int, 2, 8), []int(nil)
	numbers[1] = 7
	words := []string{"one", "two"}
	local := *r
	n := look(text, numbers, r)
	return n + len(text) + len(empty) + len(numbers) + len(none) + len(words[n%2]) + len(local.command)
}

func init() { runtime.LockOSThread() } // a thread that the test traces

func main() {
	r := &request{"GET", []int{4, 5}}
	for {
		work(r)
	}
}
