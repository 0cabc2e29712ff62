// Package pct_test holds the tree against its documents: what packages may
// import, which one may call ptrace, and which flags the manual describes.
package pct_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	module       = "github.com/profilecollection/pct"
	architecture = "docs/ARCHITECTURE.md"
)

// A goPackage is what `go list -json` tells of a package.
type goPackage struct {
	ImportPath string
	Imports    []string // of its non-test files
	GoFiles    []string
}

// name is the package's path below the module's root.
func (p goPackage) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

func TestImports(t *testing.T) {
	allowed := map[string][]string{}
	for _, row := range tableRows(t, "| package | purpose | may import (of ours) |") {
		allowed[unquote(row[0])] = names(row[2])
	}
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := p.name()
		may, ok := allowed[name]
		if !ok {
			t.Errorf("package %s has no row in the package table of %s: add one with its purpose and what it may import", name, architecture)
			continue
		}
		seen[name] = true
		for _, i := range p.Imports {
			if !strings.HasPrefix(i, module+"/") {
				continue
			}
			if i = strings.TrimPrefix(i, module+"/"); !slices.Contains(may, i) {
				t.Errorf("%s imports %s; %s permits it %s", name, i, architecture, orNothing(may))
			}
		}
	}
	for name, may := range allowed {
		if !seen[name] {
			t.Errorf("%s has a row for %s, which is no package", architecture, name)
		}
		for _, m := range may {
			if _, ok := allowed[m]; !ok {
				t.Errorf("%s permits %s to import %s, which has no row", architecture, name, m)
			}
		}
	}
}

// TestTracerAlone: dbctl/internal/tracer alone calls ptrace. Others may use the kernel's type of
// registers, PtraceRegs.
func TestTracerAlone(t *testing.T) {
	call := regexp.MustCompile(`\b(unix|syscall)\.(Ptrace\w+\(|PTRACE_|SYS_PTRACE)|\bPtrace: `)
	for _, p := range packages(t) {
		if p.name() == "dbctl/internal/tracer" {
			continue
		}
		for _, file := range p.GoFiles {
			file = path.Join(p.name(), file)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if call.MatchString(line) {
					t.Errorf("%s:%d calls ptrace, which only dbctl/internal/tracer may: %s", file, i+1, strings.TrimSpace(line))
				}
			}
		}
	}
}

func TestThirdPartyImports(t *testing.T) {
	users := map[string][]string{}
	for _, row := range tableRows(t, "| module | used by | for |") {
		users[unquote(row[0])] = names(row[1])
	}
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			first, _, _ := strings.Cut(i, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(i, module+"/") {
				continue
			}
			owner := ""
			for m := range users {
				if i == m || strings.HasPrefix(i, m+"/") {
					owner = m
				}
			}
			switch {
			case owner == "":
				t.Errorf("%s imports %s, of a module without a row in the module table of %s", p.name(), i, architecture)
			case !slices.Contains(users[owner], p.name()) && !slices.Contains(users[owner], "any"):
				t.Errorf("%s imports %s; %s permits that module to %s", p.name(), i, architecture, orNothing(users[owner]))
			}
		}
	}
}

// packages lists our packages that have any non-test file.
func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,GoFiles", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	var list []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		t.Fatal("go list names no package")
	}
	return list
}

// tableRows gives the cells of the Markdown table in the architecture document
// that has this header line.
func tableRows(t *testing.T, header string) [][]string {
	t.Helper()
	text, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	_, body, found := strings.Cut(string(text), header+"\n")
	if !found {
		t.Fatalf("%s has no table with the header %s", architecture, header)
	}
	columns := strings.Count(header, "|") - 1
	var rows [][]string
	for i, line := range strings.Split(body, "\n") {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if i == 0 {
			continue // |---|---|
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != columns {
			t.Fatalf("%s: row with %d cells, want %d: %s", architecture, len(cells), columns, line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// names splits a cell "`a`, `b`"; "nothing" is the empty list.
func names(cell string) []string {
	if cell == "nothing" {
		return nil
	}
	var list []string
	for _, n := range strings.Split(cell, ",") {
		list = append(list, path.Clean(unquote(n)))
	}
	return list
}

func unquote(s string) string { return strings.Trim(strings.TrimSpace(s), "`") }

func orNothing(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("only %s", strings.Join(list, ", "))
}
