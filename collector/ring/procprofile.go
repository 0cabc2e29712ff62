package ring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

// procProfile is the kernel's own histogram of its program counters, of all
// processors at each tick; it's there if the kernel was booted with profile=. It
// serves where perf events of the kernel are not permitted.
const procProfile = "/proc/profile"

// kernelHistogram is what the file holds: the bytes of addresses in a bin, and the
// counters, from the kernel's symbol _stext on.
type kernelHistogram struct {
	step   uint32
	counts []uint32
}

func profileReadable(file string) bool {
	_, err := readProfile(file)
	return err == nil
}

func readProfile(file string) (*kernelHistogram, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	h := new(kernelHistogram)
	for i := 0; i+4 <= len(b); i += 4 {
		h.counts = append(h.counts, binary.NativeEndian.Uint32(b[i:]))
	}
	if len(h.counts) < 2 || h.counts[0] == 0 {
		return nil, fmt.Errorf("%s holds no histogram", file)
	}
	h.step, h.counts = h.counts[0], h.counts[1:]
	return h, nil
}

// since returns the counts that were added after before, by address. stext is where
// the kernel's code begins.
func (h *kernelHistogram) since(before *kernelHistogram, stext uint64) map[uint64]uint64 {
	each := map[uint64]uint64{}
	for i, n := range h.counts {
		if i < len(before.counts) {
			n -= before.counts[i] // it may have wrapped
		}
		if n > 0 {
			each[stext+uint64(i)*uint64(h.step)] = uint64(n)
		}
	}
	return each
}

// kernelTicks is the difference of two histograms in the course of a run.
type kernelTicks struct {
	file   string
	before *kernelHistogram
	start  time.Time
}

func beginTicks(file string) (*kernelTicks, error) {
	before, err := readProfile(file)
	if err != nil {
		return nil, err
	}
	return &kernelTicks{file: file, before: before, start: time.Now()}, nil
}

// write makes a count file of what was added, and the table of its functions, in a
// run directory.
func (t *kernelTicks) write(dir *data.Dir, pid int, k *kernel) error {
	after, err := readProfile(t.file)
	if err != nil {
		return err
	}
	if after.step != t.before.step || len(after.counts) != len(t.before.counts) {
		return fmt.Errorf("%s has another size than before", t.file)
	}
	stext, ok := k.addressOf("_stext")
	if !ok {
		return errors.New("neither /proc/kallsyms nor a System.map tells where the kernel's code begins (_stext)")
	}
	each := after.since(t.before, stext)
	var h hits
	for addr := range each {
		if s, ok := k.find(addr); ok {
			h.add(s)
		}
	}
	if err := h.write(dir); err != nil {
		return err
	}
	return dir.WriteCounts("[kernel]", &data.Counts{
		Object: "[kernel]", ObjectKind: data.ObjectKernel, Clock: "tick", Resource: "cpu",
		BinSize: int(after.step), Low: stext, Size: uint64(len(after.counts)) * uint64(after.step),
		Period: resource.KernelTick(), Start: t.start, Pid: pid,
	}, each)
}

// addressOf is the address of a function by its name.
func (k *kernel) addressOf(name string) (uint64, bool) {
	for _, s := range k.symbols {
		if s.name == name {
			return s.addr, true
		}
	}
	return 0, false
}
