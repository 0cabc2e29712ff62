// The command golden-names FILE is a translator: each line of FILE is an object, an address and what it answers.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"strings"
)

func main() {
	answers := map[string]string{}
	b, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for line := range strings.Lines(string(b)) {
		if parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(parts) == 3 {
			answers[parts[0]+"\t"+parts[1]] = parts[2]
		}
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		parts := strings.Split(in.Text(), "\t")
		fmt.Println(cmp.Or(answers[strings.Join(parts[:2], "\t")], "?|?|?"))
	}
}
