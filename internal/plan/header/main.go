// Header writes the C library's table of the instructions of plans, from the source of package plan.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: header DIRECTORY FILE")
		os.Exit(2)
	}
	made, err := text(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], []byte(made), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "header:", err)
		os.Exit(1)
	}
}

const head = `/*
 * ops.h: the instructions of plans, what their execution comes to, and its bounds.
 *
 * Generated from internal/plan by "go generate ./internal/plan": do not edit.
 */
#ifndef PCT_OPS_H
#define PCT_OPS_H

#include <stdint.h>

`

const tail = `
#endif
`

// text is the file, given the directory of package plan.
func text(dir string) (string, error) {
	fset := token.NewFileSet()
	op, err := parser.ParseFile(fset, filepath.Join(dir, "op.go"), nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	run, err := parser.ParseFile(fset, filepath.Join(dir, "run.go"), nil, 0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(head)
	for _, e := range []struct{ of, name, prefix string }{{"Op", "plan_op", "OP_"}, {"Outcome", "plan_outcome", "PLAN_"}} {
		fmt.Fprintf(&b, "enum %s {\n", e.name)
		for _, c := range numbered(op, e.of) {
			fmt.Fprintf(&b, "\t%s,%s\n", constant(e.prefix, c.name), c.comment)
		}
		b.WriteString("};\n\n")
	}
	b.WriteString("enum {\n")
	for _, c := range []struct{ name, as string }{{"mostSteps", "PLAN_STEPS"}, {"deepest", "PLAN_DEPTH"}, {"unreadable", "PLAN_UNREADABLE"}} {
		v := given(run, c.name)
		if v == "" {
			return "", fmt.Errorf("package plan has no constant %s", c.name)
		}
		fmt.Fprintf(&b, "\t%s = %s,\n", c.as, v)
	}
	b.WriteString("};\n\n/* How many words an instruction takes from the stack, or looks at. */\nstatic const uint8_t plan_pops[] = {\n")
	taken := 0
	ast.Inspect(run, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != "pops" {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			pair := e.(*ast.KeyValueExpr)
			fmt.Fprintf(&b, "\t[%s] = %s,\n", constant("OP_", pair.Key.(*ast.Ident).Name), pair.Value.(*ast.BasicLit).Value)
			taken++
		}
		return false
	})
	if taken == 0 {
		return "", fmt.Errorf("package plan has no table pops")
	}
	last := numbered(op, "Op")
	fmt.Fprintf(&b, "\t[%s] = 0,\n};\n", constant("OP_", last[len(last)-1].name))
	b.WriteString(tail)
	return b.String(), nil
}

type named struct{ name, comment string }

// numbered are the constants of a type that iota numbers, in their order.
func numbered(f *ast.File, of string) []named {
	var all []named
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		if t, ok := g.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); !ok || t.Name != of {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			n := named{name: v.Names[0].Name}
			if v.Comment != nil {
				n.comment = " /* " + strings.TrimSpace(v.Comment.Text()) + " */"
			}
			all = append(all, n)
		}
	}
	return all
}

// given is the value that a constant is given, as it is written.
func given(f *ast.File, name string) (value string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == name && len(v.Values) == 1 {
			if l, ok := v.Values[0].(*ast.BasicLit); ok {
				value = l.Value
			}
		}
		return true
	})
	return value
}

// constant is a name as C has it: JumpZero is JUMP_ZERO, NoRegister NO_REGISTER, DivS DIV_S.
func constant(prefix, name string) string {
	var b strings.Builder
	b.WriteString(prefix)
	before := rune(0)
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
		before = r
	}
	return b.String()
}
