package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

const defaultTranslator = "pct-addr2line"

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

// startTranslator starts a translator: the command given, or the default one,
// which stands beside pct, in its libexec directory, or in PATH.
func startTranslator(command string) (*translators.Client, error) {
	if argv := strings.Fields(command); len(argv) > 0 {
		return translators.Start(argv)
	}
	var places []string
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		dir := filepath.Dir(self)
		places = []string{dir, filepath.Join(dir, "..", "libexec", "pct")}
	}
	for _, dir := range places {
		name := filepath.Join(dir, defaultTranslator)
		if _, err := exec.LookPath(name); err == nil {
			return translators.Start([]string{name})
		}
	}
	name, err := exec.LookPath(defaultTranslator)
	if err != nil {
		return nil, fmt.Errorf("%s, which finds functions and lines, is not in %s nor in PATH: is the installation complete? "+
			"-translator COMMAND names another one", defaultTranslator, strings.Join(places, ", "))
	}
	return translators.Start([]string{name})
}
