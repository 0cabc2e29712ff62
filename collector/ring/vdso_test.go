package ring

import (
	"os"
	"regexp"
	"testing"

	"github.com/profilecollection/pct/internal/proc"
)

// Reports name functions of the vDSO where its build-id is that of their own.
func TestVDSO(t *testing.T) {
	found := false
	im := images{}
	for _, m := range readMaps(os.Getpid()) {
		if m.path != proc.VDSO {
			continue
		}
		found = true
		if p := im.place(os.Getpid(), m); p.kind != kindVDSO || p.bias != m.start || !regexp.MustCompile(`^[0-9a-f]{32,}$`).MatchString(p.buildID) {
			t.Errorf("%+v", p)
		}
	}
	if !found {
		t.Fatal("this process has none")
	}
	// That of a process of 32 bits is another one.
	if p := im.place(os.Getpid(), &mapping{start: 0xf7f00000, end: 0xf7f02000, path: proc.VDSO}); p.kind != kindVDSO || p.buildID != "" {
		t.Errorf("%+v", p)
	}
}
