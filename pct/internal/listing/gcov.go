package listing

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/profilecollection/pct/internal/regular"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Endings of the files that tell executions: what a program leaves that was built
// with gcc --coverage, and what gcov --json-format makes of it.
const (
	gcdaEnd = ".gcda"
	jsonEnd = ".gcov.json"
)

// gcovReport is the JSON of gcov, as far as it matters here.
type gcovReport struct {
	Directory string `json:"current_working_directory"`
	Files     []struct {
		Name  string `json:"file"`
		Lines []struct {
			Number int    `json:"line_number"`
			Count  uint64 `json:"count"`
		} `json:"lines"`
	} `json:"files"`
}

// ReadExecutions adds up the executions that paths tell: .gcda files, .gcov.json[.gz]
// files, and directories, which are searched for .gcda files. The source files are
// those that search finds.
func ReadExecutions(paths []string, search *Search, hertz float64, origin string) (*Cycles, error) {
	c := &Cycles{Hertz: hertz, Origin: origin, counts: map[string]counts{}}
	for _, path := range paths {
		files := []string{path}
		st, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if st.IsDir() {
			if files, err = gcdaFiles(path); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s has no %s file: build the program with gcc --coverage and run it, it writes one for each of its objects at its end",
					path, gcdaEnd)
			}
		}
		for _, file := range files {
			if err := c.read(file, search); err != nil {
				return nil, err
			}
		}
	}
	if len(c.counts) == 0 {
		return nil, fmt.Errorf("%s: no line is counted there", strings.Join(paths, ", "))
	}
	return c, nil
}

func gcdaFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, gcdaEnd) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// read adds the executions that a file tells.
func (c *Cycles) read(file string, search *Search) error {
	var text []byte
	var err error
	switch {
	case strings.HasSuffix(file, gcdaEnd):
		runs, runsErr := gcdaRuns(file)
		if runsErr != nil {
			return runsErr
		}
		c.runs = max(c.runs, runs)
		text, err = runGcov(file)
	case strings.HasSuffix(file, jsonEnd):
		text, err = regular.ReadFile(file)
	case strings.HasSuffix(file, jsonEnd+".gz"):
		text, err = unzip(file)
	default:
		err = fmt.Errorf("%s is neither a %s nor a %s[.gz] file (gcov --json-format makes one)", file, gcdaEnd, jsonEnd)
	}
	if err != nil {
		return err
	}
	// One document for each .gcda file.
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var r gcovReport
		err := d.Decode(&r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: not what gcov writes: %w", file, err)
		}
		c.add(r, search)
	}
}

func (c *Cycles) add(r gcovReport, search *Search) {
	for _, f := range r.Files {
		name := f.Name
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Directory, name)
		}
		name = search.locate(name)
		if c.counts[name] == nil {
			c.counts[name] = counts{}
		}
		for _, line := range f.Lines {
			c.counts[name][line.Number] += line.Count // of each instance of a template
		}
	}
}

// runGcov returns what gcov tells of a .gcda file.
func runGcov(file string) ([]byte, error) {
	cmd := exec.Command("gcov", "--json-format", "--stdout", file)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("%w: it comes with gcc; or give files that it made (gcov --json-format)", err)
	}
	// It succeeds without its notes, a .gcno file, and says so on standard error.
	if said := strings.TrimSpace(complaints.String()); err != nil || said != "" && !bytes.Contains(out.Bytes(), []byte(`"line_number"`)) {
		return nil, fmt.Errorf("gcov cannot read %s: %s", file, strings.Join(strings.Split(said, "\n"), "; "))
	}
	return out.Bytes(), nil
}

func unzip(file string) ([]byte, error) {
	f, _, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return io.ReadAll(z)
}

// gcdaRuns returns how many runs of the program a .gcda file adds up, 0 if its
// version does not say so here.
//
// It begins with words of 32 bits: "gcda", the version of gcc, as in "B22*" for
// 12.2, a stamp, from gcc 12 on a check sum; then the tag of a summary, its length,
// the runs. Before gcc 9 the summary had another form.
func gcdaRuns(file string) (uint64, error) {
	f, _, err := regular.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head := make([]byte, 7*4)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return 0, err
	}
	const magic, summary = 0x67636461, 0xa1000000
	var order binary.ByteOrder = binary.LittleEndian
	if n >= 4 && order.Uint32(head) != magic {
		order = binary.BigEndian
	}
	if n < len(head) || order.Uint32(head) != magic {
		return 0, fmt.Errorf("%s is not a %s file of gcc", file, gcdaEnd)
	}
	version := order.Uint32(head[4:])
	major := (int(version>>24)-'A')*10 + int(version>>16&0xff) - '0'
	at := 3 * 4
	if major >= 12 {
		at += 4
	}
	if major < 9 || order.Uint32(head[at:]) != summary {
		return 0, nil
	}
	return uint64(order.Uint32(head[at+8:])), nil
}
