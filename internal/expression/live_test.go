package expression

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/unwind"
)

// standing is a process that stands still, with a call path.
type standing struct {
	t      *testing.T
	pid    int
	u      *unwind.Unwinder
	regs   unix.PtraceRegs
	xmm    [16][16]byte
	path   []unwind.Frame
	object *Object
	data   *debuginfo.Data
	exe    string
}

// start runs a program that never ends.
func start(t *testing.T, argv ...string) *standing {
	t.Helper()
	runtime.LockOSThread()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		runtime.UnlockOSThread()
	})
	f, err := object.Map(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	g := object.Installed().DebugFile(f)
	if g == nil {
		t.Fatal("no debug data")
	}
	data := debuginfo.Open(object.Installed(), g, 0)
	s := &standing{t: t, pid: cmd.Process.Pid, object: NewObject(data), data: data, exe: argv[0]}
	time.Sleep(50 * time.Millisecond)
	return s
}

// stop stops the process, and unwinds it.
func (s *standing) stop() {
	s.t.Helper()
	unix.Kill(s.pid, unix.SIGSTOP)
	for {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
		if err != nil {
			s.t.Fatal(err)
		}
		if _, rest, _ := strings.Cut(string(b), ") "); rest[0] == 'T' {
			break
		}
	}
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(s.pid), 0, 0, 0, 0); e != 0 {
		s.t.Fatal(e)
	}
	if err := unix.PtraceInterrupt(s.pid); err != nil {
		s.t.Fatal(err)
	}
	var ws unix.WaitStatus
	if _, err := unix.Wait4(s.pid, &ws, unix.WALL, nil); err != nil {
		s.t.Fatal(err)
	}
	if err := unix.PtraceGetRegs(s.pid, &s.regs); err != nil {
		s.t.Fatal(err)
	}
	var fp [512]byte
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GETFPREGS, uintptr(s.pid), 0, uintptr(unsafe.Pointer(&fp)), 0, 0); e != 0 {
		s.t.Fatal(e)
	}
	for i := range s.xmm {
		copy(s.xmm[i][:], fp[160+16*i:])
	}
	if s.u == nil {
		u, err := unwind.New(s.pid, unwind.NewCache())
		if err != nil {
			s.t.Fatal(err)
		}
		u.Keep = true
		s.u = u
	}
	r := s.regs
	s.path, _ = s.u.Unwind(unwind.Regs{PC: r.Rip, SP: r.Rsp, BP: r.Rbp, Known: 1<<17 - 1, Other: [17]uint64{
		r.Rax, r.Rdx, r.Rcx, r.Rbx, r.Rsi, r.Rdi, r.Rbp, r.Rsp, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.Rip}},
		unwind.ProcessMemory(s.pid), nil)
}

// leave lets go of the process, which stays stopped.
func (s *standing) leave() {
	if err := unix.PtraceDetach(s.pid); err != nil {
		s.t.Fatal(err)
	}
}

// activation is a frame of the process.
type activation struct {
	s     *standing
	level int
}

func (a activation) Register(n int) (uint64, bool) { return a.s.u.Register(a.level, n) }
func (a activation) High(n int) (uint64, bool) {
	if n >= 17 && n < 33 && a.level == 0 {
		return value.Number(a.s.xmm[n-17][8:]), true
	}
	return 0, false
}
func (a activation) CFA() (uint64, bool) { c := a.s.path[a.level].CFA; return c, c != 0 }
func (a activation) Entry(n int) (uint64, bool) {
	me, level := a.s.path[a.level], a.level+1
	if level >= len(a.s.path) || a.s.path[level].Object != me.Object {
		return 0, false
	}
	low, ok := a.s.object.entered(me.Vaddr())
	if !ok {
		return 0, false
	}
	code, ok := a.s.object.Passed(a.s.path[level].PC-me.Object.Bias, n, low)
	if !ok {
		return 0, false
	}
	b, out := plan.Run(append(code[:len(code):len(code)], plan.Instr{Op: plan.Out, Size: 8}), activation{a.s, level}, nil)
	return value.Number(b), out == plan.Got && len(b) == 8
}
func (a activation) Bias() uint64                    { return a.s.path[a.level].Object.Bias }
func (a activation) Thread(uint64) (uint64, bool)    { return 0, false }
func (a activation) Read(b []byte, addr uint64) bool { return a.s.u.Read(b, addr) }

// Data and Function name addresses by gdb, later.
type noNames struct{}

// asked is an expression in a frame, and both answers.
type asked struct {
	frame      int // of gdb's
	function   string
	expression string
	ours       string
	refused    string
	theirs     string
	pc         uint64
}

