package path

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// Formerly pct-ring made a run directory for each resource that it measured of a program: PROG.PID had the first
// resource and the tree, PROG.PID.RESOURCE each other. Now PROG.PID has a file for each. This file makes one source
// of those directories, so that nothing else knows of them. As before, a directory that is named alone stands for
// its own resource, or if another one is asked for, for that.

// program is one execution of a program.
type program struct {
	host, exe string
	pid       int
	start     time.Time
}

func programOf(m data.Meta) program { return program{m.Host, m.Exe, m.Pid, m.Start.UTC()} }

// formerFirst is the directory of the first resource where one is named as one of a further resource; else "".
func formerFirst(dir string) string {
	parts := strings.Split(filepath.Base(dir), ".")
	digits := func(text string) bool { return strings.Trim(text, "0123456789") == "" }
	for i := len(parts) - 1; i >= 2; i-- {
		if digits(parts[i-1]) && !digits(strings.Join(parts[i:], "")) { // PROG.PID.2 is of another program
			return filepath.Join(filepath.Dir(dir), strings.Join(parts[:i], "."))
		}
	}
	return ""
}

// joinFormer makes one source of the directories of a program.
func joinFormer(sources []source) (all []source) {
	if !slices.ContainsFunc(sources, func(s source) bool { return formerFirst(s.dir) != "" }) {
		return sources
	}
	at := map[program]int{}
	for _, s := range sources {
		m, _ := data.ReadMeta(s.dir)
		i, known := at[programOf(m)]
		switch {
		case s.names != nil || m.Start.IsZero():
		case known && (formerFirst(s.dir) != "" || formerFirst(all[i].dir) != ""):
			all[i].more = append(all[i].more, s.dir)
			continue
		default:
			at[programOf(m)] = len(all)
		}
		all = append(all, s)
	}
	return all
}

// beside reads the directory of a resource beside the one that was named; nil if there is none.
func (r *Reader) beside(dir, resource string) ([]*data.Run, error) {
	first := filepath.Clean(dir)
	if named := formerFirst(first); named != "" {
		first = named
	}
	m, _ := data.ReadMeta(dir)
	for _, other := range []string{first, first + "." + data.FileName(resource)} {
		further, _ := data.ReadMeta(other)
		if other == filepath.Clean(dir) || programOf(m) != programOf(further) || !data.IsRun(other) {
			continue
		}
		if all, err := r.readAll(other); err != nil || measures(all, resource) {
			return all, err
		}
	}
	return nil, nil
}
