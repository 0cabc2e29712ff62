package ring

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/regular"
	"github.com/profilecollection/pct/internal/resource"
)

const uprobeType = "/sys/bus/event_source/devices/uprobe/type"

// uprobe makes an event of the calls of a function.
func (s *eventSpec) uprobe(cfg Config) error {
	library, function := resource.Function(s.name)
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
	offset, versions, err := functionOffset(file, function)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if len(versions) > 0 {
		cfg.Say(fmt.Sprintf("%s: calls of special versions that the compiler made of it are not among these: %s", s.name, strings.Join(versions, ", ")))
	}
	s.typ, s.offset, s.file = uint32(n), offset, append([]byte(file), 0)
	return nil
}

// tellProbes says what it costs to count calls: a program that makes millions may seem to hang.
func (c *collection) tellProbes() {
	for _, r := range c.cfg.measured {
		if r.IsCalls() {
			c.out.say("%s: counted by a kernel probe: each call takes 1 to 20 µs more", r.Name)
		}
	}
}

// tellCalls says how many calls met a probe.
func (c *collection) tellCalls() {
	for which, r := range c.cfg.measured {
		switch n := c.table.weights[which]; {
		case !r.IsCalls() || n == 0:
		case r.Interval == 1:
			c.out.say("%s: calls that stopped the program: %d", r.Name, n)
		default:
			c.out.say("%s: calls that stopped the program: about %d", r.Name, n)
		}
	}
}

// objectFile is the file of a library, or with "" of the program.
func (cfg Config) objectFile(library string) (string, error) {
	switch {
	case strings.Contains(library, "/"):
		return filepath.Abs(library)
	case library == "" && len(cfg.Argv) > 0:
		path, err := launch.Find(cfg.Argv[0])
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
	return "", fmt.Errorf("library %s not found: give its path", library)
}

// elsewhere says how a function is named that a program has from a library, else what may be meant among its own; ""
// if there is neither.
func elsewhere(f *object.File, own []elf.Symbol, function string) string {
	imported, _ := f.ImportedSymbols()
	for _, s := range imported {
		if s.Name == function && s.Library != "" {
			return fmt.Sprintf("; that of the library is calls:%s:%s", s.Library, function)
		}
	}
	if meant := likeFunction(own, unspaced(function)); meant != "" {
		return fmt.Sprintf(": did you mean %s?", meant)
	}
	if libraries, _ := f.ImportedLibraries(); len(libraries) > 0 {
		return "; for one of a library give both names, such as calls:libc.so.6:malloc"
	}
	return ""
}

// interpreterOf is the file that executes a script, "" if the file is none.
func interpreterOf(file string) string {
	f, _, err := regular.Open(file)
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
			if path, err := launch.Find(word); err == nil && !strings.HasPrefix(word, "-") {
				return path
			}
		}
	}
	return words[0]
}
