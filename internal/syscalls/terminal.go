package syscalls

import "golang.org/x/sys/unix"

// terminal is the structure of a terminal's settings.
var terminal = pointed(func(c *Call, v unix.Termios) {
	c.str("{c_iflag=")
	c.flags(inputModes, uint64(v.Iflag), "I???")
	c.str(", c_oflag=")
	c.terminalModes(uint64(v.Oflag), outputFields, outputModes)
	c.str(", c_cflag=")
	c.terminalModes(uint64(v.Cflag), controlFields, controlModes)
	c.str(", c_lflag=")
	c.flags(localModes, uint64(v.Lflag), "ISIG|???")
	c.str(", ...}")
})

// A field is the part of a word that holds a number with a name.
type field struct {
	mask  uint64
	table []constant
}

var (
	outputFields = []field{
		{unix.NLDLY, newlineDelays}, {unix.CRDLY, returnDelays}, {unix.TABDLY, tabDelays},
		{unix.BSDLY, backspaceDelays}, {unix.VTDLY, verticalDelays}, {unix.FFDLY, feedDelays},
	}
	controlFields = []field{{unix.CBAUD, speeds}, {unix.CSIZE, byteSizes}}
)

// terminalModes writes the numbers and flags of a word.
func (c *Call) terminalModes(v uint64, fields []field, flags []constant) {
	for i, f := range fields {
		if i > 0 {
			c.str("|")
		}
		c.plainNumber(f.table, v&f.mask)
		v &^= f.mask
	}
	if v != 0 {
		c.str("|")
		c.someFlags(flags, v)
	}
}
