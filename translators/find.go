package translators

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Find returns the path of a translator that came with this program: beside the
// running binary, in ../libexec/pct of its directory, or else in the PATH.
func Find(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		dir := filepath.Dir(self)
		for _, path := range []string{filepath.Join(dir, name), filepath.Join(dir, "..", "libexec", "pct", name)} {
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
				return path, nil
			}
		}
	}
	return exec.LookPath(name)
}
