package disasm

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/translators/internal/coproc"
)

// Objdump disassembles a range of addresses, or all there is. What is asked for are
// pieces of functions from everywhere in an object. So objdump is given a file that
// has these pieces alone, each as a section of its own at its own address: one run
// for any number of them, and it needn't read the object's symbols. Names are ours.

// A piece is code that is to be disassembled from its beginning.
type piece struct {
	low, high uint64
	bytes     []byte
}

// maxPieces bounds the sections of a file, whose number has 16 bits.
const maxPieces = 60000

// disassembler runs objdump.
type disassembler struct {
	path    string
	options string
	timeout time.Duration
}

// run returns the instructions of the pieces, sorted by address.
func (d disassembler) run(o *code, pieces []piece) ([]instruction, error) {
	f, err := os.CreateTemp("", "pct-disasm")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(o.file(pieces))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	argv := []string{d.path, "-d", "--no-show-raw-insn", "-w", "-z"}
	if d.options != "" {
		argv = append(argv, "-M", d.options)
	}
	p, err := coproc.Start(append(argv, f.Name()), coproc.Environment(false))
	if err != nil {
		return nil, err
	}
	p.CloseInput()
	var all []instruction
	what := ""
	for {
		line, err := p.ReadLine(d.timeout)
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				what = fmt.Sprintf("no output for %v", d.timeout)
			} else if err != io.EOF {
				what = err.Error()
			}
			break
		}
		if addr, text, ok := parse(line); ok {
			all = append(all, instruction{addr, o.readable(text)})
		}
	}
	patience := time.Second
	if what != "" {
		patience = 0
	}
	if status := p.Reap(patience); what == "" {
		what = status
	}
	if what == "" && len(all) < len(pieces) {
		what = fmt.Sprintf("%d instructions in %d pieces of code", len(all), len(pieces))
	}
	if what != "" {
		if said := p.Stderr(); said != "" {
			what += "; it says: " + said
		}
		return nil, fmt.Errorf("%s: objdump: %s", o.Path, what)
	}
	slices.SortStableFunc(all, func(a, b instruction) int {
		switch {
		case a.addr < b.addr:
			return -1
		case a.addr > b.addr:
			return 1
		}
		return 0
	})
	return all, nil
}

// parse reads a line "  401136:\tmov    0x8(%rax),%rcx".
func parse(line string) (addr uint64, text string, ok bool) {
	hex, text, ok := strings.Cut(strings.TrimLeft(line, " "), ":\t")
	if !ok {
		return 0, "", false
	}
	addr, err := strconv.ParseUint(hex, 16, 64)
	return addr, strings.Join(strings.Fields(text), " "), err == nil
}

// target is an address that an instruction jumps to or works on, as objdump says it
// at its end: "jmp 0x401136", "call 401136 <.text.7+0x10>", "… # 0x404010".
var target = regexp.MustCompile(`(^(?:[a-z0-9.]+ )+(?:[^ ]+,)?|# )(?:0x([0-9a-f]+)|([0-9a-f]+) <[^>]*>)$`)

// readable puts the names of functions into the text of an instruction.
func (o *code) readable(text string) string {
	m := target.FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	from := m[3]
	digits := m[4:6]
	if digits[0] < 0 {
		digits = m[6:8]
	}
	hex := text[digits[0]:digits[1]]
	addr, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		return text
	}
	if name, _, _ := o.function(addr); name != "" {
		return text[:from] + o.place(addr)
	}
	return text[:from] + "0x" + hex
}

// file returns an ELF file of the pieces alone, for the object's machine.
func (o *code) file(pieces []piece) []byte {
	order := o.ByteOrder
	var names, body bytes.Buffer
	names.WriteByte(0)
	nameOf := func(s string) uint32 {
		at := uint32(names.Len())
		names.WriteString(s + "\x00")
		return at
	}
	wide := o.Class == elf.ELFCLASS64
	headerSize, sectionSize := 52, 40
	if wide {
		headerSize, sectionSize = 64, 64
	}
	sections := []elf.Section64{{}}
	text := nameOf(".text")
	for _, p := range pieces {
		sections = append(sections, elf.Section64{
			Name: text, Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR),
			Addr: p.low, Off: uint64(headerSize + body.Len()), Size: uint64(len(p.bytes)), Addralign: 1,
		})
		body.Write(p.bytes)
	}
	strings := elf.Section64{Name: nameOf(".shstrtab"), Type: uint32(elf.SHT_STRTAB), Addralign: 1}
	strings.Off, strings.Size = uint64(headerSize+body.Len()), uint64(names.Len())
	body.Write(names.Bytes())
	sections = append(sections, strings)
	for body.Len()%8 != 0 {
		body.WriteByte(0)
	}
	var out bytes.Buffer
	put := func(v any) { _ = binary.Write(&out, order, v) } // to memory: it can't fail
	ident := [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(o.Class), byte(o.Data), byte(elf.EV_CURRENT), byte(o.OSABI)}
	table, count := uint64(headerSize+body.Len()), uint16(len(sections))
	if wide {
		put(elf.Header64{Ident: ident, Type: uint16(elf.ET_EXEC), Machine: uint16(o.Machine), Version: uint32(elf.EV_CURRENT),
			Shoff: table, Ehsize: uint16(headerSize), Shentsize: uint16(sectionSize), Shnum: count, Shstrndx: count - 1})
	} else {
		put(elf.Header32{Ident: ident, Type: uint16(elf.ET_EXEC), Machine: uint16(o.Machine), Version: uint32(elf.EV_CURRENT),
			Shoff: uint32(table), Ehsize: uint16(headerSize), Shentsize: uint16(sectionSize), Shnum: count, Shstrndx: count - 1})
	}
	out.Write(body.Bytes())
	for _, s := range sections {
		if wide {
			put(s)
		} else {
			put(elf.Section32{Name: s.Name, Type: s.Type, Flags: uint32(s.Flags), Addr: uint32(s.Addr), Off: uint32(s.Off),
				Size: uint32(s.Size), Addralign: uint32(s.Addralign)})
		}
	}
	return out.Bytes()
}
