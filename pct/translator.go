package main

import (
	"fmt"
	"strings"

	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

const defaultTranslator = translators.Default

// needs are the arguments by which the default translator leaves out what labels of
// a granularity don't show: of the frames of call paths, or of the innermost ones
// alone. Functions are left out there only, as main is looked for on call paths.
func needs(g path.Granularity, innermost bool) []string {
	var arguments []string
	if g == path.Symbol {
		arguments = append(arguments, "-functions")
	}
	if innermost {
		arguments = append(arguments, "-innermost")
		if g == path.Line || g == path.Source {
			arguments = append(arguments, "-lines")
		}
	}
	return arguments
}

// stampedTranslator starts the translator that a count file wants, once.
func (v *invocation) stampedTranslator(command string) (path.Translator, error) {
	if t, ok := v.stamped[command]; ok {
		return t, nil
	}
	t, err := startTranslator(command)
	if err != nil {
		return nil, fmt.Errorf("%w (a count file names it; -translator COMMAND uses another one)", err)
	}
	if v.stamped == nil {
		v.stamped = map[string]*translators.Cached{}
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
// arguments, which is asked only what was not asked before.
func startTranslator(command string, arguments ...string) (*translators.Cached, error) {
	if strings.Contains(command, "%o") {
		return nil, fmt.Errorf("translator %s: %%o stands for an object in pct-pr -req only", command)
	}
	argv := strings.Fields(command)
	if len(argv) == 0 {
		argv = append([]string{defaultTranslator}, arguments...)
	}
	var err error
	if argv[0], err = translators.Find(argv[0]); err != nil {
		return nil, err
	}
	return translators.StartCached(argv)
}
