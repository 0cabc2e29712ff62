package addr2line

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/translators"
)

// Our frames are compared with those of addr2line(1) of binutils. It errs in
// these ways (2.40), each of which is settled by gdb, a reader of its own:
//
//   - of a C++ function that has no linkage name (static, in an anonymous
//     namespace, of a lambda) it gives the bare name, and to the innermost
//     inlined one the name of the ELF symbol around;
//   - in DWARF 5 it takes the file of the unit for some others.
//
// Both tell a part of a function that GCC split off and put back as if the function had called
// itself; that is one frame for us.
//
// Between functions, in padding, it gives the function before; there we know
// none, as gdb does.

// A reference is what is compared with.
type reference struct {
	t     *testing.T
	code  string // the object
	debug string // the file that holds its debug information
	gdb   *translators.Client
	sized []elf.Symbol // functions by symbol

	compared, padding, settled int
}

func newReference(t *testing.T, code, debug string) *reference {
	r := &reference{t: t, code: code, debug: debug}
	f, err := elf.Open(debug)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if typ := elf.ST_TYPE(s.Info); typ == elf.STT_FUNC || typ == elf.STT_GNU_IFUNC {
			r.sized = append(r.sized, s)
		}
	}
	r.gdb, err = translators.Start([]string{gdbline})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.gdb.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// compare holds our frames of some addresses against the reference.
func (r *reference) compare(vaddrs []uint64, ours [][]translators.Location) {
	r.t.Helper()
	for i, theirs := range addr2line(r.t, r.debug, vaddrs) {
		if wrong := r.differs(vaddrs[i], theirs, ours[i]); wrong != "" {
			r.t.Errorf("0x%x: %s\n  addr2line %v\n  ours      %v", vaddrs[i], wrong, theirs, ours[i])
		}
	}
	r.t.Logf("%d addresses: %d in padding, %d settled by gdb", r.compared, r.padding, r.settled)
}

// differs says what is wrong with our frames, "" if nothing is.
func (r *reference) differs(vaddr uint64, theirs, ours []translators.Location) string {
	r.compared++
	if len(ours) == 1 && ours[0].Func == "" {
		for _, s := range r.sized {
			if vaddr-s.Value < s.Size {
				return "no function, but there is a symbol " + s.Name
			}
		}
		r.padding++
		return ""
	}
	theirs = whole(theirs, ours)
	if len(ours) != len(theirs) {
		return "another depth"
	}
	if len(ours) == 1 && ours[0].File == "" && theirs[0].Line == 0 && r.alias(vaddr, ours[0].Func) {
		return ""
	}
	var doubts []string
	for i := range ours {
		doubts = append(doubts, r.doubts(theirs[i], ours[i])...)
	}
	if doubts == nil {
		return ""
	}
	r.settled++
	judge, err := r.gdb.Translate(r.code, []uint64{vaddr})
	if err != nil {
		r.t.Fatal(err)
	}
	judge[0] = whole(judge[0], ours)
	if len(judge[0]) != len(ours) {
		return fmt.Sprintf("%v, and gdb has another depth: %v", doubts, judge[0])
	}
	for i := range ours {
		if wrong := overruled(theirs[i], ours[i], judge[0][i]); wrong != "" {
			return fmt.Sprintf("%s, and gdb says %v", wrong, judge[0])
		}
	}
	return ""
}

// whole leaves out of their frames, where they have more than ours, what seems a call of a function by
// itself that ours have not.
func whole(theirs, ours []translators.Location) []translators.Location {
	var all []translators.Location
	for i, f := range theirs {
		n, more := len(all), len(theirs)-i > len(ours)-len(all)
		if more && i > 0 && f.Func == theirs[i-1].Func && (n == len(ours) || f.Line != ours[n].Line) {
			continue
		}
		all = append(all, f)
	}
	return all
}

var demangled sync.Map // names that were

// demangle is funcname.Demangle of names that come again and again.
func demangle(name string) string {
	known, ok := demangled.Load(name)
	if !ok {
		known = funcname.Demangle(name)
		demangled.Store(name, known)
	}
	return known.(string)
}

// alias says whether a symbol of this name covers vaddr.
func (r *reference) alias(vaddr uint64, name string) bool {
	return slices.ContainsFunc(r.sized, func(s elf.Symbol) bool {
		raw, _, _ := strings.Cut(s.Name, "@")
		return vaddr-s.Value < max(s.Size, 1) && demangle(raw) == name
	})
}

// doubts returns in what two frames differ.
func (r *reference) doubts(theirs, ours translators.Location) (doubts []string) {
	if demangle(theirs.Func) != ours.Func {
		doubts = append(doubts, "another function")
	}
	if theirs.Line != ours.Line {
		doubts = append(doubts, "another line")
	}
	// Where it knows no line it gives the file of the symbol.
	if theirs.Line != 0 && filePath(theirs) != filePath(ours) {
		doubts = append(doubts, "another file")
	}
	return doubts
}

// overruled says in what our frame differs from both theirs and the judge's.
func overruled(theirs, ours, judge translators.Location) string {
	bare := demangle(theirs.Func)
	switch {
	case ours.Func != bare && ours.Func != judge.Func && !strings.HasSuffix(ours.Func, "::"+judge.Func):
		return fmt.Sprintf("function %q", ours.Func)
	case ours.Line != theirs.Line && ours.Line != judge.Line:
		return fmt.Sprintf("line %d", ours.Line)
	case theirs.Line != 0 && filePath(ours) != filePath(theirs) && filePath(ours) != filePath(judge):
		return fmt.Sprintf("file %q", ours.File)
	}
	return ""
}

