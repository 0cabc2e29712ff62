package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// A sweeper removes a directory when we end, also if we are killed: it's a process that waits for the end of a pipe, which
// we alone hold open.
type sweeper struct {
	pid  int
	held *os.File
}

// makeTemporary makes a directory for small files, and its sweeper.
func makeTemporary() (dir string, b sweeper, err error) {
	if dir, err = os.MkdirTemp("", "profile."); err != nil {
		return "", b, err
	}
	launch, err := find("pct-launch")
	if err != nil {
		os.Remove(dir)
		return "", b, err
	}
	end, held, err := os.Pipe()
	if err != nil {
		os.Remove(dir)
		return "", b, err
	}
	defer end.Close()
	b.held = held
	if b.pid, err = start([]string{launch, "-sweep", dir}, end, false); err != nil {
		os.Remove(dir)
	}
	return dir, b, err
}

// sweep removes the temporary files.
func (p *session) sweep() {
	p.sweeper.held.Close()
	var ws unix.WaitStatus
	if _, err := unix.Wait4(p.sweeper.pid, &ws, 0, nil); err != nil || ws != 0 {
		os.RemoveAll(p.tmp)
	}
}
