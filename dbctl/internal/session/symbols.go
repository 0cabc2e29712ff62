package session

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/profilecollection/pct/unwind"
)

// readAllSymbols makes the debugger read every object that it has not read
// yet. It returns whether there was any.
func (s *Session) readAllSymbols() bool {
	if s.unwinder == nil {
		return false
	}
	before := len(s.symbols)
	s.readSymbols(s.unwinder.Objects()...)
	return len(s.symbols) > before
}

// readPathSymbols makes it read the program and the objects of some frames:
// big libraries take it long, and meanwhile it sees no thread begin or end.
func (s *Session) readPathSymbols(frames []unwind.Frame) {
	for _, o := range s.unwinder.Objects() {
		if o.Path == s.exe {
			s.readSymbols(o)
		}
	}
	for _, f := range frames {
		if f.Object != nil {
			s.readSymbols(f.Object)
		}
	}
}

func (s *Session) readSymbols(objects ...*unwind.Object) {
	for _, o := range objects {
		if s.symbols[o] {
			continue
		}
		s.symbols[o] = true
		path := o.Path
		switch o.Kind {
		case unwind.VDSO:
			if path = s.copyVDSO(o); path == "" {
				continue
			}
		case unwind.Anon:
			continue
		}
		if _, _, err := s.ask(time.Now().Add(answerTime), s.table.Symbols(path, o.Bias)); err != nil {
			s.sayOnce("no symbols of %s: %v", path, err)
		}
	}
}

// copyVDSO makes a file of the vdso, which has none: one of ours without a
// name, that the debugger can read as long as we live.
func (s *Session) copyVDSO(o *unwind.Object) string {
	image := make([]byte, o.End-o.Start)
	if s.memory.ReadAt(image, o.Start) != len(image) {
		return ""
	}
	f, err := os.CreateTemp("", "pct-vdso-")
	if err != nil {
		return ""
	}
	os.Remove(f.Name())
	if _, err := f.Write(image); err != nil {
		f.Close()
		return ""
	}
	s.closers = append(s.closers, f)
	return fmt.Sprintf("/proc/%d/fd/%s", os.Getpid(), strconv.Itoa(int(f.Fd())))
}