// visible are the names of the variables in the blocks of an activation.
func visible(blocks []debuginfo.Entry) []string {
	var names []string
	for _, b := range blocks {
		for _, of := range []debuginfo.Entry{b, b.Origin()} {
			for e := range of.Children() {
				if tag := e.Tag(); (tag == dwarf.TagVariable || tag == dwarf.TagFormalParameter) && e.Name() != "" && !slices.Contains(names, e.Name()) {
					names = append(names, e.Name())
				}
			}
		}
	}
	return names
}

// compare evaluates expressions in all frames of the program, by us and by gdb.
func (s *standing) compare(globals []string, forms func(name string, t *value.Type) []string) []asked {
	s.stop()
	var all []asked
	number := 0
	for level, f := range s.path {
		if f.Object == nil || f.Object.Path != s.exe {
			number++
			continue
		}
		pc := f.Vaddr()
		scope := s.data.ScopeAt(pc)
		acts := s.object.Activations(pc)
		end := len(scope.Blocks)
		for i, fn := range acts {
			from := slices.Index(scope.Blocks, fn)
			names := append(visible(scope.Blocks[from:end]), globals...)
			end = from
			for _, name := range names {
				one := func(x string) *Code {
					q := asked{frame: number, function: fn.Name(), expression: x, pc: pc}
					code, err := s.object.Compile(x, pc, i)
					var r *Refusal
					switch {
					case errors.As(err, &r):
						q.refused = r.Why
					case err != nil:
						q.refused = err.Error()
					default:
						b, out := plan.Run(code.Code, activation{s: s, level: level}, nil)
						if v, ok := code.Value(b); out != plan.Got {
							q.refused = out.String()
						} else if ok {
							q.ours = v.Text(nil)
						}
					}
					all = append(all, q)
					return code
				}
				if code := one(name); code != nil && forms != nil {
					for _, x := range forms(name, code.Type) {
						one(x)
					}
				}
			}
			number++
		}
		if len(acts) == 0 {
			number++
		}
	}
	s.leave()
	s.ask(all)
	unix.Kill(s.pid, unix.SIGCONT)
	return all
}

