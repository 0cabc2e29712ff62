package session

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/profilecollection/pct/unwind"
)

// readSymbols makes the debugger read the objects that it has not read yet.
func (s *Session) readSymbols() {
	if s.unwinder == nil {
		return
	}
	for _, o := range s.unwinder.Objects() {
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
