package ring

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/profilecollection/pct/internal/alike"
	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
)

// functionOffset is where a function's code is in its file: one with that symbol, else one whose C++ or
// Rust name it is, as reports show it, with or without template arguments and parameters, or a special version of it.
// Besides, the symbols of special versions of what has that symbol itself.
func functionOffset(file, function string) (offset uint64, versions []string, err error) {
	if interpreter := interpreterOf(file); interpreter != "" {
		return 0, nil, fmt.Errorf("%s is a script, whose functions the kernel does not know; a function of its interpreter is named calls:%s:FUNCTION", file, interpreter)
	}
	f, err := object.Open(file)
	if err != nil {
		return 0, nil, fmt.Errorf("%s is not a program with functions: %w", file, err)
	}
	defer f.Close()
	all := f.FunctionSymbols()
	found := symbolOf(all, function)
	if found != nil {
		versions = versionsOf(all, *found)
	} else if found, err = plainlyNamed(all, function); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", file, err)
	}
	switch {
	case found != nil && elf.ST_TYPE(found.Info) == elf.STT_GNU_IFUNC:
		return 0, nil, fmt.Errorf("%s of %s is an indirect function (IFUNC): name one of its implementations", function, file)
	case found == nil && f.SectionByType(elf.SHT_SYMTAB) == nil:
		return 0, nil, fmt.Errorf("%s has no function %s among its exported ones, and it is stripped of the others%s", file, function, elsewhere(f, all, function))
	case found == nil:
		return 0, nil, fmt.Errorf("%s has no function %s%s", file, function, elsewhere(f, all, function))
	}
	offset, ok := f.Offset(found.Value)
	if !ok {
		return 0, nil, errors.New("the function is not in a segment of the file")
	}
	return offset, versions, nil
}

// symbolOf is the symbol of that name, one that others may call before one that is local; nil if there is none.
func symbolOf(all []elf.Symbol, name string) (found *elf.Symbol) {
	for i, s := range all {
		if s.Name == name && (found == nil || elf.ST_BIND(found.Info) == elf.STB_LOCAL && elf.ST_BIND(s.Info) != elf.STB_LOCAL) {
			found = &all[i]
		}
	}
	return found
}

// versionsOf are the symbols of special versions of a function.
func versionsOf(all []elf.Symbol, of elf.Symbol) (versions []string) {
	for _, s := range all {
		if s.Value != of.Value && s.Name != of.Name && funcname.OfSymbol(s.Name) == of.Name {
			versions = append(versions, s.Name)
		}
	}
	slices.Sort(versions)
	return versions
}

// plainlyNamed is the one function that has a name when its symbol is demangled and no clone's, nil if none
// has it; of several, the error tells the symbols.
func plainlyNamed(all []elf.Symbol, name string) (*elf.Symbol, error) {
	const told = 8
	name = unspaced(name)
	word := lastWord(name)
	var found *elf.Symbol
	var candidates []string
	at := map[uint64]bool{} // constructors often have two symbols
	for i, s := range all {
		whole := funcname.OfSymbol(s.Name)
		if at[s.Value] || strings.Contains(whole, ".") || !strings.Contains(whole, word) {
			continue
		}
		if whole == name {
			at[s.Value], found = true, &all[i]
			candidates = append(candidates, fmt.Sprintf("calls:%s is %s", s.Name, whole))
			continue
		}
		if !strings.HasPrefix(whole, "_") {
			continue
		}
		for _, options := range [][]demangle.Option{{demangle.NoParams, demangle.NoTemplateParams}, {demangle.NoParams}, nil} {
			plain, err := demangle.ToString(funcname.ForDemangler(whole), options...)
			if err != nil {
				break
			}
			if unspaced(plain) != name {
				continue
			}
			at[s.Value], found = true, &all[i]
			full, _ := demangle.ToString(funcname.ForDemangler(whole))
			candidates = append(candidates, fmt.Sprintf("calls:%s is %s", s.Name, full))
			break
		}
	}
	if len(candidates) > 1 {
		slices.Sort(candidates)
		more := ""
		if n := len(candidates); n > told {
			candidates, more = candidates[:told], fmt.Sprintf(" and %d more", n-told)
		}
		return nil, fmt.Errorf("several functions are named %s, choose one by its symbol: %s%s", name, strings.Join(candidates, ", "), more)
	}
	return found, nil
}

// lastWord is a word that a symbol has in it as it is, if its name is this one: "" is in all.
func lastWord(name string) string {
	if strings.Contains(name, "operator") {
		return ""
	}
	name, _, _ = strings.Cut(name, "(")
	name, _, _ = strings.Cut(name, "<")
	return strings.TrimPrefix(name[strings.LastIndex(name, ":")+1:], "~")
}

// unspaced is a name without blanks, which stand otherwise in each demangler's names.
func unspaced(name string) string { return strings.ReplaceAll(name, " ", "") }

// likeFunction is the function among these that a wrong name is likely to mean: one that is written nearly so, or one
// of a class or namespace that was left out; "" if there is none.
func likeFunction(all []elf.Symbol, name string) string {
	nearest, least := "", len(name)/3+1
	for _, s := range all {
		whole := funcname.OfSymbol(s.Name)
		if strings.Contains(whole, ".") {
			continue
		}
		plain := unspaced(demangle.Filter(funcname.ForDemangler(whole), demangle.NoParams, demangle.NoTemplateParams))
		if strings.HasSuffix(plain, "::"+name) {
			return plain
		}
		if n := len(plain) - len(name); n > -least && n < least {
			if d := alike.Edits(name, plain); d < least {
				nearest, least = plain, d
			}
		}
	}
	return nearest
}
