package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/profilecollection/pct/bench/harness"
	"github.com/profilecollection/pct/pct/data"
)

// The two programs of the table of short processes are copies of one.
const (
	shortProgram = "shortlived"
	longProgram  = "longlived"
)

// short measures which share of the samples falls on processes that live for a
// fraction of the period, beside one that lives long, and which share of CPU time they
// have.
func (b *bench) short() error {
	spawn, err := b.compile("spawn", spawnSource)
	if err != nil {
		return err
	}
	for _, name := range []string{shortProgram, longProgram} {
		if _, err := b.compile(name, burnSource); err != nil {
			return err
		}
	}
	argv := []string{"sh", "-c", `"$0" 200 "$1" 3 && "$0" 1 "$2" 600`, spawn, filepath.Join(b.Dir, shortProgram), filepath.Join(b.Dir, longProgram)}
	budget := 20 * time.Second
	if b.long {
		budget *= 6
	}
	ratios := make([][]float64, len(b.methods))
	truths := make([][]float64, len(b.methods))
	rounds := b.InRounds(budget, func() {
		for i, m := range b.methods {
			count := counterOf(m.name)
			if count == nil || m.hz != rates[0] {
				continue
			}
			r, err := b.measure(m, argv)
			var middle, short, long float64
			if err == nil {
				_, err = fmt.Sscan(r.stdout, &middle, &short, &middle, &long)
			}
			var got, of float64
			if err == nil {
				got, of, err = count(r.dir)
			}
			if err != nil {
				b.fail("short", m, err)
				continue
			}
			truths[i] = append(truths[i], 100*short/(short+long))
			if of > 0 {
				ratios[i] = append(ratios[i], 100*got/of)
			}
		}
	})
	fmt.Fprintf(b.Out, "\n200 processes of 3 ms beside one of 600 ms, at %d Hz, %d rounds: percent that the short ones have\n\n", rates[0], rounds)
	w := b.Table()
	fmt.Fprintln(w, "how\tof CPU time\tof samples\tquartiles")
	for i, m := range b.methods {
		if len(truths[i]) > 0 {
			fmt.Fprintf(w, "%s\t%.1f\t%s\n", m.name, harness.QuartilesOf(truths[i]).Middle, harness.QuartilesOf(ratios[i]).Show(1))
		}
	}
	return w.Flush()
}

// counterOf returns what counts a method's samples of the short program, and those of
// both, or nil.
func counterOf(method string) func(dir string) (short, all float64, err error) {
	switch method {
	case "libpct":
		return shortOfCounts
	case "perf record":
		return shortOfPerf
	case "gperftools":
		return shortOfProfiles
	}
	return nil
}

func shortOfCounts(dir string) (short, all float64, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*lived.*", "*"))
	if err != nil {
		return 0, 0, err
	}
	for _, file := range files {
		if filepath.Base(file) == "meta" {
			continue
		}
		c, err := data.OpenCounts(file)
		if err != nil {
			return 0, 0, err
		}
		all += float64(c.Samples)
		if strings.HasPrefix(filepath.Base(filepath.Dir(file)), shortProgram) {
			short += float64(c.Samples)
		}
	}
	return short, all, nil
}

func shortOfPerf(dir string) (short, all float64, err error) {
	out, err := exec.Command("perf", "script", "-i", filepath.Join(dir, "perf.data"), "-F", "comm").Output()
	short = float64(bytes.Count(out, []byte(shortProgram)))
	return short, short + float64(bytes.Count(out, []byte(longProgram))), err
}

// shortOfProfiles tells processes by the memory map at the end of their files.
func shortOfProfiles(dir string) (short, all float64, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "prof*"))
	if err != nil {
		return 0, 0, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, 0, err
		}
		n := samplesOfProfile(text)
		switch {
		case bytes.Contains(text, []byte("/"+shortProgram)):
			short += float64(n)
			all += float64(n)
		case bytes.Contains(text, []byte("/"+longProgram)):
			all += float64(n)
		}
	}
	return short, all, nil
}
