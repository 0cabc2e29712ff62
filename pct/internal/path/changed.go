package path

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/translators"
)

// tellChanged tells of each object with places that have no names, where that is because its
// file is not the one any more that was sampled.
func (s *Selection) tellChanged(all *symbols) {
	if s.runs.Changed == nil {
		return
	}
	type count struct{ places, named int }
	counts := make([]count, len(all.objects))
	for i, p := range all.places {
		counts[p.object].places++
		if all.named(i) {
			counts[p.object].named++
		}
	}
	for i, o := range all.objects {
		n := counts[i]
		if n.named == n.places || n.named > 0 && !all.kept[int32(i)] || o.kernel != nil || o.named != nil || !strings.HasPrefix(o.path, "/") {
			continue
		}
		switch why := changed(o); {
		case why == "":
		case n.named == 0:
			s.runs.Changed(why + ": its addresses have no names")
		default:
			s.runs.Changed(fmt.Sprintf("%s: %d of %d addresses have no names, because names are not stored with the data", why, n.places-n.named, n.places))
		}
	}
}

// another reports whether the object's file is known to be another one than was sampled, though
// no build-id tells.
func (o objectKey) another() bool {
	return o.file != (translators.FileID{}) && translators.FileIDOf(o.path) != o.file
}

// changed says why a file is not the one that was sampled, "" if it is or may be.
func changed(o objectKey) string {
	st, err := os.Stat(o.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return o.path + " is no longer there"
	case o.another():
		return o.path + " is not the file that was sampled (other size or time)"
	case err != nil || !st.Mode().IsRegular() || o.buildID == "":
		return ""
	}
	f, err := object.Open(o.path)
	if err == nil {
		defer f.Close()
		if f.IsBuild(o.buildID) {
			return ""
		}
	} else if format := (*elf.FormatError)(nil); !errors.As(err, &format) {
		return ""
	}
	return o.path + " was built again since it was sampled (other build-id)"
}
