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

// source reads the script: from -e, standard input for "-", the named file, or
// one of that name, or with .dbctl behind it, that comes with us.
func (o *options) source(stdin io.Reader) (*source, error) {
	if o.text != nil {
		return &source{"-e", []byte(*o.text)}, nil
	}
	if o.script == "-" {
		text, err := io.ReadAll(stdin)
		return &source{"standard input", text}, err
	}
	text, err := os.ReadFile(o.script)
	if err == nil {
		return &source{o.script, text}, nil
	}
	if !strings.Contains(o.script, "/") {
		for _, name := range []string{o.script, o.script + ".dbctl"} {
			for _, dir := range o.includes() {
				path := filepath.Join(dir, name)
				if text, e := os.ReadFile(path); e == nil {
					return &source{path, text}, nil
				}
			}
		}
	}
	return nil, fmt.Errorf("cannot read the script: %w", err)
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
