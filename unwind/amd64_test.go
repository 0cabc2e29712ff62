package unwind

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestCallBefore looks before every instruction of a program and compares with
// objdump.
func TestCallBefore(t *testing.T) {
	prog := build(t, "calls.c", "-static")
	img := openImage(t, prog)
	text, err := exec.Command("objdump", "-d", "--no-show-raw-insn", prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	code := make([]byte, longestCall)
	calls, others, mistaken := map[callKind]int{}, 0, 0
	insn, target := "", uint64(0)
	for line := range strings.Lines(string(text)) {
		at, rest, ok := strings.Cut(strings.TrimSpace(line), ":\t")
		var addr uint64
		if _, err := fmt.Sscanf(at, "%x", &addr); !ok || err != nil {
			insn = ""
			continue
		}
		if n := img.elf.Load(code, addr-longestCall); n == longestCall && insn != "" {
			kind, to := callBefore(code, addr)
			want := noCall
			switch {
			case strings.HasPrefix(insn, "call") && strings.Contains(insn, "*"):
				want = indirectCall
			case strings.HasPrefix(insn, "call"):
				want = directCall
			case strings.Contains(insn, "call"):
				want = kind // behind a prefix
			}
			switch {
			case want == noCall:
				others++
				if kind != noCall {
					mistaken++
				}
			case kind != want || kind == directCall && to != target:
				t.Errorf("at %#x, after %q: kind %d, target %#x; want %d, %#x", addr, insn, kind, to, want, target)
			}
			if want != noCall {
				calls[want]++
			}
		}
		insn = rest
		target = 0
		if _, arg, ok := strings.Cut(insn, "call "); ok {
			fmt.Sscanf(strings.TrimSpace(arg), "%x", &target)
		}
	}
	if calls[directCall] < 1000 || calls[indirectCall] < 100 {
		t.Errorf("only %v calls", calls)
	}
	if mistaken*200 > others {
		t.Errorf("%d of %d other instructions are taken for calls", mistaken, others)
	}
	t.Logf("%v calls; %d of %d others mistaken", calls, mistaken, others)
}
