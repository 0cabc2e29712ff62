package session

import (
	"os"
	"sync"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// mender is the run's process that takes breakpoints out if we are killed; any goroutine may ask for it.
type mender struct {
	once sync.Once
	own  *tracer.Mender // of once; nil: it can't be had, and is a help only
}

// of has it look after the memory of one process; nil where there is none.
func (m *mender) of(pid int) breakpoint.Mender {
	m.once.Do(func() {
		done := make(chan struct{})
		go func() { // not as a child of the tracing thread, which would take its status
			defer close(done)
			m.own, _ = tracer.NewMender()
		}()
		<-done
	})
	if m.own == nil {
		return nil
	}
	return mended{m.own, pid}
}

func (m *mender) close() {
	m.once.Do(func() {}) // none is made after this
	if m.own != nil {
		m.own.Close()
	}
}

// mended is the memory of one process, as the mender knows it.
type mended struct {
	by  *tracer.Mender
	pid int
}

func (m mended) Keep(memory breakpoint.Memory, original map[uint64]byte) {
	if f, ok := memory.(*os.File); ok {
		m.by.Keep(m.pid, f, original)
	}
}

func (m mended) Add(original map[uint64]byte) { m.by.Add(m.pid, original) }
func (m mended) Forget()                      { m.by.Forget(m.pid) }
