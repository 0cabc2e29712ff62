package session

import (
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// files are the program's standard files: ours, or a terminal of its own,
// which is connected to ours. after is to be called once it's launched.
func (t *tree) files() (files [3]*os.File, after func(), err error) {
	if !t.cfg.Pty {
		return [3]*os.File{t.cfg.Stdin, t.cfg.Stdout, t.cfg.Stderr}, func() {}, nil
	}
	master, slave, err := pty.Open()
	if err != nil {
		return files, nil, fmt.Errorf("cannot make a terminal: %w", err)
	}
	pty.InheritSize(t.cfg.Stdin, master)
	return [3]*os.File{slave, slave, slave}, func() {
		slave.Close()
		t.connect(master)
	}, nil
}

// connect copies between a terminal and our own standard files. Ours becomes
// raw, if it's a terminal, so that the other interprets what is typed.
func (t *tree) connect(master *os.File) {
	fd := int(t.cfg.Stdin.Fd())
	restore := func() {}
	if old, err := term.MakeRaw(fd); err == nil {
		restore = func() { term.Restore(fd, old) }
	}
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, unix.SIGWINCH)
	go func() {
		for range resized {
			pty.InheritSize(t.cfg.Stdin, master)
		}
	}()
	go func() {
		io.Copy(master, t.cfg.Stdin)
		master.Write([]byte{4}) // the end of our input is the end of its
	}()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		io.Copy(t.cfg.Stdout, master) // ends with EIO when the program has
	}()
	t.closers = append(t.closers, closer(func() {
		<-copied
		signal.Stop(resized)
		close(resized)
		restore()
		master.Close()
	}))
}

// closer is something to be undone at the end.
type closer func()

func (c closer) Close() error {
	c()
	return nil
}
