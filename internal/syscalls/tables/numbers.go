package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// numbers is the file of the system calls' names by their numbers.
func numbers() (string, error) {
	named, err := library()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, head, "golang.org/x/sys/unix")
	b.WriteString("// names are the system calls of x86-64 by their numbers.\nvar names = [...]string{\n")
	for _, c := range named {
		fmt.Fprintf(&b, "\t%d: %q,\n", c.value, c.name)
	}
	b.WriteString("}\n")
	text, err := format.Source([]byte(b.String()))
	return string(text), err
}

// library are the system calls that golang.org/x/sys/unix knows, in the order of their numbers.
func library() ([]constant, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m golang.org/x/sys: %w", err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_amd64.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	var all []constant
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name, ok := strings.CutPrefix(v.Names[0].Name, "SYS_")
		if l, is := v.Values[0].(*ast.BasicLit); ok && is {
			number, fails := strconv.ParseUint(l.Value, 0, 32)
			if fails != nil {
				err = fails
			}
			all = append(all, constant{strings.ToLower(name), number})
		}
		return false
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("golang.org/x/sys/unix has no SYS_ constants")
	}
	return all, err
}
