package main

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// failures is the file of the names of errors, and of what the C library says of each.
func failures() (string, error) {
	g := group{
		headers: []string{"errno.h"},
		tables:  []table{{name: "errors", match: `E[0-9A-Z]+`, omit: "EWOULDBLOCK EDEADLOCK ENOTSUP"}},
	}
	made, err := g.made()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "said")
	source := "#include <stdio.h>\n#include <string.h>\nint main(void) { for (int e = 0; e < 134; e++) puts(strerror(e)); }\n"
	if _, err := compiler(source, "-o", program, "-"); err != nil {
		return "", err
	}
	said := exec.Command(program)
	said.Env = append(os.Environ(), "LC_ALL=C")
	out, err := said.Output()
	if err != nil {
		return "", err
	}
	texts := strings.Split(string(out), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, head, "the headers of the C library")
	b.WriteString("// failures are the kernel's errors by their numbers.\nvar failures = [...]failure{\n")
	for _, c := range made[0] {
		fmt.Fprintf(&b, "\t%d: {%q, %q},\n", c.value, c.name, texts[c.value])
	}
	b.WriteString("}\n")
	text, err := format.Source([]byte(b.String()))
	return string(text), err
}
