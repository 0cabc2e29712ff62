// Package script reads the language of dbctl: it turns the text of a script, with
// the files that it includes, into a program for the machine, or into all the
// errors that it holds.
package script

import (
	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// Options are what the text of a script depends on.
type Options struct {
	Include []string // directories for #include, searched after that of the including file
}

// Load reads a script. name is the path of its file, for messages and for finding
// what it includes. The error, if any, is an *Errors.
func Load(name string, src []byte, o Options) (*machine.Program, error) {
	p := &parser{options: o, resolve: true}
	items := p.parse(&source{name: name, text: src}, atFile)
	program := (&checker{parser: p}).program(items)
	if len(p.list) > 0 {
		return nil, &Errors{List: sorted(p.list)}
	}
	return program, nil
}
