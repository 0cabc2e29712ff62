package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// Keys of a line that is typed.
const (
	endOfLine  = 5  // ^E
	deleteLine = 21 // ^U
	tabKey     = '\t'
)

// A console is a terminal that lines are typed at. It is in raw mode while a line is
// typed and as it was found while a command is done: what ends the program then needs
// to put nothing back.
type console struct {
	in, out *os.File
	*term.Terminal

	lock sync.Mutex
	past *term.State // while it is in raw mode
}

func (c *console) enter() error {
	c.lock.Lock()
	defer c.lock.Unlock()
	past, err := term.MakeRaw(int(c.in.Fd()))
	if err == nil {
		c.past = past
	}
	return err
}

// leave gives the terminal back as it was.
func (c *console) leave() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.past != nil {
		term.Restore(int(c.in.Fd()), c.past)
		c.past = nil
	}
}

// keyboard is what is typed, but for the keys that are ours: ^C drops the line, ^Z stops
// the program for its shell.
type keyboard struct {
	*console
	pending []byte
}

func (k *keyboard) Write(p []byte) (int, error) { return k.out.Write(p) }

func (k *keyboard) Read(p []byte) (int, error) {
	for len(k.pending) == 0 {
		typed := make([]byte, 256)
		n, err := k.in.Read(typed)
		for _, key := range typed[:n] {
			switch key {
			case interruptKey:
				k.pending = append(k.pending, endOfLine, deleteLine)
			case suspendKey:
				if err := k.suspend(); err != nil {
					return 0, err
				}
			default:
				k.pending = append(k.pending, key)
			}
		}
		if n == 0 {
			if err == nil {
				err = io.EOF
			}
			return 0, err
		}
	}
	n := copy(p, k.pending)
	k.pending = k.pending[n:]
	return n, nil
}

// suspend stops the process for its shell until it is continued, and shows the line
// again.
func (k *keyboard) suspend() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	k.leave()
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-continued:
	case <-time.After(suspendTime):
	}
	if err := k.enter(); err != nil {
		return err
	}
	_, err := k.Terminal.Write(nil)
	return err
}

// size returns the columns and rows of the terminal.
func (c *console) size() (columns, rows int) { return (&screen{out: c.out}).size() }

// converse does commands that are typed until the user leaves.
func (x *explorer) converse(in, out *os.File) error {
	c := &console{in: in, out: out}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH)
	defer signal.Stop(signals)
	read := x.plainReader(in, out)
	if name := os.Getenv("TERM"); name != "" && name != "dumb" {
		k := &keyboard{console: c}
		c.Terminal = term.NewTerminal(k, "")
		c.History = openHistory(historyFile(), x.warn)
		c.AutoCompleteCallback = x.tab(c)
		c.resize()
		read = x.editedReader(c)
	}
	go c.obey(signals)
	defer c.leave()
	if err := x.greet(out); err != nil {
		return err
	}
	if _, err := io.WriteString(out, "# help lists the commands\n"); err != nil {
		return err
	}
	x.root = x.defaultRoot()
	for {
		line, err := read(x.prompt())
		if err != nil { // ^D, or nobody is there any more
			io.WriteString(out, "\n")
			return nil
		}
		_, x.screen = c.size()
		text, err := x.do(line)
		switch {
		case errors.Is(err, errQuit):
			return nil
		case err != nil:
			text = []byte(err.Error() + "\n")
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
}

// plainReader reads lines where a terminal can do nothing but write.
func (x *explorer) plainReader(in, out *os.File) func(prompt string) (string, error) {
	lines := bufio.NewReader(in)
	return func(prompt string) (string, error) {
		if _, err := io.WriteString(out, prompt); err != nil {
			return "", err
		}
		return lines.ReadString('\n')
	}
}

// editedReader reads lines with all comfort.
func (x *explorer) editedReader(c *console) func(prompt string) (string, error) {
	return func(prompt string) (string, error) {
		c.SetPrompt(prompt)
		if err := c.enter(); err != nil {
			return "", err
		}
		defer c.leave()
		line, err := c.ReadLine()
		if errors.Is(err, term.ErrPasteIndicator) {
			err = nil
		}
		return line, err
	}
}

// tab completes the line up to the cursor, or lists what it could be.
func (x *explorer) tab(c *console) func(line string, pos int, key rune) (string, int, bool) {
	return func(line string, pos int, key rune) (string, int, bool) {
		if key != tabKey {
			return "", 0, false
		}
		completed, list := x.complete(line[:pos])
		if list != "" {
			c.Terminal.Write([]byte(list))
		}
		return completed + line[pos:], len(completed), true
	}
}

// resize takes the size of the terminal over.
func (c *console) resize() {
	columns, rows := c.size()
	c.SetSize(columns, rows)
}

// obey ends the program by a signal as that would have, but gives the terminal back
// first.
func (c *console) obey(signals <-chan os.Signal) {
	for sig := range signals {
		if sig == syscall.SIGWINCH {
			if c.Terminal != nil {
				c.resize()
			}
			continue
		}
		c.leave()
		signal.Reset(sig)
		syscall.Kill(syscall.Getpid(), sig.(syscall.Signal))
	}
}

// maxPromptName is how much of a long name the prompt shows.
const maxPromptName = 30

// prompt shows the settings that change most often.
func (x *explorer) prompt() string {
	name := x.root
	if utf8.RuneCountInString(name) > maxPromptName {
		name = string([]rune(name)[:maxPromptName-1]) + "…"
	}
	refined := strings.Repeat("*", len(x.Refinements))
	return fmt.Sprintf("%s %s %s%s> ", name, x.direction, percentText(x.Threshold), refined)
}
