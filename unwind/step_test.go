package unwind

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/object"
)

// build compiles a program of testdata.
func build(t testing.TB, source string, flags ...string) string {
	t.Helper()
	compiler := "gcc"
	if strings.HasSuffix(source, ".cc") {
		compiler = "g++"
	}
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(source, filepath.Ext(source)))
	args := append([]string{"-o", out, filepath.Join("testdata", source)}, flags...)
	if text, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(args, " "), err, text)
	}
	return out
}

// describe prints a path for a message.
func describe(u *Unwinder, fs []Frame) string {
	var b strings.Builder
	for _, f := range fs {
		name, start := u.Symbol(f)
		object := "?"
		if f.Object != nil {
			object = filepath.Base(f.Object.Path)
		}
		fmt.Fprintf(&b, "\t%#x %s+%#x in %s", f.PC, name, f.Vaddr()-start, object)
		if f.Exact {
			b.WriteString(" exact")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// shadow is the call path as calls and returns make it: what unwinding has to
// find.
type shadow struct {
	calls []shadowCall // outermost first
}

type shadowCall struct {
	ra    uint64
	slot  uint64 // where on the stack the return address stands
	exact bool   // a signal interrupted ra
	sp    uint64 // the stack pointer then

	handler bool // ra is where a signal handler returns to
}

// stepped brings the shadow up to date after a step from pc and sp.
func (s *shadow) stepped(mem Memory, pc, sp uint64, now *unix.PtraceRegs) {
	if now.Rsp == sp-8 {
		var b [8]byte
		mem.ReadAt(b[:], now.Rsp)
		c := object.Cursor{B: b[:]}
		if ra := c.U64(); ra > pc && ra <= pc+8 && now.Rip != ra {
			s.calls = append(s.calls, shadowCall{ra: ra, slot: now.Rsp})
			return
		}
	}
	for i := len(s.calls) - 1; i >= 0; i-- {
		c := &s.calls[i]
		if c.exact {
			if c.ra == now.Rip && c.sp == now.Rsp { // rt_sigreturn
				s.calls = s.calls[:i]
			}
			return
		}
		if c.slot >= now.Rsp {
			return
		}
		s.calls = s.calls[:i] // by return, longjmp or exception
	}
}

// delivered brings it up to date after a signal was delivered at pc and sp.
func (s *shadow) delivered(mem Memory, pc, sp uint64, now *unix.PtraceRegs) {
	var b [8]byte
	mem.ReadAt(b[:], now.Rsp)
	c := object.Cursor{B: b[:]}
	s.calls = append(s.calls,
		shadowCall{ra: pc, exact: true, sp: sp},
		shadowCall{ra: c.U64(), slot: now.Rsp, handler: true})
}

func (s *shadow) equal(fs []Frame, pc uint64) bool {
	if len(fs) != len(s.calls)+1 || fs[0].PC != pc || !fs[0].Exact {
		return false
	}
	for i, f := range fs[1:] {
		if c := s.calls[len(s.calls)-1-i]; f.PC != c.ra || f.Exact != (c.exact || c.handler) {
			return false
		}
	}
	return true
}

// endsWith reports whether the outer frames are these; there must be some.
func (s *shadow) endsWith(outer []Frame) bool {
	for i := range outer {
		if c, f := s.calls[min(i, len(s.calls)-1)], outer[len(outer)-1-i]; f.PC != c.ra || f.Exact != (c.exact || c.handler) {
			return false
		}
	}
	return len(outer) > 0 && len(outer) <= len(s.calls)
}

// elsewhere reports whether a signal's handler runs on another stack, of which a copy is.
func (s *shadow) elsewhere(copied *saved) bool {
	for _, c := range s.calls {
		if c.exact && c.sp-copied.Base >= uint64(len(copied.Data)) {
			return true
		}
	}
	return false
}

// installs reports whether libgcc is about to go to a handler: it writes the
// registers of the handler's frame, return address included, over its own.
func installs(u *Unwinder, fs []Frame) bool {
	for _, f := range fs[:min(2, len(fs))] {
		if name, _ := u.Symbol(f); strings.HasPrefix(name, "_Unwind_R") {
			return true
		}
	}
	return false
}

func (s *shadow) String() string {
	var b strings.Builder
	for i := len(s.calls) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "\t%#x\n", s.calls[i].ra)
	}
	return b.String()
}

// TestEveryInstruction runs programs an instruction at a time and compares
// the path at each with the calls and returns that were executed.
func TestEveryInstruction(t *testing.T) {
	tests := []struct {
		source, flags string
	}{
		{"calls.c", "-O0"},
		{"calls.c", "-O0 -fomit-frame-pointer"},
		{"calls.c", "-O1 -fno-omit-frame-pointer"},
		{"calls.c", "-O2"},
		{"calls.c", "-O2 -no-pie -s"},
		{"calls.c", "-O3 -march=x86-64-v3"},
		{"calls.c", "-Os -Wl,-z,now"},
		{"calls.c", "-O2 -static"},
		{"calls.c", "-O2 -static-pie"},
		{"calls.c", "-O2 -Wl,--no-eh-frame-hdr"},
		{"calls.c", "-O1 -fuse-ld=gold"},
		{"calls.c", "-O2 -g -fno-asynchronous-unwind-tables"},
		{"calls.c", "-O2 -g -gz -fno-asynchronous-unwind-tables"},
		{"calls.c", "-O0 -fno-asynchronous-unwind-tables"},
		{"calls.c", "-O2 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables"},
		{"throw.cc", "-O0"},
		{"throw.cc", "-O2"},
	}
	for _, tt := range tests {
		t.Run(tt.source+" "+tt.flags, func(t *testing.T) {
			p := trace(t, build(t, tt.source, strings.Fields(tt.flags)...))
			if sig := p.run(); sig != unix.SIGTRAP {
				t.Fatalf("got signal %v before the first int3", sig)
			}
			u, err := New(p.pid, NewCache())
			if err != nil {
				t.Fatal(err)
			}
			defer u.Close()
			mem := ProcessMemory(p.pid)

			// The path to main is the start of the shadow.
			var s shadow
			fs, why := u.Unwind(p.few(), mem, nil)
			if why != Complete || len(fs) != 4 {
				t.Fatalf("main: %v\n%s", why, describe(u, fs))
			}
			for i := len(fs) - 1; i > 0; i-- {
				s.calls = append(s.calls, shadowCall{ra: fs[i].PC, slot: fs[i-1].CFA - 8})
			}
			room := make([]byte, 64<<10)
			sig, steps, wrong, guessed, installing := unix.Signal(0), 0, 0, 0, 0
			for {
				pc, sp := p.regs.Rip, p.regs.Rsp
				deliver := sig
				sig = p.advance(u, deliver)
				if sig == unix.SIGTRAP {
					sig = 0
				}
				if deliver != 0 {
					s.delivered(mem, pc, sp, &p.regs)
				} else if sig == 0 {
					s.stepped(mem, pc, sp, &p.regs)
				}
				var op [1]byte
				if mem.ReadAt(op[:], p.regs.Rip); op[0] == 0xcc {
					break
				}
				steps++
				// The last one is what a copy from the stack pointer on has, as the kernel makes it.
				copied := &saved{Base: p.regs.Rsp, Data: room}
				copied.Data = room[:max(0, mem.ReadAt(room, copied.Base))]
				for i, r := range []Regs{p.all(), p.few(), p.all()} {
					before := u.guesses
					if i < 2 {
						fs, why = u.Unwind(r, mem, fs[:0])
					} else {
						fs, why = u.Unwind(r, copied, fs[:0])
						if why == BadMemory && s.elsewhere(copied) {
							continue
						}
					}
					if why == Complete && s.equal(fs, p.regs.Rip) {
						continue
					}
					if r.Known == 0 && u.guesses > before {
						// The recipe needs a register that is not
						// known, so that the path is a guess.
						guessed++
						continue
					}
					// It goes to a handler: from that on the path is as it was.
					if installs(u, fs) && why == Complete && s.endsWith(fs[3:]) {
						installing++
						continue
					}
					t.Errorf("step %d, registers known %#x: %v\n%swant\n%s", steps, r.Known, why, describe(u, fs), &s)
					if wrong++; wrong == 10 {
						t.FailNow()
					}
				}
			}
			if steps < 1000 || guessed*20 > steps || installing*10 > steps {
				t.Errorf("%d steps, of which %d need registers that are not known and %d install a context", steps, guessed, installing)
			}
			t.Logf("%d steps, %d guessed, %d installing", steps, guessed, installing)
		})
	}
}
