package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTablesAreCurrent: the tables are those that the command makes on this machine, whose headers may be newer and
// have more names.
func TestTablesAreCurrent(t *testing.T) {
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join("..", f.name))
		if err != nil {
			t.Fatal(err)
		}
		made, err := f.text()
		if err != nil {
			t.Fatal(err)
		}
		kept, now := entries(t, string(b)), entries(t, made)
		more := maps.Clone(now)
		for entry := range kept {
			delete(more, entry)
			if !now[entry] {
				t.Errorf("%s has %s, which this machine's headers have not, or another value of: go generate ./internal/syscalls", f.name, entry)
			}
		}
		for entry := range more {
			table, name, _ := strings.Cut(entry, " ")
			for k := range kept {
				if strings.HasPrefix(k, table+" ") && strings.HasPrefix(k[len(table)+1:], strings.Split(name, " ")[0]+" ") {
					t.Errorf("%s has %s, now %s: go generate ./internal/syscalls", f.name, k, entry)
				}
			}
			if !hasTable(kept, table) {
				t.Errorf("%s has no table %s: go generate ./internal/syscalls", f.name, table)
			}
			t.Logf("%s has no %s, which this machine's headers have", f.name, entry)
		}
	}
}

// TestTablesAreUsed: what is generated no checker calls unused.
func TestTablesAreUsed(t *testing.T) {
	var source strings.Builder
	paths, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if filepath.Base(p) == "constants.go" || strings.HasSuffix(p, "_test.go") {
			continue
		}
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	words := map[string]bool{}
	for _, w := range regexp.MustCompile(`\w+`).FindAllString(source.String(), -1) {
		words[w] = true
	}
	for _, g := range groups {
		for _, table := range g.tables {
			if !words[table.name] {
				t.Errorf("nothing uses %s", table.name)
			}
		}
		for _, name := range strings.Fields(g.alone) {
			if !words[camel(name)] {
				t.Errorf("nothing uses %s", camel(name))
			}
		}
	}
}

var (
	tableLine = regexp.MustCompile(`^(?:var|const) (\w+) = (.*)`)
	entryLine = regexp.MustCompile(`^\t(?:\{"([^"]*)", (\w+)\}|(\d+): +(.*)),$`)
)

// entries are the lines of tables: of which table, the name or the number, what it has.
func entries(t *testing.T, text string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	table := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := tableLine.FindStringSubmatch(line); m != nil {
			table = m[1]
			all[table+" "+m[2]] = true
		} else if m := entryLine.FindStringSubmatch(line); m != nil {
			all[table+" "+m[1]+m[3]+" "+m[2]+m[4]] = true
		}
	}
	if len(all) < 100 {
		t.Fatalf("only %d entries", len(all))
	}
	return all
}

func hasTable(all map[string]bool, table string) bool {
	for entry := range all {
		if strings.HasPrefix(entry, table+" ") {
			return true
		}
	}
	return false
}
