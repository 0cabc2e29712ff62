package tracer

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// Instructions with which functions begin; those that are stepped are below.
var emulated = []string{
	"f30f1efa", "90", "6690", "0f1f00", "0f1f440000", "660f1f440000", // marks
	"50", "53", "54", "55", "4154", "4157", // push
	"4883ec28", "83ec28", "4881ec28010000", "4883e4f0", "4183e501", "4883ff05", "83fe80", "4983fc7f", "81ffff000000", // with constants
	"4889e5", "89f8", "4989fc", "4d89ce", "488bc7", "448be6", "4863ff", "4863c6", // moves
	"31c0", "4531c9", "4831d1", "33c1", "4885ff", "85ff", "4d85e4", "4839f7", "39fe", "483bfe", "443bef", // logic
	"b801000000", "41bf00000080", "bfffffffff", // constants
	"488d4708", "8d4701", "8d0437", "488d047f", "4a8d4c2010", "488d05f0ffffff", "488d057f010000", // lea
	"488b4708", "8b07", "4c8b6f10", "488b05f9ffffff", "8b8700010000", "4a8b0427", "4a8b44e700", // loads
	"48895c24e8", "4c8967f0", // stores
	"0fb6c3", "400fb6ff", "0fb7c7", "0fbec2", "480fbfc6", "4c0fbee1", "0fb607", "0fb74708", "480fbe07", "0fbf4706", // widening
	"803f05", "80 3d f8ffffff 00", "833f10", "48837f1020", "813fff000000", "84c0", "4084ff", "84d3", "38c1", "3ac1", "381f", "3a07", "397708", "483b7708", "857708", // comparisons
	"eb10", "ebf0", "e900010000", // jumps
	"5d", "415c", "5c", // pop
	"8937", "893424", "885c2410", "4088742410", "c7442408fbffffff", "48c744240805000000", "c644240805", "48c7c0ffffffff", // stores
	"4801f0", "01d8", "0307", "480307", "48037710", "29d8", "482b07", "4829c3", "21d8", "2307", "09d8", "4d09c8", "0b07", "313424", "4801442408", // arithmetic
	"4883c408", "83c001", "4883c8ff", "83f0ff", "48830424ff", "8124240f0f0000", "83442408ff", // with constants
	"4898", "98", "4899", "99", // widening
	"7010", "7110", "7210", "7310", "74f0", "75f0", "7610", "7710", "7810", "7910", "7a10", "7b10", "7c10", "7d10", "7e10", "7f10", // jumps
	"0f8410010000", "0f85f0ffffff", "0f8c00010000", "0f8f00010000",
}

// Left to the processor: what Emulate doesn't know, and what would fault.
var stepped = []string{
	"c3", "c9", "660fefc0", "c5f857c0", "64488b042528000000", "84e0", "38e1", "88e1", "4811f0", "1307", "8014240f", "83d001", "40f6c701", "ffd0", "cc", "0f05", "f0ff07", "488b01", "48890b", "ff0f", "0fb6c7", "383f",
}

// What Emulate does is what the processor does, of registers and memory at random.
func TestEmulate(t *testing.T) {
	inProgram(t, func(tr *Tracer, pid int, area uint64, start unix.PtraceRegs) error {
		for i, text := range append(emulated, stepped...) {
			code := decode(t, text)
			for range 40 {
				regs := start
				randomize(&regs, area)
				filler := make([]byte, 2*windowSize)
				for i := range filler {
					filler[i] = byte(rand.Uint32())
				}
				if err := write(pid, area-windowSize, filler); err != nil {
					return err
				}
				if err := pokeCode(pid, start.Rip, code); err != nil {
					return err
				}
				here := make([]byte, codeLength)
				read(pid, start.Rip, here)
				got := regs
				done := tr.Emulate(pid, here, &got)
				if i >= len(emulated) {
					if done || got != regs {
						t.Errorf("%s is not to be done", text)
					}
					break
				}
				if !done {
					t.Errorf("%s is not done", text)
					break
				}
				memory := make([]byte, len(filler))
				read(pid, area-windowSize, memory)
				if err := write(pid, area-windowSize, filler); err != nil {
					return err
				}
				want, after, err := native(tr, pid, regs, area)
				if err != nil {
					return fmt.Errorf("%s: %w", text, err)
				}
				// Of what a logical operation does to it nothing is promised; a step's
				// own flag, and what says that a system call is to be begun again, are no results.
				const adjust, resume = flagAdjust, 1 << 16
				got.Eflags, want.Eflags = got.Eflags&^(adjust|resume), want.Eflags&^(adjust|resume)
				got.Orig_rax, want.Orig_rax = 0, 0
				if got != want {
					t.Errorf("%s of %+v:\n%+v, the processor\n%+v", text, regs, got, want)
					break
				}
				if string(memory) != string(after) {
					t.Errorf("%s: memory differs", text)
					break
				}
			}
		}
		return nil
	})
}

