package listing

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
)

// instruction is one that objdump shows.
type instruction struct {
	vaddr uint64
	text  string
}

// instructionLine is a line of objdump, as in "    1139:	push   %rbp".
var instructionLine = regexp.MustCompile(`^ *([0-9a-f]+):\t(.*)$`)

// padding is what stands between functions.
var padding = regexp.MustCompile(`^((cs |data16 )*nop|int3|xchg +%ax,%ax)`)

// disassemble returns the instructions of an extent of an object, without padding at
// its end.
func disassemble(object string, of extent) ([]instruction, error) {
	cmd := exec.Command("objdump", "--disassemble", "--disassemble-zeroes", "--wide", "--demangle", "--no-show-raw-insn",
		fmt.Sprintf("--start-address=%#x", of.start), fmt.Sprintf("--stop-address=%#x", of.end), "--", object)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("%w; Debian has it in the package binutils", err)
	} else if err != nil {
		return nil, fmt.Errorf("objdump %s: %s", object, strings.TrimSpace(complaints.String()))
	}
	var all []instruction
	for line := range strings.Lines(out.String()) {
		m := instructionLine.FindStringSubmatch(strings.TrimRight(line, " \n"))
		if m == nil {
			continue
		}
		vaddr, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil || vaddr < of.start || vaddr >= of.end {
			continue
		}
		all = append(all, instruction{vaddr, visible.Source(m[2])})
	}
	for len(all) > 1 && padding.MatchString(all[len(all)-1].text) {
		all = all[:len(all)-1]
	}
	return all, nil
}
