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
	case mi.Notify:
		return decodeNotify(r)
	}
	return Event{}
}

var detaching = regexp.MustCompile(`^\[Detaching after (v?fork) from (?:child )?(?:process |Thread .*LWP )(\d+)`)

func decodeConsole(text string) Event {
	switch {
	case strings.HasPrefix(text, tickWord):
		return decodeTick(text[len(tickWord):])
	case strings.HasPrefix(text, regsWord):
		ev := decodeTick(text[len(regsWord):])
		ev.Requested = true
		return ev
	case strings.HasPrefix(text, execWord):
		thread, _ := strconv.Atoi(strings.TrimSpace(text[len(execWord):]))
		return Event{Kind: Exec, Thread: thread}
	case strings.HasPrefix(text, "[Detaching after "):
		if m := detaching.FindStringSubmatch(text); m != nil {
			child, _ := strconv.Atoi(m[2])
			return Event{Kind: Forked, Reason: m[1], Child: child}
		}
	}
	return Event{}
}

// decodeTick reads "THREAD PC SP BP AX", numbers in hexadecimal but the first.
func decodeTick(text string) Event {
	ev := Event{Kind: Tick}
	var words [5]string
	n := 0
	for word := range strings.FieldsSeq(text) {
		if n == len(words) {
			return Event{}
		}
		words[n] = word
		n++
	}
	if n != len(words) {
		return Event{}
	}
	ev.Thread, _ = strconv.Atoi(words[0])
	for i, to := range []*uint64{&ev.PC, &ev.SP, &ev.BP, &ev.AX} {
		*to, _ = strconv.ParseUint(words[i+1], 16, 64)
	}
	return ev
}

// decodeStopped reads a stop. One without a reason and a thread is the bare
// record of a silent catchpoint, whose own line follows.
func decodeStopped(r *mi.Record) Event {
	reason := r.Str("reason")
	thread, _ := strconv.Atoi(r.Str("thread-id"))
	if thread == 0 {
		if strings.HasPrefix(reason, "exited") {
			return Event{Kind: Exited, Reason: reason}
		}
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
	case strings.HasPrefix(reason, "exited"):
		return Event{Kind: Exited, Reason: reason}
	case reason == "signal-received":
		ev.Signal = r.Str("signal-name")
	case reason == "breakpoint-hit" || strings.HasSuffix(reason, "watchpoint-trigger"):
		ev.Kind = Breakpoint
		ev.Number = r.Str("bkptno")
		if ev.Number == "" {
			ev.Number = r.Str("wpt", "number")
		}
	case reason == "syscall-entry" || reason == "syscall-return":
		ev.Kind = Syscall
		ev.Enter = reason == "syscall-entry"
		ev.Name = r.Str("syscall-name")
	}
	return ev
}

func decodeNotify(r *mi.Record) Event {
	switch r.Class {
	case "thread-created", "thread-exited":
		ev := Event{Kind: ThreadCreated}
		if r.Class == "thread-exited" {
			ev.Kind = ThreadExited
		}
		ev.Thread, _ = strconv.Atoi(r.Str("id"))
		return ev
	case "thread-group-exited":
		return Event{Kind: Exited, Reason: "exited"}
	case "library-loaded", "library-unloaded":
		base := r.Results.Get("ranges")
		ev := Event{Kind: Loaded, Name: strings.TrimPrefix(r.Class, "library-"), Object: r.Str("target-name")}
		if len(base.Items) > 0 {
			ev.Base = base.Items[0].Str("from")
		}
		return ev
	}
	return Event{}
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

func readLocations(r *mi.Record) (number string, addresses []uint64) {
	bkpt := r.Results.Get("bkpt")
	add := func(text string) {
		if a, err := strconv.ParseUint(text, 0, 64); err == nil {
			addresses = append(addresses, a)
		}
	}
	add(bkpt.Str("addr"))
	for _, l := range bkpt.Get("locations").Items {
		add(l.Str("addr"))
	}
	return bkpt.Str("number"), addresses
}

// readSender reads a signal's number and the low byte of its code, in one.
func readSender(r *mi.Record) (signal int, clock bool) {
	const pollIn = 1
	n, _ := strconv.Atoi(r.Str("value"))
	return n >> 8, n&255 == pollIn
}

// readRegisters reads numbers in hexadecimal.
func readRegisters(text string) (values [17]uint64, ok bool) {
	words := strings.Fields(text)
	if len(words) != len(values) {
		return values, false
	}
	for i, word := range words {
		v, err := strconv.ParseUint(word, 16, 64)
		if err != nil {
			return values, false
		}
		values[i] = v
	}
	return values, true
}
