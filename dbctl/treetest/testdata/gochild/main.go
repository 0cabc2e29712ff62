// Gochild runs itself and other programs from several goroutines at a time, and
// prints what they printed.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
)

func main() {
	if len(os.Args) > 1 {
		n, _ := strconv.Atoi(os.Args[1])
		sum := 0
		for i := range 2000000 {
			sum += i % (n + 1)
		}
		fmt.Println(n, sum)
		os.Exit(n)
	}
	out := make([]string, 16)
	var all sync.WaitGroup
	for i := range out {
		all.Go(func() {
			cmd := exec.Command(os.Args[0], strconv.Itoa(i))
			if i%4 == 3 {
				cmd = exec.Command("sh", "-c", "seq 20 | sort -r | head -n 3 | tr '\\n' ' '; exit 5")
			}
			text, err := cmd.CombinedOutput()
			out[i] = fmt.Sprintf("%q %v", text, err)
		})
	}
	all.Wait()
	for _, s := range out {
		fmt.Println(s)
	}
	os.Exit(6)
}
