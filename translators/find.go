package translators

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Default is the translator of who names none.
const Default = "pct-addr2line"

// Find returns the path of the default translator, which stands beside the
// program that runs, in its libexec directory, or in PATH.
func Find() (string, error) {
	var places []string
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		dir := filepath.Dir(self)
		places = []string{dir, filepath.Join(dir, "..", "libexec", "pct")}
	}
	for _, dir := range places {
		name := filepath.Join(dir, Default)
		if _, err := exec.LookPath(name); err == nil {
			return name, nil
		}
	}
	name, err := exec.LookPath(Default)
	if err != nil {
		return "", fmt.Errorf("%s, which finds functions and lines, is not in %s nor in PATH: is the installation complete? "+
			"-translator COMMAND names another one", Default, strings.Join(places, ", "))
	}
	return name, nil
}
