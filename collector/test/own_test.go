package collector_test

import (
	"path/filepath"
	"testing"
)

// What the library takes itself, to make its files above all, is no time of programs, however short they are.
func TestOwnTimeIsNotSampled(t *testing.T) {
	const script = "i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i+1)); done; echo done"
	for _, letters := range []string{"q4000", "q4000 s"} {
		s := prepare(t, letters, "sh", "-c", script).run().ok("done\n")
		dirs := s.dirs(0)
		if len(dirs) == 0 {
			t.Fatalf("%q: nothing was sampled", letters)
		}
		for _, dir := range dirs {
			switch {
			case exists(filepath.Join(dir, "paths.cpu")):
				if n := s.profile(dir).in("libpct.so"); n > 0 {
					t.Errorf("%q: %d samples of %s are in libpct.so", letters, n, dir)
				}
			case exists(filepath.Join(dir, "libpct.so")):
				t.Errorf("%q: %s has samples in libpct.so", letters, dir)
			}
		}
	}
}
