package bench

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/pct/data"
)

var (
	//go:embed target/gap.c
	gapSource string
	//go:embed target/interrupt.c
	interruptSource string
	//go:embed target/trap.c
	trapSource string
	//go:embed target/spawn.c
	spawnSource string
	//go:embed target/threads.c
	threadsSource string
	//go:embed target/burn.c
	burnSource string
)

// The names of methods that others are compared with.
const (
	bare  = "bare"
	empty = "empty library"
)

// method is a way to sample a program.
type method struct {
	name string
	hz   int // samples asked for, 0 if none are taken
	// foreign ones may fail, which is told: perf 6.1 aborts at times over its build-ids.
	foreign bool
	// wrap returns what to run so that argv is sampled and the data get into dir, and
	// what the environment needs for it.
	wrap func(dir string, argv []string) (command, environment []string)
	// samples counts those in dir; stderr is what the command said.
	samples func(dir, stderr string) (uint64, error)
}

// rates are those at which samplers are compared: a usual one, the kernel's tick on
// many machines, and one beyond it.
var rates = [...]int{100, 250, 1000}

// findMethods returns the methods, the bare one first. Those whose program is not
// installed are left out, and that is said.
func (b *bench) findMethods() ([]method, error) {
	library := filepath.Join(b.Bin, "lib", "libpct.so")
	if _, err := os.Stat(library); err != nil {
		return nil, fmt.Errorf("no libpct.so (-bin DIR says where it is): %w", err)
	}
	nothing, err := b.compile("nothing", "extern int nothing; int nothing;\n", "-shared", "-fPIC")
	if err != nil {
		return nil, err
	}
	interrupt, err := b.compile("interrupt", interruptSource)
	if err != nil {
		return nil, err
	}
	all := []method{
		{name: bare, wrap: func(dir string, argv []string) ([]string, []string) { return argv, nil }},
		{name: empty, wrap: func(dir string, argv []string) ([]string, []string) {
			return argv, []string{"LD_PRELOAD=" + nothing}
		}},
	}
	for _, hz := range rates {
		all = append(all, libpct(library, hz))
	}
	if _, err := exec.LookPath("perf"); err != nil {
		fmt.Fprintf(b.Out, "perf record is left out: %v\n", err)
	} else {
		for _, hz := range rates {
			all = append(all, perfRecord(hz))
		}
	}
	const profiler = "libprofiler.so.0"
	if found, _ := filepath.Glob("/usr/lib/*/" + profiler); len(found) == 0 {
		fmt.Fprintf(b.Out, "gperftools is left out: no %s (Debian: libgoogle-perftools4)\n", profiler)
	} else {
		for _, hz := range rates {
			all = append(all, gperftools(found[0], hz))
		}
	}
	return append(all, method{
		name: "bare interrupt", hz: 1000,
		wrap: func(dir string, argv []string) ([]string, []string) {
			return append([]string{interrupt, "1000000"}, argv...), nil
		},
	}), nil
}

func libpct(library string, hz int) method {
	return method{
		name: "libpct", hz: hz,
		wrap: func(dir string, argv []string) ([]string, []string) {
			return argv, []string{"LD_PRELOAD=" + library, "PCT=q" + strconv.Itoa(1000000/hz), "PCT_DIR=" + dir}
		},
		samples: countFiles,
	}
}

// countFiles adds up the samples in all count files below dir.
func countFiles(dir, _ string) (uint64, error) {
	var sum uint64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "meta" {
			return err
		}
		c, err := data.OpenCounts(path)
		if err != nil {
			return err
		}
		sum += c.Samples
		return nil
	})
	return sum, err
}

var perfWrote = regexp.MustCompile(`\(([0-9]+) samples\)`)

// perfRecord leaves perf's cache of objects alone (-N). Build-ids it must note: without
// them (-B) it does not tell the number of samples.
func perfRecord(hz int) method {
	return method{
		name: "perf record", hz: hz, foreign: true,
		wrap: func(dir string, argv []string) ([]string, []string) {
			return append([]string{"perf", "record", "-N", "-e", "cpu-clock", "-F", strconv.Itoa(hz), "-o", filepath.Join(dir, "perf.data"), "--"}, argv...), nil
		},
		samples: func(dir, stderr string) (uint64, error) {
			m := perfWrote.FindStringSubmatch(stderr)
			if m == nil {
				return 0, nil // it says nothing where there is no sample
			}
			return strconv.ParseUint(m[1], 10, 64)
		},
	}
}

func gperftools(library string, hz int) method {
	return method{
		name: "gperftools", hz: hz, foreign: true,
		wrap: func(dir string, argv []string) ([]string, []string) {
			return argv, []string{"LD_PRELOAD=" + library, "CPUPROFILE=" + filepath.Join(dir, "prof"), "CPUPROFILE_FREQUENCY=" + strconv.Itoa(hz)}
		},
		samples: cpuProfiles,
	}
}

// cpuProfiles adds up the samples in gperftools' files.
func cpuProfiles(dir, _ string) (uint64, error) {
	files, err := filepath.Glob(filepath.Join(dir, "prof*"))
	if err != nil {
		return 0, err
	}
	var sum uint64
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		sum += samplesOfProfile(text)
	}
	return sum, nil
}

// eachOfProfile reads a file of gperftools: words of 64 bits, a header whose second
// word is the number of those that follow it there, then for each stack its count, its
// length and the addresses. A count of 0 ends them; the memory map follows as text, and
// is returned.
func eachOfProfile(text []byte, each func(n uint64, stack []uint64)) (maps []byte) {
	words := make([]uint64, len(text)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(text[8*i:])
	}
	if len(words) < 2 {
		return nil // of a process that was killed
	}
	i := 2 + int(words[1])
	for i+1 < len(words) && words[i] > 0 {
		next := i + 2 + int(words[i+1])
		each(words[i], words[min(i+2, len(words)):min(next, len(words))])
		i = next
	}
	return text[min(8*(i+3), len(text)):]
}

func samplesOfProfile(text []byte) (sum uint64) {
	eachOfProfile(text, func(n uint64, _ []uint64) { sum += n })
	return sum
}

// mapsOfProfile reads the memory map at the end of a file of gperftools.
func mapsOfProfile(text []byte) (maps []mapping) {
	for line := range strings.Lines(string(eachOfProfile(text, func(uint64, []uint64) {}))) {
		var m mapping
		var end, inode uint64
		var protection, device string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d %s", &m.start, &end, &protection, &m.offset, &device, &inode, &m.path); n == 7 {
			m.size = end - m.start
			maps = append(maps, m)
		}
	}
	return maps
}

// compile compiles a C source into a program, or with flags a library, of that name.
func (b *bench) compile(name, source string, flags ...string) (string, error) {
	file, path := filepath.Join(b.Dir, name+".c"), filepath.Join(b.Dir, name)
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		return "", err
	}
	args := append([]string{"-std=gnu11", "-O2", "-g", "-o", path, file, "-lpthread"}, flags...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot compile %s: %w: %s", name, err, out)
	}
	return path, nil
}
