package object

import (
	"bytes"
	"os"

	"github.com/profilecollection/pct/internal/proc"
)

// VDSO is the shared object that the kernel maps into this process. No file holds it. All 64-bit
// processes have the same one.
func VDSO() (*File, error) {
	m, err := proc.Mapped(os.Getpid(), proc.VDSO)
	if err != nil {
		return nil, err
	}
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	image := make([]byte, m.End-m.Start)
	if _, err := memory.ReadAt(image, int64(m.Start)); err != nil {
		return nil, err
	}
	return New(proc.VDSO, bytes.NewReader(image))
}
