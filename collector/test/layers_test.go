package collector_test

import (
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers are the parts of the library, x for x.c and x.h, and why each needs which other ones.
type layers map[string]map[string]string

func (l layers) needs(from, to, why string) {
	if from == to {
		return
	}
	if l[from] == nil {
		l[from] = map[string]string{}
	}
	if l[from][to] == "" {
		l[from][to] = why
	}
}

// path gives the parts that lead from one to another, with the reasons; nil if none do.
func (l layers) path(from, to string) []string {
	seen := map[string]bool{}
	var search func(string) []string
	search = func(at string) []string {
		seen[at] = true
		for _, next := range slices.Sorted(maps.Keys(l[at])) {
			step := fmt.Sprintf("%s needs %s: %s", at, next, l[at][next])
			if next == to {
				return []string{step}
			}
			if seen[next] {
				continue
			}
			if rest := search(next); rest != nil {
				return append([]string{step}, rest...)
			}
		}
		return nil
	}
	return search(from)
}

// readLayers reads what the sources include, and what the object files of libpct.so take from each other.
func readLayers(t *testing.T) layers {
	t.Helper()
	l := layers{}
	include := regexp.MustCompile(`(?m)^#include "(.*)"$`)
	for _, pattern := range []string{"../*.[ch]", "../*/*.[ch]"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range include.FindAllStringSubmatch(string(text), -1) {
				l.needs(part(name), part(path.Join(path.Dir(name), m[1])), fmt.Sprintf("%s includes %s", path.Base(name), m[1]))
			}
		}
	}
	if len(l) < 50 {
		t.Fatalf("%d parts include others", len(l))
	}
	l.addCalls(t)
	return l
}

// part names the part that a file belongs to.
func part(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path.Clean(file), "../"), path.Ext(file))
}

// addCalls adds what an object file needs that another one defines, functions and data. What is of a library of its own is left out.
func (l layers) addCalls(t *testing.T) {
	t.Helper()
	others := []string{"alloc", "io", "profil", "pctprof", "unwind/stubframes"} // the last is unwind/stub once more
	defined, needed := map[string]string{}, map[string][]string{}
	obj := filepath.Join(built, "obj")
	for _, pattern := range []string{"*.o", "*/*.o"} {
		names, err := filepath.Glob(filepath.Join(obj, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			p := strings.TrimSuffix(strings.TrimPrefix(name, obj+"/"), ".o")
			if slices.Contains(others, p) {
				continue
			}
			for _, s := range symbols(t, name) {
				if s.Section == elf.SHN_UNDEF {
					needed[p] = append(needed[p], s.Name)
				} else if elf.ST_BIND(s.Info) != elf.STB_LOCAL {
					defined[s.Name] = p
				}
			}
		}
	}
	calls := 0
	for p, names := range needed {
		for _, name := range names {
			if from := defined[name]; from != "" {
				l.needs(p, from, name)
				calls++
			}
		}
	}
	if calls < 200 {
		t.Fatalf("the object files take %d symbols from each other", calls)
	}
}

func symbols(t *testing.T, name string) []elf.Symbol {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The parts of the library form layers: nothing that a part needs leads back to it.
func TestLayers(t *testing.T) {
	l := readLayers(t)
	told := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(l)) {
		cycle := l.path(p, p)
		if cycle == nil || told[p] {
			continue
		}
		t.Errorf("a circle:\n  %s", strings.Join(cycle, "\n  "))
		for _, step := range cycle {
			told[strings.Fields(step)[0]] = true
		}
	}
}

// A source of ticks knows no sink of samples and a sink no source: collector.c joins them. The unwinder stands alone.
func TestSourcesAndSinksAreApart(t *testing.T) {
	l := readLayers(t)
	for _, source := range []string{"clock", "events", "fpe"} {
		for _, sink := range []string{"calls", "counts"} {
			for _, steps := range [][]string{l.path(source, sink), l.path(sink, source)} {
				if steps != nil {
					t.Errorf("%s and %s are not apart:\n  %s", source, sink, strings.Join(steps, "\n  "))
				}
			}
			if l["collector"][source] == "" || l["collector"][sink] == "" {
				t.Errorf("collector.c does not join %s and %s", source, sink)
			}
		}
	}
	for p, needs := range l {
		for other, why := range needs {
			if path.Dir(p) == "unwind" && path.Dir(other) != "unwind" && other != "sys" {
				t.Errorf("%s needs %s: %s", p, other, why)
			}
		}
	}
}

// The C code is laid out as collector/STYLE.md says.
func TestStyle(t *testing.T) {
	const (
		codeWidth, commentWidth = 120, 100
		tab                     = "        "
	)
	for _, pattern := range []string{"../*.[ch]", "../unwind/*.[ch]", "../fuzz/*.[ch]"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				fault := func(what string) { t.Errorf("%s:%d: %s", name, i+1, what) }
				width := len([]rune(strings.ReplaceAll(line, "\t", tab)))
				bare := strings.TrimLeft(line, "\t ")
				comment := strings.HasPrefix(bare, "/*") || strings.HasPrefix(bare, "* ")
				switch {
				case strings.TrimRight(line, " \t") != line:
					fault("blanks at the end of the line")
				case strings.HasPrefix(bare, "//"):
					fault("a comment that is not /* */")
				case strings.HasPrefix(line, tab) && !strings.HasSuffix(line, "\\"):
					fault("indented by blanks")
				case comment && width >= commentWidth:
					fault(fmt.Sprintf("a comment of %d columns", width))
				case width >= codeWidth && !strings.Contains(line, `"`) && !strings.HasSuffix(line, "\\"):
					fault(fmt.Sprintf("code of %d columns", width))
				}
			}
		}
	}
}
