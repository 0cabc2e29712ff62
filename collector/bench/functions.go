package bench

import (
	"bufio"
	"debug/elf"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/pct/data"
)

// shares counts samples by function. What has no symbol is with the symbol before
// it: all samplers are named alike, that is what matters here.
type shares map[string]float64

func (s shares) total() float64 {
	sum := 0.0
	for _, n := range s {
		sum += n
	}
	return sum
}

// names finds functions of objects, and keeps the symbols of those it has read.
type names map[string]*symbols

// symbols of an object, in the order of their addresses.
type symbols struct {
	list []elf.Symbol
	file *object.File // nil: there is none
}

func (n names) object(path string) *symbols {
	if s, ok := n[path]; ok {
		return s
	}
	s := &symbols{}
	n[path] = s
	f, err := object.Open(path)
	if err != nil {
		return s // no file: one label for all of it
	}
	defer f.Close()
	for _, y := range f.FunctionSymbols() {
		if elf.ST_TYPE(y.Info) == elf.STT_FUNC && y.Value > 0 {
			s.list = append(s.list, y)
		}
	}
	slices.SortStableFunc(s.list, func(a, b elf.Symbol) int { return int(int64(a.Value) - int64(b.Value)) })
	s.file = f
	return s
}

// function names the function of an ELF virtual address.
func (n names) function(object string, vaddr uint64) string {
	s := n.object(object)
	i := sort.Search(len(s.list), func(i int) bool { return s.list[i].Value > vaddr })
	if i == 0 {
		return object
	}
	// Of several names for one address the first, whichever table it is from.
	for i--; i > 0 && s.list[i-1].Value == s.list[i].Value; i-- {
	}
	return object + ":" + s.list[i].Name
}

// reader counts the samples that a method left in a directory by function: those of processes of a name, or of
// any.
type reader func(n names, dir, process string, s shares) error

const everyProcess = "*"

// ofCounts reads the library's data below dir.
func (n names) ofCounts(dir, process string, s shares) error {
	return eachRun(dir, process, func(run string) error {
		return filepath.WalkDir(run, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "meta" {
				return err
			}
			c, err := data.OpenCounts(path)
			if err != nil {
				return err
			}
			return c.Each(func(vaddr, count uint64) { s[n.function(c.Object, vaddr)] += float64(count) })
		})
	})
}

// ofRuns reads call paths below dir: of each the innermost frame of user code.
func (n names) ofRuns(dir, process string, s shares) error {
	return eachRun(dir, process, func(one string) error {
		run, err := data.Open(one)
		if err != nil {
			return err
		}
		looks, weight := 0.0, 0.0
		for _, sample := range run.Samples() {
			looks += float64(sample.Count)
			weight += float64(sample.Weight)
		}
		for _, sample := range run.Samples() {
			at := sample.Node
			for at > 0 && run.Objects[run.Nodes[at].Object].Kind == data.ObjectKernel {
				at = run.Nodes[at].Parent
			}
			if at > 0 {
				node := run.Nodes[at]
				s[n.function(run.Objects[node.Object].Path, node.Vaddr)] += float64(sample.Weight) * looks / weight
			}
		}
		return nil
	})
}

func eachRun(dir, process string, read func(run string) error) error {
	found, err := filepath.Glob(filepath.Join(dir, process+".*"))
	if err != nil {
		return err
	}
	for _, run := range found {
		if data.IsRun(run) {
			if err := read(run); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofPerf reads a perf.data in dir, recorded with the register IP of user code: of a
// sample in the kernel that tells where the program was, as a signal would.
func (n names) ofPerf(dir, process string, s shares) error {
	args := []string{"script", "-i", filepath.Join(dir, "perf.data"), "-F", "pid,ip,uregs", "--show-mmap-events"}
	if process != everyProcess {
		args = append(args, "--comms", process)
	}
	cmd := exec.Command("perf", args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var maps []mapping
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m, ok := parseMapping(lines.Text()); ok {
			maps = append(maps, m)
			continue
		}
		_, hex, found := strings.Cut(lines.Text(), "IP:0x")
		ip, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
		if !found || err != nil {
			continue // of a thread without user code
		}
		s[n.mapped(maps, ip)]++
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	return lines.Err()
}

// mapping is a part of a file in memory.
type mapping struct {
	start, size, offset uint64
	path                string
}

// parseMapping reads perf's line of an mmap event with executable memory, such as
//
//	4711 PERF_RECORD_MMAP2 4711/4711: [0x7fa8(0x1000) @ 0x1000 fe:00 1007 34]: r-xp /usr/bin/ls
func parseMapping(line string) (m mapping, ok bool) {
	_, text, found := strings.Cut(line, "PERF_RECORD_MMAP2")
	if !found {
		return m, false
	}
	_, text, _ = strings.Cut(text, "[")
	if _, err := fmt.Sscanf(text, "%v(%v) @ %v", &m.start, &m.size, &m.offset); err != nil {
		return m, false
	}
	_, where, _ := strings.Cut(text, "]: ")
	protection, path, _ := strings.Cut(where, " ")
	m.path = strings.TrimSpace(path)
	return m, strings.Contains(protection, "x")
}

// mapped names the function at a run-time address; the latest mapping counts.
func (n names) mapped(maps []mapping, ip uint64) string {
	for _, m := range slices.Backward(maps) {
		if ip < m.start || ip >= m.start+m.size {
			continue
		}
		offset := ip - m.start + m.offset
		if f := n.object(m.path).file; f != nil {
			if vaddr, ok := f.Vaddr(offset); ok {
				return n.function(m.path, vaddr)
			}
		}
		return m.path
	}
	return "[anon]"
}
