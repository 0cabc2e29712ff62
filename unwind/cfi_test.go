package unwind

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func openImage(t testing.TB, path string) *image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	img, err := newImage(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// library returns the path of a shared library of the system.
func library(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.Command("gcc", "-print-file-name="+name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(path))
}

var registerNames = strings.Fields("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 ra")

// format writes a rule as readelf does.
func format(r rule, cfa bool) string {
	switch r.kind {
	case ruleNone, ruleUndefined:
		return "u"
	case ruleSame:
		return "s"
	case ruleOffset:
		return fmt.Sprintf("c%+d", r.off)
	case ruleValOffset:
		return fmt.Sprintf("v%+d", r.off)
	case ruleRegister:
		if cfa {
			return fmt.Sprintf("%s%+d", registerNames[r.reg], r.off)
		}
		return fmt.Sprintf("r%d", r.reg)
	case ruleExpr:
		return "exp"
	case ruleValExpr:
		return "vexp"
	}
	return "?"
}

// TestRows compares the recipes at every row of call frame information with
// what readelf makes of it.
func TestRows(t *testing.T) {
	for _, path := range []string{
		build(t, "rows.S"),
		build(t, "rows.S", "-static", "-Wl,--no-eh-frame-hdr"),
		build(t, "calls.c", "-O2", "-g", "-fno-asynchronous-unwind-tables"),
		library(t, "libc.so.6"),
		library(t, "libgcc_s.so.1"),
	} {
		img := openImage(t, path)
		text, err := exec.Command("readelf", "-wFN", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		var columns []string
		var end uint64
		inFDE, rows, wrong := false, 0, 0
		for line := range strings.Lines(string(text)) {
			f := slices.DeleteFunc(strings.Fields(line), func(w string) bool { return w[0] == '(' }) // r14 (r14)
			switch {
			case len(f) == 0:
				inFDE = false
			case strings.Contains(line, " FDE "):
				inFDE = true
				_, r, _ := strings.Cut(line, "..")
				fmt.Sscanf(r, "%x", &end)
			case len(f) > 1 && f[0] == "LOC":
				columns = f[2:]
			case inFDE && len(f) == len(columns)+2:
				var loc uint64
				if fmt.Sscanf(f[0], "%x", &loc); loc >= end {
					continue
				}
				rec := img.recipe(loc)
				if rec == nil {
					t.Errorf("%s: no recipe for %#x", path, loc)
					continue
				}
				if rec.kind == toHandler || rec.lands {
					rec = recipeFor(img.ehFrames(), loc) // the row says nothing of what the code does
				}
				rules := map[string]rule{"ra": rec.ra}
				for _, s := range rec.saved {
					rules[registerNames[s.reg]] = s.rule
				}
				got := []string{f[0], format(rec.cfa, true)}
				want := f[:2:2]
				for i, c := range columns {
					if !strings.HasPrefix(c, "xmm") {
						got = append(got, format(rules[c], false))
						want = append(want, f[i+2])
					}
				}
				if rows++; strings.Join(got, " ") != strings.Join(want, " ") {
					if wrong++; wrong < 10 {
						t.Errorf("%s\ngot  %s\nwant %s\nof   %s", path, got, want, columns)
					}
				}
			}
		}
		if rows < 8 {
			t.Errorf("%s: only %d rows", path, rows)
		}
		t.Logf("%s: %d rows", path, rows)
	}
}

func TestSignalFrame(t *testing.T) {
	img := openImage(t, build(t, "rows.S"))
	for _, y := range img.functions().Functions {
		rec := img.recipe(y.Low)
		switch name := img.functions().Name(&y); name {
		case "signal_frame", "rows":
			if rec == nil || rec.signal != (name == "signal_frame") {
				t.Errorf("%s: %+v", name, rec)
			}
		}
	}
}

// TestExpression evaluates each operation.
func TestExpression(t *testing.T) {
	data := make([]byte, 64)
	binary.LittleEndian.PutUint64(data[16:], 0xf1f2f3f4f5f6f7f8)
	var m window
	m.reset(&savedMemory{base: 0x1000, data: data})
	s := &state{}
	s.set(regRSP, 0x1008)
	s.set(regRBX, 100)
	neg := func(n int64) uint64 { return uint64(-n) }
	tests := []struct {
		expr string
		want uint64
	}{
		{"\x30", 0},
		{"\x4f", 31},
		{"\x03\x01\x02\x03\x04\x05\x06\x07\x08", 0x0807060504030201},
		{"\x08\xff", 255},
		{"\x09\xff", neg(1)},
		{"\x0a\xfe\xff", 0xfffe},
		{"\x0b\xfe\xff", neg(2)},
		{"\x0c\xfd\xff\xff\xff", 0xfffffffd},
		{"\x0d\xfd\xff\xff\xff", neg(3)},
		{"\x0e\x01\x00\x00\x00\x00\x00\x00\x80", 1<<63 + 1},
		{"\x0f\xff\xff\xff\xff\xff\xff\xff\xff", neg(1)},
		{"\x10\x80\x02", 256},
		{"\x11\x7f", neg(1)},
		{"\x77\x08\x06", 0xf1f2f3f4f5f6f7f8}, // deref
		{"\x77\x08\x94\x01", 0xf8},           // deref_size
		{"\x77\x08\x94\x04", 0xf5f6f7f8},
		{"\x73\x7f", 99},        // breg3-1
		{"\x92\x03\x05", 105},   // bregx
		{"\x31\x32\x12\x22", 4}, // dup, plus
		{"\x31\x32\x13", 1},     // drop
		{"\x31\x32\x14", 1},     // over
		{"\x31\x32\x33\x15\x02", 1},
		{"\x31\x32\x16\x1c", 1},         // swap, minus
		{"\x31\x32\x33\x17\x13", 1},     // rot, drop: 3 1 2 on the stack
		{"\x31\x32\x33\x17\x13\x13", 3}, // and what is below
		{"\x09\xfb\x19", 5},             // abs
		{"\x35\x19", 5},
		{"\x36\x33\x1a", 2},          // and
		{"\x09\xf9\x32\x1b", neg(3)}, // div
		{"\x37\x33\x1d", 1},          // mod
		{"\x37\x33\x1e", 21},         // mul
		{"\x35\x1f", neg(5)},
		{"\x35\x20", ^uint64(5)},
		{"\x34\x31\x21", 5},
		{"\x34\x23\x80\x01", 132}, // plus_uconst
		{"\x34\x31\x24", 8},       // shl
		{"\x34\x08\xc8\x24", 0},   // by 200
		{"\x09\xf8\x31\x25", 1<<63 - 4},
		{"\x09\xf8\x31\x26", neg(4)},
		{"\x35\x31\x27", 4},
		{"\x31\x28\x01\x00\x41\x35", 5},  // bra over lit17
		{"\x35\x30\x28\x01\x00\x41", 17}, // bra not taken
		{"\x35\x2f\x01\x00\x41", 5},      // skip
		{"\x35\x36\x29", 0}, {"\x36\x36\x29", 1},
		{"\x35\x36\x2a", 0}, {"\x36\x36\x2a", 1},
		{"\x35\x36\x2b", 0}, {"\x36\x35\x2b", 1},
		{"\x35\x36\x2c", 1}, {"\x36\x35\x2c", 0},
		{"\x35\x36\x2d", 1}, {"\x36\x36\x2d", 0},
		{"\x35\x36\x2e", 1}, {"\x36\x36\x2e", 0},
		{"\x35\x96", 5}, // nop
	}
	for _, tt := range tests {
		if got, ok := s.eval(&m, []byte(tt.expr), false, 0); !ok || got != tt.want {
			t.Errorf("% x: %#x %v, want %#x", tt.expr, got, ok, tt.want)
		}
	}
	for _, expr := range []string{
		"", "\x06", "\x13", "\x14", "\x15\x00", "\x16", "\x17", "\x22", "\x31\x22", "\x28\x00\x00",
		"\x08", "\x0c\x01", // operands missing
		"\x70\x00",                     // rax is not known
		"\x92\x40\x00",                 // no such register
		"\x30\x06",                     // no such memory
		"\x31\x30\x1b", "\x31\x30\x1d", // by zero
		"\x2f\x00\x80", "\x2f\x05\x00", // outside
		"\x2f\xfd\xff",     // for ever
		"\x77\x08\x94\x09", // 9 bytes
		"\xff", "\x50",
		strings.Repeat("\x31", 100), // too many
	} {
		if got, ok := s.eval(&m, []byte(expr), false, 0); ok {
			t.Errorf("% x: %#x, want none", expr, got)
		}
	}
	if got, ok := s.eval(&m, []byte("\x38\x1c"), true, 50); !ok || got != 42 {
		t.Errorf("with 50 on the stack: %d %v, want 42", got, ok)
	}
}
