package ring

import (
	"debug/elf"
	"io"
	"os"
)

// vdsoPath is the name of the kernel's shared object among the mappings of a process.
const vdsoPath = "[vdso]"

// vdsoBuildID is the build-id of the kernel's shared object where a process has it; "" if it is unknown.
// Reports take its names from their own, if that is the same build.
func (im images) vdsoBuildID(m *mapping) string {
	// Processes of 32 bits have it below 4 GiB, and another one; all others have ours.
	if m.start < 1<<32 {
		return ""
	}
	key := [2]string{vdsoPath}
	i, known := im[key]
	if !known {
		i = ownVDSO()
		im[key] = i
	}
	if i == nil {
		return ""
	}
	return i.buildID
}

// ownVDSO is the one in this process; nil if it can't be read.
func ownVDSO() *image {
	for _, m := range readMaps(os.Getpid()) {
		if m.path != vdsoPath {
			continue
		}
		memory, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil
		}
		defer memory.Close()
		f, err := elf.NewFile(io.NewSectionReader(memory, int64(m.start), int64(m.end-m.start)))
		if err != nil {
			return nil
		}
		return headersOf(f)
	}
	return nil
}