// filePath returns the file of a frame, cleaned. Both addr2line and gdb put the
// directory of a DWARF 5 unit before itself if it is relative, as Debian's are.
func filePath(f translators.Location) string {
	if f.File == "" {
		return ""
	}
	s := path.Clean(f.File)
	dir := s
	for dir != "." && dir != "/" {
		dir = path.Dir(dir)
		if twice := dir + "/" + dir + "/"; strings.HasPrefix(s, twice) {
			return s[len(dir)+1:]
		}
	}
	return s
}

// addr2line returns what addr2line(1) says, names as they are.
func addr2line(t *testing.T, object string, vaddrs []uint64) [][]translators.Location {
	t.Helper()
	var in strings.Builder
	for _, a := range vaddrs {
		fmt.Fprintf(&in, "0x%x\n", a)
	}
	var all [][]translators.Location
	name := ""
	for line := range strings.Lines(command(t, in.String(), "addr2line", "-f", "-i", "-a", "-e", object)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case len(line) == 18 && strings.HasPrefix(line, "0x"):
			all = append(all, nil)
		case name == "":
			name = line
		default:
			line, _, _ = strings.Cut(line, " (discriminator ")
			colon := strings.LastIndexByte(line, ':')
			number, _ := strconv.Atoi(line[colon+1:])
			f := translators.Location{Func: name, File: line[:colon], Line: number}
			if f.Func == "??" {
				f.Func = ""
			}
			if f.File == "??" {
				f.File = ""
			}
			all[len(all)-1] = append(all[len(all)-1], f)
			name = ""
		}
	}
	if len(all) != len(vaddrs) {
		t.Fatalf("addr2line gave %d answers for %d addresses", len(all), len(vaddrs))
	}
	return all
}

func TestAgainstAddr2line(t *testing.T) {
	for _, source := range []string{"chain.c", "names.cc"} {
		for _, flags := range []string{
			"-O0 -gdwarf-5",
			"-O0 -gdwarf-4 -no-pie",
			"-O1 -gdwarf-5 -static",
			"-O2 -gdwarf-5",
			"-O2 -gdwarf-5 -no-pie",
			"-O2 -gdwarf-4",
			"-O2 -gdwarf-3",
			"-O2 -gdwarf-2",
			"-O2 -g -flto=1",
			"-O2 -gdwarf-4 -fdebug-types-section",
			"-O2 -gdwarf-5 -ffunction-sections -Wl,--gc-sections",
			"-O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections",
			"-O3 -gdwarf-5 -g3",
			"-O3 -gdwarf-4",
			"-Os -gdwarf-5 -gz",
			"-Os -gdwarf-4 -gz=zlib-gnu",
		} {
			t.Run(source+" "+flags, func(t *testing.T) {
				t.Parallel()
				program := build(t, source, flags)
				vaddrs := text(t, program, 1500)
				newReference(t, program, program).compare(vaddrs, translate(t, program, vaddrs))
			})
		}
	}
}

// The C library, as the distribution ships it: thousands of units, assembly and
// indirect functions among them, its debug information in a file of its own.
func TestLibC(t *testing.T) {
	libc := strings.TrimSpace(command(t, "", "gcc", "-print-file-name=libc.so.6"))
	f, err := object.Map(libc)
	if err != nil {
		t.Fatal(err)
	}
	id := f.BuildID()
	debug := filepath.Join("/usr/lib/debug/.build-id", id[:2], id[2:]+".debug")
	vaddrs := text(t, libc, 8000)
	r := newReference(t, libc, debug)
	r.compare(vaddrs, translate(t, libc, vaddrs))
	if r.padding*10 > r.compared {
		t.Errorf("%d of %d addresses in no function", r.padding, r.compared)
	}
}

// gdbline is the path of pct-gdbline.
var gdbline string

func buildGdbline(dir string) error {
	gdbline = filepath.Join(dir, "pct-gdbline")
	out, err := exec.Command("go", "build", "-o", gdbline, "../../tools").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	return nil
}

// A part of a function that GCC split off and put back is the function itself: write has one frame
// everywhere. What really calls itself and is inlined there keeps its frames, on one line too.
func TestPutBack(t *testing.T) {
	libc := strings.TrimSpace(command(t, "", "gcc", "-print-file-name=libc.so.6"))
	f, err := elf.Open(libc)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(s elf.Symbol) bool { return s.Name == "write" })
	var vaddrs []uint64
	for at := all[i].Value; at < all[i].Value+all[i].Size; at++ {
		vaddrs = append(vaddrs, at)
	}
	for j, frames := range translate(t, libc, vaddrs) {
		if len(frames) != 1 || frames[0].Func != "__GI___libc_write" {
			t.Errorf("0x%x in write is %v", vaddrs[j], frames)
		}
	}

	source, program := t.TempDir()+"/fib.c", t.TempDir()+"/fib"
	const fib = "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\nint main(int c, char **v) { return fib(c); }\n"
	if err := os.WriteFile(source, []byte(fib), 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, "", "gcc", "-O2", "-g", "-o", program, source)
	s := symbolsOf(t, program)["fib"]
	vaddrs, deepest := nil, 0
	for at := s.Value; at < s.Value+s.Size; at++ {
		vaddrs = append(vaddrs, at)
	}
	for _, frames := range translate(t, program, vaddrs) {
		deepest = max(deepest, len(frames))
	}
	if deepest < 3 {
		t.Errorf("no more than %d frames of a function that is inlined into itself", deepest)
	}
}