// ask has gdb evaluate the same in the same process.
func (s *standing) ask(all []asked) {
	s.t.Helper()
	script := filepath.Join(s.t.TempDir(), "ask.py")
	var b strings.Builder
	b.WriteString("import gdb\n")
	for i, q := range all {
		x := strings.ReplaceAll(strings.ReplaceAll(q.expression, `\`, `\\`), `"`, `\"`)
		fmt.Fprintf(&b, "try:\n gdb.execute('select-frame level %d', to_string=True)\n gdb.execute('echo \\\\n@@ %d \\\\n')\n gdb.execute(%q)\nexcept gdb.error as e:\n print('\\n@@ %d \\nmsg=\"%%s\"' %% e)\n",
			q.frame, i, fmt.Sprintf("interpreter-exec mi \"-data-evaluate-expression \\\"%s\\\"\"", x), i)
	}
	if err := os.WriteFile(script, []byte(b.String()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	out, err := exec.Command("gdb", "-nx", "-q", "-batch", "-iex", "set auto-load no", "-p", strconv.Itoa(s.pid), "-x", script).CombinedOutput()
	if err != nil {
		s.t.Fatalf("gdb: %v\n%s", err, out)
	}
	for _, part := range strings.Split(string(out), "\n@@ ")[1:] {
		head, rest, _ := strings.Cut(part, " \n")
		if i, err := strconv.Atoi(head); err == nil && i < len(all) {
			all[i].theirs = answer(strings.TrimSuffix(rest, "\n"))
		}
	}
}

// answer is the text in a record of gdb/MI.
func answer(s string) string {
	for _, key := range []string{"value=", "msg="} {
		_, q, ok := strings.Cut(s, key)
		if !ok {
			continue
		}
		q = q[:strings.LastIndexByte(q, '"')+1]
		var b strings.Builder
		for i := 1; i < len(q)-1; i++ {
			if q[i] == '\\' && i+1 < len(q)-1 {
				i++
			}
			b.WriteByte(q[i])
		}
		return b.String()
	}
	return s
}

// build compiles a program of testdata.
func build(t *testing.T, source string, cc ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	args := append(cc[1:], "-o", out, filepath.Join("testdata", source))
	if text, err := exec.Command(cc[0], args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

func forms(name string, t *value.Type) []string {
	switch t.Kind {
	case value.Pointer:
		list := []string{"*" + name, "&" + name, name + "+1", "!" + name}
		if t.Elem.Kind == value.Structure {
			for _, f := range t.Elem.Whole().Fields {
				if f.Name != "" {
					list = append(list, name+"->"+f.Name)
				}
			}
		} else {
			list = append(list, name+"[1]")
		}
		return list
	case value.Structure:
		list := []string{"&" + name, "sizeof(" + name + ")"}
		for _, f := range t.Whole().Fields {
			if f.Name != "" {
				list = append(list, name+"."+f.Name)
			}
		}
		return list
	case value.Array:
		return []string{name + "[1]", "&" + name, "*" + name, name + "[0]@2", "sizeof " + name}
	case value.Integer, value.Character, value.Enumeration, value.Boolean:
		return []string{name + "+1", "-" + name, name + "*2-3", name + "<3", name + "==5", "~" + name, name + ">>1", name + "<<2", name + "/2", name + "%7", "(char)" + name, "(unsigned char)" + name, name + "/2.0", name + " && 1", "!" + name, name + "+4000000000u", "(long)" + name + " * 3000000000", name + " ? 1 : 2", "(short)" + name, "(unsigned)" + name}
	case value.Float:
		return []string{name + "*2", "(int)" + name, name + "/3", name + ">1", "-" + name, "(float)" + name}
	}
	return nil
}

// agree compares a program's values at some instants.
func agree(t *testing.T, s *standing, rounds int, globals []string) {
	equal, refused, wrong := 0, map[string]int{}, 0
	for range rounds {
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		for _, q := range s.compare(globals, forms) {
			switch {
			case q.ours == strings.ReplaceAll(plainOf(q.theirs), "<synthetic pointer>", "<optimized out>") && q.ours != "" || q.refused != "" && q.refused == q.theirs:
				equal++
			case q.refused != "":
				refused[q.expression+": "+q.refused]++
			default:
				if wrong++; wrong < 30 {
					t.Errorf("%s at %#x: %s\n  ours %s\n  gdb  %s", q.function, q.pc, q.expression, q.ours, q.theirs)
				}
			}
		}
	}
	n := 0
	for why, k := range refused {
		n += k
		if testing.Verbose() && k > 2 {
			t.Logf("%d refused: %.150s", k, why)
		}
	}
	t.Logf("equal %d, refused %d, wrong %d", equal, n, wrong)
}

func TestAgreement(t *testing.T) {
	c := "global_counter file_static table blank ratio small big origin corner paint mask matrix words raw flag pointer_to origin.x corner->y matrix[1][2] words[1] table[3]@4 nosuch RED FC leaf::calls 'types.c'::file_static"
	cxx := "ns::counter counter ns::hidden hidden ns::v1::inlined first ns::first ns::Mode::on ns::second shared Derived::shared ns::Derived::shared limit ns::Nest::limit this *this own base low this->x x inner.deep sink (ns::Mode)3 (ns::Derived*)b sizeof(ns::Derived) sizeof(ns::Base) *(ns::Nest*)&copy"
	for _, p := range []struct {
		source, globals string
		cc              string
	}{
		{"types.c", c, "gcc -g -O0"}, {"types.c", c, "gcc -g -O2"}, {"types.c", c, "clang -g -O0"}, {"types.c", c, "clang -g -O2"}, {"types.c", c, "gcc -g -gdwarf-4 -O1"},
		{"classes.cpp", cxx, "g++ -g -O0"}, {"classes.cpp", cxx, "g++ -g -O2"}, {"classes.cpp", cxx, "clang++ -g -O1"},
	} {
		t.Run(p.cc, func(t *testing.T) {
			agree(t, start(t, build(t, p.source, strings.Fields(p.cc)...)), 3, strings.Fields(p.globals))
		})
	}
}

var address = regexp.MustCompile(`0x[0-9a-f]+$`)

// plainOf is gdb's text without names of symbols.
func plainOf(s string) string {
	var b strings.Builder
	for {
		// The name of a table of virtual functions may have its own angles: none here.
		at := strings.Index(s, " <")
		if at < 0 || at == 0 {
			break
		}
		end := strings.IndexByte(s[at:], '>')
		word := strings.Fields(s[:at])
		if end < 0 || len(word) == 0 || !address.MatchString(word[len(word)-1]) || strings.HasPrefix(s[at:], " <error") || strings.HasPrefix(s[at:], " <repeats") {
			b.WriteString(s[:at+2])
			s = s[at+2:]
			continue
		}
		b.WriteString(s[:at])
		s = s[at+end+1:]
	}
	return b.String() + s
}
