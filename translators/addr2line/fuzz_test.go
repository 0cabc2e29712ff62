package addr2line

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// Whatever an ELF file holds, it is read to an end, and answers for any address.
func FuzzObject(f *testing.F) {
	for _, flags := range []string{"-Os -g1 -Wl,-z,noseparate-code", "-Os -s -Wl,-z,noseparate-code", "-Os -g -gz -Wl,-z,noseparate-code"} {
		small, err := os.ReadFile(build(f, "chain.c", flags))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(small, uint64(0x1060))
	}
	path := filepath.Join(f.TempDir(), "object")
	f.Fuzz(func(t *testing.T, data []byte, vaddr uint64) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := open(object.Finder{}, path, "")
		if err != nil {
			return
		}
		defer o.code.Close()
		asked := []uint64{vaddr, o.code.Entry}
		for _, p := range o.code.Progs {
			asked = append(asked, p.Vaddr, p.Vaddr+p.Memsz/2)
		}
		for _, v := range asked[:min(len(asked), 16)] {
			o.frames(nil, v, debuginfo.Detail{})
		}
	})
}