// Calls, and what leads back through the stack, which is to hold addresses then.
func TestEmulateCalls(t *testing.T) {
	inProgram(t, func(tr *Tracer, pid int, area uint64, start unix.PtraceRegs) error {
		for _, text := range []string{"c3", "c9", "e800000000", "e810000000"} {
			does := text == "c9" || !shadowStacks()
			regs := start
			randomize(&regs, area)
			regs.Rbp = regs.Rsp + 64
			for _, at := range []uint64{regs.Rsp, regs.Rbp} {
				if err := write(pid, at, binary.LittleEndian.AppendUint64(nil, start.Rip+4)); err != nil {
					return err
				}
			}
			if err := pokeCode(pid, start.Rip, decode(t, text)); err != nil {
				return err
			}
			here := make([]byte, codeLength)
			read(pid, start.Rip, here)
			got := regs
			if done := tr.Emulate(pid, here, &got); done != does {
				t.Errorf("%s: done %v", text, done)
			}
			want, _, err := native(tr, pid, regs, area)
			if err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
			got.Eflags, want.Eflags, got.Orig_rax, want.Orig_rax = 0, 0, 0, 0
			if does && got != want {
				t.Errorf("%s: %+v, the processor\n%+v", text, got, want)
			}
		}
		return nil
	})
}

// A thread that steps itself is left alone.
func TestEmulateStepper(t *testing.T) {
	regs := unix.PtraceRegs{Eflags: 0x100}
	if (&Tracer{}).Emulate(0, decode(t, "909090909090909090909090909090"), &regs) || regs.Rip != 0 {
		t.Error("an instruction was taken from a program that steps itself")
	}
}

const windowSize = 1024

// inProgram gives a program at its first instruction to use, and an address in its stack.
func inProgram(t *testing.T, use func(tr *Tracer, pid int, area uint64, regs unix.PtraceRegs) error) {
	t.Helper()
	path, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	err = Run(func(tr *Tracer) error {
		pid, err := tr.Launch(Program{Path: path, Argv: []string{"true"}, Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}})
		if err != nil {
			return err
		}
		regs, err := tr.Registers(pid)
		if err == nil {
			// The end of its execve, whose result is still to come.
			regs, _, err = native(tr, pid, regs, regs.Rsp-windowSize)
		}
		if err == nil {
			err = use(tr, pid, regs.Rsp&^0xfff-2*windowSize, regs)
		}
		unix.Kill(pid, unix.SIGKILL)
		for {
			if ev, e := tr.Next(); e != nil || ev.Kind == Ended || ev.Kind == Alone {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// native has the processor do the instruction.
func native(tr *Tracer, pid int, regs unix.PtraceRegs, area uint64) (after unix.PtraceRegs, memory []byte, err error) {
	if err := tr.SetRegisters(pid, &regs); err != nil {
		return after, nil, err
	}
	tr.Resume(pid, Step, 0)
	for {
		ev, err := tr.Next()
		if err != nil || ev.Kind == Ended {
			return after, nil, fmt.Errorf("it has ended (%v)", err)
		}
		if ev.Kind == Signaled && ev.Signal != unix.SIGTRAP {
			return after, nil, fmt.Errorf("it got %v", ev.Signal)
		}
		if ev.Kind == Signaled {
			break
		}
	}
	after, err = tr.Registers(pid)
	memory = make([]byte, 2*windowSize)
	read(pid, area-windowSize, memory)
	return after, memory, err
}

// randomize gives registers values: those that addresses are made of, in the area, others
// any, small ones and large ones.
func randomize(r *unix.PtraceRegs, area uint64) {
	for _, reg := range []*uint64{&r.Rax, &r.Rcx, &r.Rdx, &r.Rbx, &r.Rbp, &r.Rsi, &r.R8, &r.R9, &r.R10, &r.R11, &r.R13, &r.R14, &r.R15} {
		*reg = rand.Uint64() >> rand.UintN(64)
		if rand.UintN(4) == 0 {
			*reg = -*reg
		}
	}
	r.Rsp = area + uint64(rand.UintN(64))*8
	r.Rdi = area + uint64(rand.UintN(64))
	r.Rcx = 0x10        // no address
	r.Orig_rax = noCall // else the kernel takes some values of rax for a system call's, and begins it again
	r.R12 = uint64(rand.UintN(32))
	r.Eflags = r.Eflags&^allFlags | rand.Uint64()&allFlags
}

func pokeCode(pid int, addr uint64, code []byte) error {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	padded := make([]byte, codeLength)
	copy(padded, code)
	_, err = f.WriteAt(padded, int64(addr))
	return err
}

func decode(t *testing.T, text string) (code []byte) {
	t.Helper()
	var digits []byte
	for i := range len(text) {
		if text[i] != ' ' {
			digits = append(digits, text[i])
		}
	}
	for i := 0; i < len(digits); i += 2 {
		var b byte
		if _, err := fmt.Sscanf(string(digits[i:i+2]), "%02x", &b); err != nil {
			t.Fatal(err)
		}
		code = append(code, b)
	}
	return code
}
