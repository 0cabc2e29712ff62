package syscalls

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// CurrentDirectory is the descriptor by which Call.Paths is asked for the directory that relative paths begin in.
const CurrentDirectory = unix.AT_FDCWD

// descriptor writes a file descriptor.
func descriptor(c *Call, v uint64) {
	signed(c, v)
	c.text = c.appendFile(c.text, int32(v))
}

// directory writes the descriptor that paths are relative to.
func directory(c *Call, v uint64) {
	if int32(v) != CurrentDirectory {
		descriptor(c, v)
		return
	}
	c.str("AT_FDCWD")
	c.text = c.appendFile(c.text, CurrentDirectory)
}

// appendFile appends what a descriptor stands for, if it is to be shown: </etc/passwd>.
func (c *Call) appendFile(b []byte, fd int32) []byte {
	if c.Paths == nil {
		return b
	}
	path := c.Paths(int(fd))
	if path == "" {
		return b
	}
	path, deleted := strings.CutSuffix(path, " (deleted)")
	b = append(b, '<')
	for i := range len(path) {
		switch ch := path[i]; {
		case ch == '\\' || ch == '"':
			b = append(b, '\\', ch)
		case ch < ' ' || ch >= 0x7f || ch == '<' || ch == '>':
			b = append(b, '\\')
			if octal := strconv.FormatUint(uint64(ch), 8); i+1 < len(path) && path[i+1] >= '0' && path[i+1] <= '7' {
				b = append(b, "000"[len(octal):]...)
			}
			b = strconv.AppendUint(b, uint64(ch), 8)
		default:
			b = append(b, ch)
		}
	}
	b = append(b, '>')
	if deleted {
		b = append(b, "(deleted)"...)
	}
	return b
}
