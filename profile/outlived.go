package main

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/pct/data"
)

// lookAgain is the time between two looks for processes that are waited for.
const lookAgain = 100 * time.Millisecond

// outlived waits for processes that are left of the library's run, if that is wanted; else it tells that they are there.
func (p *session) outlived() {
	left := p.living()
	for waits := p.options.wait; waits && len(left) > 0; left = p.living() {
		select {
		case sig := <-p.signals:
			waits = sig == unix.SIGQUIT
		case <-time.After(lookAgain):
		}
	}
	if p.alive = len(left) > 0; len(left) == 1 {
		p.say([]note{{outlivedByOne, []any{left[0], p.options.verb()}}})
	} else if p.alive {
		p.say([]note{{outlivedByMore, []any{len(left), left[0], p.options.verb()}}})
	}
}

// living are the run directories of the processes of the library's run that are still there.
func (p *session) living() (dirs []string) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	mark := []byte("PCT_RUN=" + p.told())
	environ := make([]byte, 64<<10)
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		process := "/proc/" + name
		n := 0
		if environ, n = readInto(environ, process+"/environ"); !bytes.Contains(environ[:n], mark) {
			continue
		}
		if exe, err := os.Readlink(process + "/exe"); err == nil {
			dirs = append(dirs, fmt.Sprintf("%s/%s.%s", p.data, data.DirName(exe), name))
		}
	}
	return dirs
}

// readInto reads a file into a buffer, which grows if it has to. There are many files, of which package os would make more.
func readInto(b []byte, file string) ([]byte, int) {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return b, 0
	}
	defer unix.Close(fd)
	for total := 0; ; {
		n, err := unix.Read(fd, b[total:])
		if n <= 0 || err != nil {
			return b, total
		}
		if total += n; total == len(b) {
			b = append(b, make([]byte, len(b))...)
		}
	}
}
