package syscalls

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Descriptors are shown with what they stand for, if that is wanted, as strace -y does.
func TestDescriptors(t *testing.T) {
	paths := map[int]string{3: "/etc/passwd", 4: "/tmp/a <b> \"\\\x01" + "2é (deleted)", unix.AT_FDCWD: "/home", 5: "pipe:[17]"}
	for _, of := range []struct {
		number uint64
		args   [6]uint64
		result int64
		want   string
	}{
		{unix.SYS_CLOSE, [6]uint64{3}, 0, `close(3</etc/passwd>) = 0`},
		{unix.SYS_CLOSE, [6]uint64{9}, -int64(unix.EBADF), `close(9) = -1 EBADF (Bad file descriptor)`},
		{unix.SYS_DUP2, [6]uint64{4, 5}, 5, `dup2(4</tmp/a \74b\76 \"\\\0012\303\251>(deleted), 5<pipe:[17]>) = 5<pipe:[17]>`},
		{unix.SYS_OPENAT, [6]uint64{0xffffff9c, 0, 0}, 3, `openat(AT_FDCWD</home>, NULL, O_RDONLY) = 3</etc/passwd>`},
		{unix.SYS_FCNTL, [6]uint64{3, unix.F_DUPFD, 0}, 3, `fcntl(3</etc/passwd>, F_DUPFD, 0) = 3</etc/passwd>`},
	} {
		c := Call{Paths: func(fd int) string { return paths[fd] }}
		c.Enter(Entry{Number: of.number, Args: of.args}, &page{})
		c.Exit(of.result, &page{})
		if got := text(&c); got != of.want {
			t.Errorf("got  %s\nwant %s", got, of.want)
		}
	}
}
