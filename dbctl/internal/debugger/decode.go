package debugger

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// decode reads one record of gdb.
func decode(r *mi.Record) Event {
	switch r.Kind {
	case mi.Console:
		return decodeConsole(r.Text)
	case mi.Exec:
		if r.Class == "stopped" {
			return decodeStopped(r)
		}
	}
	return Event{}
}

func decodeConsole(text string) Event {
	number, isTick := strings.CutPrefix(text, tickWord)
	if !isTick {
		return Event{}
	}
	thread, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return Event{}
	}
	return Event{Kind: Tick, Thread: thread}
}

// decodeStopped reads a stop. One without a reason and a thread is the bare
// record of a silent catchpoint, whose own line follows.
func decodeStopped(r *mi.Record) Event {
	reason := r.Str("reason")
	thread, _ := strconv.Atoi(r.Str("thread-id"))
	if thread == 0 || strings.HasPrefix(reason, "exited") {
		return Event{}
	}
	ev := Event{Kind: Stopped, Thread: thread, Reason: reason}
	frame := r.Results.Get("frame")
	ev.PC, _ = strconv.ParseUint(strings.TrimPrefix(frame.Str("addr"), "0x"), 16, 64)
	ev.Func, ev.File, ev.Line = frame.Str("func"), frame.Str("fullname"), frame.Str("line")
	if ev.Func == "??" {
		ev.Func = ""
	}
	switch {
	case reason == "signal-received":
		ev.Signal = r.Str("signal-name")
	case reason == "breakpoint-hit" || strings.HasSuffix(reason, "watchpoint-trigger"):
		ev.Kind = Breakpoint
		ev.Number = r.Str("bkptno")
		for _, kind := range [...]string{"wpt", "hw-rwpt", "hw-awpt"} {
			if ev.Number == "" {
				ev.Number = r.Str(kind, "number")
			}
		}
		if reason == "watchpoint-trigger" {
			ev.Change = []string{r.Str("value", "old"), r.Str("value", "new")}
		}
	case reason == "syscall-entry" || reason == "syscall-return":
		ev.Kind = Syscall
		ev.Enter = reason == "syscall-entry"
		ev.Name = r.Str("syscall-name")
	}
	return ev
}

var lwp = regexp.MustCompile(`(?:LWP |process |Thread \d+\.)(\d+)`)

// readThreads maps gdb's thread numbers to the kernel's.
func readThreads(r *mi.Record) map[int]int {
	all := make(map[int]int)
	for _, t := range r.Results.Get("threads").Items {
		id, _ := strconv.Atoi(t.Str("id"))
		if m := lwp.FindStringSubmatch(t.Str("target-id")); m != nil && id > 0 {
			all[id], _ = strconv.Atoi(m[1])
		}
	}
	return all
}

func readFrames(r *mi.Record) []string {
	var names []string
	for _, f := range r.Results.Get("stack").Items {
		names = append(names, f.Str("func"))
	}
	return names
}
