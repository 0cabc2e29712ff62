package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // the alternate screen, no cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"
)

// Keys, as a terminal in raw mode sends them.
const (
	interruptKey = 3
	suspendKey   = 26
	redrawKey    = 12
)

// A screen is a terminal that is ours for a while.
type screen struct {
	out  *os.File
	in   *os.File // nil if there is no keyboard
	past *term.State
}

func (s *screen) enter() error {
	if s.in != nil {
		past, err := term.MakeRaw(int(s.in.Fd()))
		if err != nil {
			return err
		}
		s.past = past
	}
	_, err := s.out.WriteString(enterScreen)
	return err
}

// leave gives the terminal back as it was.
func (s *screen) leave() {
	s.out.WriteString(leaveScreen)
	if s.in != nil {
		term.Restore(int(s.in.Fd()), s.past)
	}
}

// draw writes a text over what is on the screen, cut to its size.
func (s *screen) draw(text []byte, columns, rows int) error {
	var b bytes.Buffer
	b.WriteString(home)
	for line := range bytes.Lines(text) {
		if rows--; rows < 0 {
			break
		}
		b.Write(cut(bytes.TrimSuffix(line, []byte("\n")), columns))
		b.WriteString(clearLine)
		if rows > 0 {
			b.WriteString("\r\n")
		}
	}
	if rows > 0 {
		b.WriteString(clearBelow)
	}
	_, err := s.out.Write(b.Bytes())
	return err
}

// cut returns the first so many characters of a line.
func cut(line []byte, columns int) []byte {
	end := 0
	for ; columns > 0 && end < len(line); columns-- {
		_, size := utf8.DecodeRune(line[end:])
		end += size
	}
	return line[:end]
}

// size returns the columns and rows of the screen.
func (s *screen) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(s.out.Fd()))
	if err != nil || columns < 1 || rows < 1 {
		return 80, 24
	}
	return columns, rows
}

// onScreen shows frames on a terminal until the user ends it.
func (w *watch) onScreen(out *os.File) (err error) {
	s := &screen{out: out}
	if in, ok := w.stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		s.in = in
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH)
	defer signal.Stop(signals)
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	keys := make(chan byte)
	if s.in != nil {
		go readKeys(s.in, keys)
	}
	tick := time.NewTicker(w.pause)
	defer tick.Stop()
	for frame := 1; ; frame++ {
		columns, rows := s.size()
		text, err := w.frame(time.Now(), rows)
		if err != nil {
			return err
		}
		if err := s.draw(text, columns, rows); err != nil {
			return err
		}
		if frame == w.frames {
			return nil
		}
		for drawn := true; drawn; {
			select {
			case <-tick.C:
				drawn = false
			case sig := <-signals:
				if sig != syscall.SIGWINCH {
					return nil
				}
				columns, rows = s.size()
				if err := s.draw(text, columns, rows); err != nil {
					return err
				}
			case key := <-keys:
				switch key {
				case 'q', 'Q', interruptKey:
					return nil
				case suspendKey:
					if err := s.suspend(); err != nil {
						return err
					}
					drawn = false
				case redrawKey, ' ':
					drawn = false
				}
			}
		}
	}
}

// suspendTime is how long a stop that was asked for may take to come. It never
// comes where there is no shell to continue us.
const suspendTime = 100 * time.Millisecond

// suspend stops the process for its shell until it is continued.
func (s *screen) suspend() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	s.leave()
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-continued:
	case <-time.After(suspendTime):
	}
	return s.enter()
}

// readKeys passes on what is typed. The end of the input says that nobody is there
// any more.
func readKeys(in io.Reader, keys chan<- byte) {
	r := bufio.NewReader(in)
	for {
		key, err := r.ReadByte()
		if err != nil {
			keys <- interruptKey
			return
		}
		keys <- key
	}
}
