package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/script"
)

// source is a script's text and what diagnostics call it.
type source struct {
	name string
	text []byte
}

// source reads the script: from -e, standard input for "-", the named file, which
// may lack .dbctl, or else one of that name that comes with us.
func (o *options) source(stdin io.Reader) (*source, error) {
	if o.text != nil {
		return &source{"-e", []byte(*o.text)}, nil
	}
	if o.script == "-" {
		text, err := io.ReadAll(stdin)
		return &source{"standard input", text}, err
	}
	dirs := []string{""}
	if !strings.Contains(o.script, "/") {
		dirs = append(dirs, o.includes()...)
	}
	var wrong error
	for _, dir := range dirs {
		for _, name := range []string{o.script, o.script + ".dbctl"} {
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			if err == nil {
				return &source{path, text}, nil
			}
			if wrong == nil {
				wrong = err
			}
		}
	}
	return nil, fmt.Errorf("cannot read the script: %w", wrong)
}

func (s *source) load(o *options) (*machine.Program, error) {
	return script.Load(s.name, s.text, script.Options{Include: o.includes(), Strict: o.check, Given: slices.Sorted(maps.Keys(o.vars))})
}

func format(s *source, stdout, stderr io.Writer) int {
	text, err := script.Format(s.name, s.text)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return failed
	}
	stdout.Write(text)
	return 0
}

func grammar(stdout io.Writer) int {
	fmt.Fprint(stdout, script.Grammar())
	return 0
}
