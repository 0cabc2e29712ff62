package main

import (
	"fmt"
	"strings"

	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

const defaultTranslator = translators.Default

// functionsOnly has the default translator leave out lines.
const functionsOnly = "-functions"

// stampedTranslator starts the translator that a count file wants, once.
func (v *invocation) stampedTranslator(command string) (path.Translator, error) {
	if t, ok := v.stamped[command]; ok {
		return t, nil
	}
	t, err := startTranslator(command)
	if err != nil {
		return nil, fmt.Errorf("%w (a count file wants it; -translator COMMAND uses another one)", err)
	}
	if v.stamped == nil {
		v.stamped = map[string]*translators.Client{}
	}
	v.stamped[command] = t
	return t, nil
}

func (v *invocation) endStamped() {
	for _, t := range v.stamped {
		t.Close()
	}
}

// startTranslator starts a translator: the command given, or the default one with
// arguments.
func startTranslator(command string, arguments ...string) (*translators.Client, error) {
	if argv := strings.Fields(command); len(argv) > 0 {
		return translators.Start(argv)
	}
	name, err := translators.Find()
	if err != nil {
		return nil, err
	}
	return translators.Start(append([]string{name}, arguments...))
}
