package bench

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/profilecollection/pct/pct/data"
)

// collected is what a run's data say.
type collected struct {
	samples uint64
	user    uint64 // of them: with a place in the program
	whole   uint64 // of these: with their outermost frame
	frames  uint64 // of these with a place in the program, without those in the kernel
	lost    uint64
	bytes   int64  // on the disk
	nodes   int64  // of them: nodes of a tree that is mapped
	counted bool   // calls are counted
	remark  string // why they are not
}

// readRuns reads what the library or pct-ring left below a directory.
func readRuns(r *roots, dir string) (c collected, err error) {
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return c, err
	}
	for _, one := range found {
		if !data.IsRun(one) {
			continue
		}
		run, err := data.Open(one)
		if err != nil {
			return c, err
		}
		if len(run.Damage) > 0 {
			return c, run.Damage[0]
		}
		c.addRun(r, run)
		for _, note := range run.Meta.Notes {
			if strings.Contains(note, "not counted") || strings.Contains(note, "not understood") {
				c.remark = note
			}
		}
		files, err := filepath.Glob(filepath.Join(one, "paths.*"))
		if err != nil {
			return c, err
		}
		for _, file := range files {
			size, err := onDisk(file)
			if err != nil {
				return c, err
			}
			c.bytes += size
		}
		nodes, counted, err := nodesOf(filepath.Join(one, "paths.cpu"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
		c.nodes += nodes
		c.counted = c.counted || counted
	}
	if c.samples == 0 {
		return c, errors.New("no samples")
	}
	return c, nil
}

func (c *collected) addRun(r *roots, run *data.Run) {
	depth, whole := make([]uint64, len(run.Nodes)), make([]bool, len(run.Nodes))
	for i, n := range run.Nodes {
		if i == 0 {
			continue
		}
		depth[i] = depth[n.Parent] + 1
		object := run.Objects[n.Object].Path
		// The outermost frame, or the second one: of what a C library begins with nothing.
		whole[i] = whole[n.Parent] || depth[i] <= 2 && r.begins(object, n.Vaddr)
	}
	for _, s := range run.Samples() {
		c.samples += s.Count
		if s.Node == 0 {
			continue
		}
		c.user += s.Count
		c.frames += s.Count * depth[s.Node]
		if whole[s.Node] && !s.Partial {
			c.whole += s.Count
		}
	}
	for _, n := range run.Lost {
		c.lost += n
	}
}

// nodesOf returns the bytes that the nodes of a calls file take, and whether they count activations.
func nodesOf(path string) (all int64, counted bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	first := make([]byte, 40)
	if _, err := f.ReadAt(first, 0); err != nil {
		return 0, false, err
	}
	if !strings.HasPrefix(string(first), "PCTcalls") {
		return 0, false, nil // another collector's
	}
	tree := make([]byte, 32)
	if _, err := f.ReadAt(tree, int64(binary.LittleEndian.Uint64(first[32:]))); err != nil {
		return 0, false, err
	}
	u32 := func(b []byte, at int) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
	// The text about objects is among the words.
	return 4*min(u32(tree, 24), u32(tree, 28)) - u32(first, 28), u32(tree, 20) > 0, nil
}

// onDisk is the room that a file takes.
func onDisk(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Sys().(*syscall.Stat_t).Blocks * 512, nil
}

// readPerf reads a perf.data. Its frames are offsets in files, the innermost first, and
// those in the kernel before all others.
func readPerf(r *roots, dir string) (c collected, err error) {
	file := filepath.Join(dir, "perf.data")
	if c.bytes, err = onDisk(file); err != nil {
		return c, err
	}
	cmd := exec.Command("perf", "script", "--no-inline", "-i", file, "-F", "tid,ip,dso")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return c, err
	}
	if err := cmd.Start(); err != nil {
		return c, err
	}
	var path []string
	end := func() {
		c.addPerf(r, path)
		path = path[:0]
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "":
		case line[0] != '\t':
			if c.samples > 0 {
				end()
			}
			c.samples++
		default:
			path = append(path, line)
		}
	}
	end()
	if err := cmd.Wait(); err != nil {
		return c, fmt.Errorf("perf script: %w: %s", err, &said)
	}
	if c.samples == 0 {
		return c, errors.New("no samples")
	}
	return c, lines.Err()
}

// addPerf adds a path as perf script prints it.
func (c *collected) addPerf(r *roots, path []string) {
	user := slices.DeleteFunc(path, func(line string) bool { return strings.Contains(line, "([kernel.") })
	if len(user) == 0 {
		return
	}
	c.user++
	c.frames += uint64(len(user))
	for _, line := range user[max(0, len(user)-2):] {
		hex, object, _ := strings.Cut(strings.TrimSpace(line), " (")
		offset, err := strconv.ParseUint(hex, 16, 64)
		if err == nil && r.atOffset(strings.TrimSuffix(object, ")"), offset) {
			c.whole++
			return
		}
	}
}

// readProfiles reads the files of gperftools.
func readProfiles(r *roots, dir string) (c collected, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "prof*"))
	if err != nil {
		return c, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return c, err
		}
		size, err := onDisk(file)
		if err != nil {
			return c, err
		}
		c.bytes += size
		maps := mapsOfProfile(text)
		eachOfProfile(text, func(n uint64, stack []uint64) {
			c.samples += n
			c.user += n
			c.frames += n * uint64(len(stack))
			for _, pc := range stack[max(0, len(stack)-2):] {
				i := slices.IndexFunc(maps, func(m mapping) bool { return pc >= m.start && pc-m.start < m.size })
				if i >= 0 && r.atOffset(maps[i].path, pc-maps[i].start+maps[i].offset) {
					c.whole += n
					break
				}
			}
		})
	}
	if c.samples == 0 {
		return c, errors.New("no samples")
	}
	return c, nil
}
