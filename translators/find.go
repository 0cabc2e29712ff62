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

// ownPrefix is what the names of the toolkit's translators begin with.
const ownPrefix = "pct-"

// Find returns the path of a translator. The toolkit's own, which go by their names
// alone, stand beside the program that runs, in its libexec directory, or in PATH. All
// others are commands as a shell takes them, and returned as they are.
func Find(command string) (string, error) {
	if !strings.HasPrefix(command, ownPrefix) || strings.ContainsRune(command, filepath.Separator) {
		return command, nil
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
		name := filepath.Join(dir, command)
		if _, err := exec.LookPath(name); err == nil {
			return name, nil
		}
	}
	name, err := exec.LookPath(command)
	if err == nil {
		return name, nil
	}
	where := strings.Join(append(places, "PATH"), ", ")
	if command == Default {
		return "", fmt.Errorf("%s, which finds functions and lines, is in none of %s: is the installation complete? "+
			"-translator COMMAND names another one", command, where)
	}
	return "", fmt.Errorf("translator %s is in none of %s", command, where)
}
