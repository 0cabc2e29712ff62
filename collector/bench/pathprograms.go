package bench

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

var (
	//go:embed target/deep.c
	deepSource string
	//go:embed target/throws.cc
	throwsSource string
	//go:embed target/work.lua
	workLua string
	//go:embed target/work.py
	workPython string
	//go:embed target/used.c
	usedSource string
)

// pathProgram is one whose call paths are collected: about 0.7 seconds of CPU time.
type pathProgram struct {
	name    string
	argv    []string
	missing string   // why it can't be run
	counted []string // the same, compiled by us for gprof; nil: it's not of ours
	short   []string // with a tenth of the work, for what makes it so slow; nil: it's not of ours
	// slope says that it is also sampled at the fast rate.
	slope bool
}

const joins = `CREATE TABLE t(a INTEGER, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < %d)
INSERT INTO t SELECT i*7919%%100003, printf('%%x', i*31), i/3.0 FROM n;
CREATE INDEX ta ON t(a);
SELECT count(*), avg(x.c), max(y.b) FROM t x JOIN t y ON x.a = y.a+1 WHERE x.b LIKE '%%a%%';
SELECT a%%1000 AS g, count(*), sum(c), length(group_concat(b)) FROM t GROUP BY g ORDER BY 3 DESC LIMIT 1;
SELECT count(DISTINCT substr(b, 1, 3)) FROM t`

// pathPrograms returns the programs whose name, with that of the table before it, matches; one that can't be made says why.
func (b *bench) pathPrograms(table string) []pathProgram {
	size := func(n int) int {
		if b.quick {
			return n / 10
		}
		return n
	}
	times := func(n int) string { return strconv.Itoa(size(n)) }
	var chosen []pathProgram
	for _, p := range []struct {
		name  string
		slope bool
		make  func(*pathProgram) error
	}{
		{"bzip2", false, func(p *pathProgram) error {
			text, err := b.file("path-text", string(prose(size(8<<20))))
			p.argv = []string{"bzip2", "-k", "-f", text}
			return err
		}},
		{"gcc", true, func(p *pathProgram) error {
			source, err := b.file("path.c", bigSource(size(110)))
			if err != nil {
				return err
			}
			cc1, err := exec.Command("gcc", "-print-prog-name=cc1").Output()
			p.argv = []string{strings.TrimSpace(string(cc1)), "-quiet", "-O2", source, "-o", os.DevNull}
			return err
		}},
		{"sqlite3", true, func(p *pathProgram) error {
			p.argv = []string{"sqlite3", ":memory:", fmt.Sprintf(joins, size(300000))}
			return nil
		}},
		{"lua", true, func(p *pathProgram) error {
			script, err := b.file("work.lua", workLua)
			p.argv = []string{"lua5.4", script, times(26)}
			return err
		}},
		{"python3", false, func(p *pathProgram) error {
			script, err := b.file("work.py", workPython)
			p.argv = []string{"/usr/bin/python3", script, times(50)}
			return err
		}},
		{"deep recursion", true, func(p *pathProgram) error {
			return b.ours(p, "deep", "cc", deepSource, "1", "300", times(1000000))
		}},
		{"threads", false, func(p *pathProgram) error {
			return b.ours(p, "deep", "cc", deepSource, "4", "20", times(250000))
		}},
		{"exceptions", false, func(p *pathProgram) error {
			return b.ours(p, "throws", "c++", throwsSource, times(200000))
		}},
	} {
		if !b.Match.MatchString(table + p.name) {
			continue
		}
		made := pathProgram{name: p.name, slope: p.slope}
		err := p.make(&made)
		if err == nil {
			_, err = exec.LookPath(made.argv[0])
		}
		if err != nil {
			made.missing = oneLine(err.Error())
		}
		chosen = append(chosen, made)
	}
	return chosen
}

// file writes a file and returns its path.
func (b *bench) file(name, text string) (string, error) {
	path := filepath.Join(b.Dir, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// ours compiles a program plainly and for gprof; its last argument is how much it works.
func (b *bench) ours(p *pathProgram, name, compiler, source string, args ...string) error {
	rounds, err := strconv.Atoi(args[len(args)-1])
	if err != nil {
		return err
	}
	suffix := map[string]string{"cc": ".c", "c++": ".cc"}[compiler]
	file, err := b.file(name+suffix, source)
	if err != nil {
		return err
	}
	plain := filepath.Join(b.Dir, name)
	for program, flag := range map[string]string{plain: "-O2", plain + "-counted": "-pg"} {
		if out, err := exec.Command(compiler, "-O2", "-g", flag, "-o", program, file, "-lpthread").CombinedOutput(); err != nil {
			return fmt.Errorf("cannot compile %s: %w: %s", file, err, out)
		}
	}
	p.argv, p.counted = append([]string{plain}, args...), append([]string{plain + "-counted"}, args...)
	p.short = append(slices.Clone(p.argv[:len(args)]), strconv.Itoa(rounds/10))
	return nil
}

// oneLine is the first line of a text, for a table.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > 120 {
		line = line[:120] + "..."
	}
	return line
}
