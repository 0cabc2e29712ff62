package path

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/profilecollection/pct/translators"
)

// tellChanged tells of each object without a name for any of its places, where that is
// because its file is not the one any more that was sampled.
func (s *Selection) tellChanged(all *symbols) {
	if s.runs.Changed == nil {
		return
	}
	used, named := make([]bool, len(all.objects)), make([]bool, len(all.objects))
	for i, p := range all.places {
		used[p.object] = true
		for _, f := range all.chains[i] {
			named[p.object] = named[p.object] || f.function != "" || f.file != ""
		}
	}
	for i, o := range all.objects {
		if !used[i] || named[i] || o.kernel != nil || !strings.HasPrefix(o.path, "/") {
			continue
		}
		if why := changed(o.path, o.buildID); why != "" {
			s.runs.Changed(why)
		}
	}
}

// changed says why a file is not the one that was sampled, "" if it is or may be.
func changed(path, buildID string) string {
	st, err := os.Stat(path) // before it is opened: a FIFO would wait
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path + " is no longer there: its addresses have no names"
	case err != nil || !st.Mode().IsRegular() || buildID == "":
		return ""
	}
	f, err := elf.Open(path)
	if err == nil {
		defer f.Close()
		if translators.BuildID(f) == buildID {
			return ""
		}
	} else if format := (*elf.FormatError)(nil); !errors.As(err, &format) {
		return ""
	}
	return fmt.Sprintf("%s was built again since it was sampled (other build-id): its addresses have no names", path)
}
