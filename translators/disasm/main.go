// Package disasm is pct-disasm, a translator from addresses to instructions, for code
// without lines and names: the innermost frame of an answer is the instruction, the next one its
// function. It reads code by objdump. See package translators for the protocol.
package disasm

import (
	"flag"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"github.com/profilecollection/pct/translators"
)

const usage = `usage: pct-disasm [-objdump PATH] [-M OPTIONS] [-timeout DURATION]

Reads lines OBJECT<TAB>0xADDRESS. Prints a line for each: the instruction that
covers the address, as FUNCTION+0xOFFSET: INSTRUCTION, and its function:

  main+0x1a: mov 0x8(%rax),%rcx|?|?<TAB>main|?|?

Without a symbol, it prints OBJECT+0xADDRESS: INSTRUCTION. See
docs/TRANSLATORS.md.

  -objdump PATH      objdump to use (default objdump)
  -M OPTIONS         options of its disassembler, such as intel
  -timeout DURATION  time that objdump may be silent (default 30s)

example:
  pct sym -translator pct-disasm /tmp/pct/gzip.*
`

// Run is the command.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("pct-disasm", flag.ContinueOnError)
	objdump := flags.String("objdump", "objdump", "")
	options := flags.String("M", "", "")
	timeout := flags.Duration("timeout", 30*time.Second, "")
	if status, done := translators.Parse(flags, usage, args, stdout, stderr, nil); done {
		return status
	}
	if _, err := exec.LookPath(*objdump); err != nil {
		fmt.Fprintf(stderr, "pct-disasm: %v\n", err)
		return 1
	}
	t := translator{
		disassembler: disassembler{*objdump, *options, *timeout},
		usable:       translators.Objects{Program: "pct-disasm", Complain: stderr},
		objects:      map[translators.Request]*code{},
		stderr:       stderr,
	}
	if err := translators.ServeBatches(stdin, stdout, stderr, t.translate); err != nil {
		fmt.Fprintf(stderr, "pct-disasm: %v\n", err)
		return 1
	}
	return 0
}

// A translator answers for any number of objects.
type translator struct {
	disassembler disassembler
	usable       translators.Objects
	objects      map[translators.Request]*code // by object and build-id; nil for those that can't be read
	stderr       io.Writer
}

// translate disassembles all that is asked of an object in one run of objdump.
func (t *translator) translate(batch []translators.Request, answers [][]translators.Location) error {
	asked := map[*code][]uint64{}
	var order []*code
	for _, q := range batch {
		o := t.object(q)
		if o == nil {
			continue
		}
		if asked[o] == nil {
			order = append(order, o)
		}
		if _, known := o.instructions[q.Vaddr]; !known {
			asked[o] = append(asked[o], q.Vaddr)
		}
	}
	for _, o := range order {
		vaddrs := asked[o]
		slices.Sort(vaddrs)
		if err := o.disassemble(t.disassembler, slices.Compact(vaddrs)); err != nil {
			return err
		}
	}
	for i, q := range batch {
		if o := t.object(q); o != nil {
			answers[i] = o.frames(q.Vaddr)
		}
	}
	return nil
}

// object returns what answers for a request, nil if nothing does; what can't be
// read is said once.
func (t *translator) object(q translators.Request) *code {
	k := translators.Request{Object: q.Object, BuildID: q.BuildID}
	o, known := t.objects[k]
	if known || !t.usable.Usable(q) {
		return o
	}
	o, err := openObject(q.Object)
	if err != nil {
		fmt.Fprintf(t.stderr, "pct-disasm: %v\n", err)
	}
	t.objects[k] = o
	return o
}
