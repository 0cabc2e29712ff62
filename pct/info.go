package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/path"
)

func infoCommand() command {
	return command{
		name:    "info",
		summary: "What is known of each run: program, clock, times, counts",
		flags:   []string{"O FILE"},
		example: "/tmp/pct/gzip.4711",
		run: func(v *invocation) error {
			runs, err := path.OpenApart(v.dirs)
			if err != nil {
				return err
			}
			v.warnAll(runs.Warnings)
			for i, r := range runs.Data() {
				if i > 0 {
					v.out.WriteByte('\n')
				}
				v.info(r)
			}
			return nil
		},
	}
}

// info writes a line for each thing known.
func (v *invocation) info(r *data.Run) {
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&v.out, "%-10s %s\n", key, visible.Text(value))
		}
	}
	m := r.Meta
	line("directory", r.Dir)
	line("program", quoted(m.Argv))
	line("executable", m.Exe)
	line("build-id", m.BuildID)
	line("host", m.Host)
	line("pid", whole(m.Pid))
	line("parent", whole(m.Ppid))
	line("tree", m.Tree)
	line("start", moment(m.Start))
	line("end", moment(m.End))
	line("cpu", elapsed(m.CPU))
	line("state", m.State)
	line("status", m.Status)
	line("resource", r.Header.Resource)
	line("unit", r.Header.Unit)
	if r.Packed.Len() > 0 && r.Header.Clock != m.Clock { // one of several resources
		m.Clock, m.Period = r.Header.Clock, r.Header.Period
	}
	line("clock", m.Clock)
	line("period", elapsed(m.Period))
	if m.Asked > 0 && (m.Period > 0 || r.Packed.Len() == 0) {
		line("requested", fmt.Sprintf("%g Hz", m.Asked))
	}
	threads := map[uint32]bool{}
	for _, s := range r.Packed.All() {
		threads[s.Thread] = true
	}
	samples := r.Packed.Count
	line("samples", fmt.Sprintf("%d (%d truncated), weight %d %s", samples, r.Packed.Partial, r.Packed.Weight, r.Header.Unit))
	delete(threads, 0)
	line("threads", whole(len(threads)))
	line("frames", plural(uint64(len(r.Nodes)-1), "calling context")+" in "+plural(uint64(len(r.Objects)-1), "object"))
	line("fields", strings.Join(r.Fields[1:], ", "))
	for _, why := range slices.Sorted(maps.Keys(r.Lost)) {
		line("lost", fmt.Sprintf("%d: %s", r.Lost[why], why))
	}
	if m.State != "" && m.State != "running" && m.Samples != samples {
		line("but", "the collector counted "+plural(m.Samples, "sample"))
	}
	for _, c := range r.Counts {
		line("counts", countFile(c))
	}
	for _, note := range m.Notes {
		line("note", note)
	}
}

// countFile says what is in a count file.
func countFile(c *data.Counts) string {
	kind := map[data.CountKind]string{data.Log: "log", data.Circular: "circular log", data.Table: "table"}[c.Kind]
	if c.Kind == data.Histogram {
		kind = fmt.Sprintf("histogram, counters of %d B, bins of %d B", c.Width, c.BinSize)
	}
	s := fmt.Sprintf("%s of %s: %s, %s", filepath.Base(c.Path), c.Object, kind, plural(c.Samples, "sample"))
	if c.Lost > 0 {
		s += fmt.Sprintf(", %d lost", c.Lost)
	}
	if c.Full > 0 {
		s += ", " + plural(c.Full, "counter") + " full"
	}
	if c.Translator != "" {
		s += ", translator " + c.Translator
	}
	return s
}

// plural is a number of things.
func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// quoted writes arguments such that their borders can be seen.
func quoted(argv []string) string {
	var b strings.Builder
	for i, arg := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if q := strconv.Quote(arg); arg == "" || strings.ContainsAny(arg, " '*$") || q != `"`+arg+`"` {
			arg = q
		}
		b.WriteString(arg)
	}
	return b.String()
}

func whole(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02 15:04:05.000 -0700")
}

func elapsed(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
