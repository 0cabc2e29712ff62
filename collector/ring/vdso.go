package ring

import (
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/proc"
)

// vdsoBuildID is the build ID of the kernel's shared object where a process has it; "" if it is
// unknown. Reports take its names from their own, if that is the same build.
func (im images) vdsoBuildID(m *mapping) string {
	// Processes of 32 bits have it below 4 GiB, and another one; all others have ours.
	if m.start < 1<<32 {
		return ""
	}
	key := [2]string{proc.VDSO}
	i, known := im[key]
	if !known {
		if f, err := object.VDSO(); err == nil {
			i = &image{buildID: f.BuildID(), file: f}
		}
		im[key] = i
	}
	if i == nil {
		return ""
	}
	return i.buildID
}
