package syscalls

import "golang.org/x/sys/unix"

// terminal is the structure of a terminal's settings.
var terminal = pointed(func(c *Call, v unix.Termios) {
	c.str("{c_iflag=")
	c.hex(uint64(v.Iflag))
	c.str(", c_oflag=")
	c.hex(uint64(v.Oflag))
	c.str(", c_cflag=")
	c.hex(uint64(v.Cflag))
	c.str(", c_lflag=")
	c.hex(uint64(v.Lflag))
	c.str(", ...}")
})
