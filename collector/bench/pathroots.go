package bench

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/object"
)

// roots knows where call paths begin: at an executable's entry point, the dynamic
// linker's, and where the C library's call frame information says that there is no
// caller, as it does where threads begin. Symbols are not asked: programs may have none.
type roots struct{ objects map[string]*rootObject }

type rootObject struct {
	spans []span
	file  *object.File // nil: there is none
}

type span struct{ start, end uint64 }

// entrySize is no less than the code at an entry point, and less than to other code that calls.
const entrySize = 64

func newRoots() *roots { return &roots{make(map[string]*rootObject)} }

func (r *roots) object(path string) *rootObject {
	if o, ok := r.objects[path]; ok {
		return o
	}
	o := &rootObject{}
	r.objects[path] = o
	f, err := object.Open(path)
	if err != nil {
		return o
	}
	defer f.Close()
	o.file = f
	switch name := filepath.Base(path); {
	case strings.HasPrefix(name, "libc.so"), strings.HasPrefix(name, "libpthread"):
		o.spans = callerless(path)
	case f.Interpreter() != "", strings.HasPrefix(name, "ld-"):
		o.spans = []span{{f.Entry, f.Entry + entrySize}}
	}
	return o
}

// callerless finds the code of an object that has no caller.
func callerless(path string) []span {
	cmd := exec.Command("readelf", "--debug-dump=frames-interp", path)
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	defer cmd.Wait()
	var spans []span
	var now span
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, code, found := strings.Cut(lines.Text(), " FDE "); found {
			_, code, _ = strings.Cut(code, "pc=")
			start, end, _ := strings.Cut(code, "..")
			now.start, _ = strconv.ParseUint(start, 16, 64)
			now.end, _ = strconv.ParseUint(strings.TrimSpace(end), 16, 64)
			continue
		}
		if words := strings.Fields(lines.Text()); len(words) > 2 && words[len(words)-1] == "u" && now.end > 0 {
			spans = append(spans, now)
			now = span{}
		}
	}
	return spans
}

// begins reports whether a path may begin at an ELF virtual address.
func (r *roots) begins(object string, vaddr uint64) bool {
	for _, s := range r.object(object).spans {
		if vaddr >= s.start && vaddr <= s.end {
			return true
		}
	}
	return false
}

// atOffset is begins of an offset in the file.
func (r *roots) atOffset(path string, offset uint64) bool {
	f := r.object(path).file
	if f == nil {
		return false
	}
	vaddr, ok := f.Vaddr(offset)
	return ok && r.begins(path, vaddr)
}
