package session

import (
	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// called is a stop at a system call.
func (t *tree) called(th *thread) {
	p := th.p
	at := t.tracer.CallStop(th.tid)
	way := at.Way
	th.inside = way == tracer.CallEntry
	th.traceCall(&at)
	owing := th.owing
	th.owing = false
	if owing && !p.catching && p.clk != nil {
		t.tick(th, true)
		return
	}
	shown := p.catching || th.pace == tracee.Step || len(th.due) > 0
	if way == tracer.NoCall || !shown || !t.stand(th) {
		t.goOn(th)
		return
	}
	stop := remote.Stop{Signal: int(unix.SIGTRAP)}
	switch number := int(int64(th.regs.Orig_rax)); {
	case p.catching && (len(p.calls) == 0 || p.calls[number]):
		stop.Call, stop.Entry, stop.Return = number, way == tracer.CallEntry, way == tracer.CallExit
	case th.pace == tracee.Step && way == tracer.CallExit:
		// The debugger waits for this step.
	default:
		t.goOn(th)
		return
	}
	th.pace = tracee.Onward
	t.showStop(th, stop)
}

// atCall reports whether a thread that stands still is about to begin or to end a system call. The
// kernel does not tell the calls of a thread that it steps.
func (t *tree) atCall(th *thread) bool {
	if th.inside {
		return true
	}
	regs, err := t.tracer.Registers(th.tid)
	if r, stands := th.registers(); stands {
		regs, err = r.General, nil
	}
	var code [2]byte
	return err == nil && th.p.memory.ReadAt(code[:], regs.Rip) == len(code) && code == syscallCode
}

// syscallCode is the instruction by which programs of 64 bits make their system calls.
var syscallCode = [2]byte{0x0f, 0x05}
