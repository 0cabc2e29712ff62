package ring

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const uprobeType = "/sys/bus/event_source/devices/uprobe/type"

// uprobe makes an event of the calls of FUNCTION, or LIBRARY:FUNCTION.
func (s *eventSpec) uprobe(text string, cfg Config) error {
	library, function, in := cutLast(text)
	if !in {
		library, function = "", text
	}
	typ, err := os.ReadFile(uprobeType)
	if err != nil {
		return &NotPermitted{Err: err, Why: fmt.Sprintf("the resource %s needs uprobes, which this kernel does not have", s.name)}
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(typ)), 10, 32)
	if err != nil {
		return fmt.Errorf("%s: %w", uprobeType, err)
	}
	file, err := cfg.objectFile(library)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	offset, err := functionOffset(file, function)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.typ, s.offset, s.file = uint32(n), offset, append([]byte(file), 0)
	return nil
}

// cutLast cuts at the last colon.
func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// objectFile is the file of a library, or with "" of the program.
func (cfg Config) objectFile(library string) (string, error) {
	switch {
	case strings.Contains(library, "/"):
		return filepath.Abs(library)
	case library == "" && len(cfg.Argv) > 0:
		path, err := find(cfg.Argv[0])
		if err != nil {
			return "", err
		}
		return filepath.Abs(path)
	case library == "":
		return fmt.Sprintf("/proc/%d/exe", cfg.Pids[0]), nil
	}
	for _, pid := range cfg.Pids {
		for _, m := range readMaps(pid) {
			if filepath.Base(m.path) == library {
				return fmt.Sprintf("/proc/%d/root%s", pid, m.path), nil
			}
		}
	}
	for _, dir := range append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")),
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/local/lib", "/lib", "/usr/lib") {
		file := filepath.Join(dir, library)
		if fi, err := os.Stat(file); err == nil && fi.Mode().IsRegular() {
			return filepath.EvalSymlinks(file)
		}
	}
	return "", fmt.Errorf("there is no library %s in the usual places: give its path", library)
}

// functionOffset is where a function's code is in its file.
func functionOffset(file, function string) (uint64, error) {
	if interpreter := interpreterOf(file); interpreter != "" {
		return 0, fmt.Errorf("%s is a script, of whose functions the kernel knows nothing; one of its interpreter is named calls:%s:FUNCTION", file, interpreter)
	}
	f, err := elf.Open(file)
	if err != nil {
		return 0, fmt.Errorf("%s is no program with functions: %w", file, err)
	}
	defer f.Close()
	symbols, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	all := append(symbols, dynamic...)
	var found *elf.Symbol
	for i, s := range all {
		kind := elf.ST_TYPE(s.Info)
		if s.Name != function || s.Section == elf.SHN_UNDEF || kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC {
			continue
		}
		if kind == elf.STT_GNU_IFUNC {
			return 0, fmt.Errorf("%s of %s is chosen among several when the program starts: name the one that serves", function, file)
		}
		if found == nil || elf.ST_BIND(found.Info) == elf.STB_LOCAL && elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			found = &all[i]
		}
	}
	if found == nil {
		if len(symbols) == 0 {
			return 0, fmt.Errorf("%s has no function %s among those that others may call, and it is stripped of the rest%s", file, function, elsewhere(f, function))
		}
		return 0, fmt.Errorf("%s has no function %s%s", file, function, elsewhere(f, function))
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && found.Value >= p.Vaddr && found.Value < p.Vaddr+p.Filesz {
			return found.Value - p.Vaddr + p.Off, nil
		}
	}
	return 0, errors.New("the function is in no part of the file")
}

// elsewhere says how a function is named that a program has from a library, "" if it uses none.
func elsewhere(f *elf.File, function string) string {
	imported, _ := f.ImportedSymbols()
	for _, s := range imported {
		if s.Name == function && s.Library != "" {
			return fmt.Sprintf("; that of the library is named calls:%s:%s", s.Library, function)
		}
	}
	if libraries, _ := f.ImportedLibraries(); len(libraries) > 0 {
		return "; one of a library is named with it, such as calls:libc.so.6:malloc"
	}
	return ""
}

// interpreterOf is the file that executes a script, "" if the file is none.
func interpreterOf(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	const longest = 256 // the kernel reads no more
	text, _ := io.ReadAll(io.LimitReader(f, longest))
	line, _, _ := strings.Cut(string(text), "\n")
	line, script := strings.CutPrefix(line, "#!")
	words := strings.Fields(line)
	if !script || len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) == "env" {
		for _, word := range words[1:] {
			if path, err := find(word); err == nil && !strings.HasPrefix(word, "-") {
				return path
			}
		}
	}
	return words[0]
}
