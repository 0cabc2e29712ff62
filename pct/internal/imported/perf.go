package imported

import (
	"bufio"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

// What perf script prints for a sample, by its default fields and with -F +pid:
//
//	COMM [PID/]TID [CPU] SECONDS: PERIOD EVENT:
//	<tab>ADDRESS SYMBOL+0xOFFSET (OBJECT)
//	<tab>ADDRESS SYMBOL+0xOFFSET (inlined)
//
// frames innermost first, an inlined function before the one that it is in, and an empty
// line. With -F +srcline a line "  FILE:LINE" follows each frame. Without call paths the
// only frame is on the first line. A command can have blanks in its name.

const perfFormat = "perf script"

// unknownFrame stands for frames of which neither symbol nor object is known.
const unknownFrame = "?"

var (
	perfTimed    = regexp.MustCompile(`^\s*(\S.*?|)\s+(-?\d+)(?:/(-?\d+))?\s+(?:\[\d+\]\s+)?(?:[.\w]{4,5}\s+)?(\d+)\.(\d{6,9}):(?:\s+(\d+))?(?:\s+(\S+):)?(?:\s(.*))?$`)
	perfPlain    = regexp.MustCompile(`^\s*(\S.*?)\s+(-?\d+)(?:/(-?\d+))?(?:\s+\[\d+\])?(?:\s+(\d+))?(?:\s+(\S+):)?(?:\s(.*))?$`)
	perfFrame    = regexp.MustCompile(`^\s*([0-9a-f]+)(?:\s+(\S.*))?$`)
	perfLost     = regexp.MustCompile(`PERF_RECORD_LOST(?:_SAMPLES)? lost (\d+)`)
	modifiers    = regexp.MustCompile(`:[ukhGHpPSDWeI]+$`)
	offset       = regexp.MustCompile(`\+0x[0-9a-f]+$`)
	behindOffset = regexp.MustCompile(`\+0x[0-9a-f]+ \(`)
	captured     = regexp.MustCompile(`^# captured on\s*: (\w+ \w+ +\d+ [\d:]+ \d+)`)
)

// isPerf reports whether one of a text's first lines begins a sample of perf script.
func isPerf(begin []byte) bool {
	all := contents(begin)
	for i, line := range all {
		if perfTimed.MatchString(line) {
			return true
		}
		if i > 0 && perfPlain.MatchString(all[i-1]) && (line[0] == '\t' || line[0] == ' ') && perfFrame.MatchString(line) &&
			strings.TrimLeft(all[i-1], " \t") == strings.TrimLeft(all[i-1], "\t") {
			return true
		}
	}
	return false
}

// perfReader reads the output of perf script.
type perfReader struct {
	*lines
	table    *table
	commands []string
	numbers  map[string]int32 // of commands
	events   map[string]*perfEvent
	order    []*perfEvent
	lost     uint64
	start    time.Time // when it was recorded, zero unknown

	// The sample that is being read.
	open   bool
	event  *perfEvent
	at     *process
	sample sample
	frames []place     // innermost first
	inside []data.Name // functions that were inlined into the next frame
	srcOf  *data.Name  // the frame that a line of source would belong to
}

// perfEvent is the samples of an event.
type perfEvent struct {
	name      string
	processes []*process
	byKey     map[processKey]*process
	samples   uint64
	periods   bool // each sample has its own
}

// processKey tells processes apart: by numbers or, where only those of threads are
// there, by commands.
type processKey struct {
	pid     int
	command string
}

func readPerf(in *bufio.Reader, o Options) (*Profile, error) {
	r := &perfReader{
		lines: &lines{in: in, name: o.Name}, table: newTable(),
		numbers: map[string]int32{}, events: map[string]*perfEvent{},
	}
	failure := r.read()
	return r.profile(o, failure)
}

func (r *perfReader) read() error {
	for {
		line, err := r.next()
		if err == io.EOF && r.torn && r.open {
			return r.error("is the end, within a sample")
		}
		if err == io.EOF {
			r.end()
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.line(line); err != nil {
			return err
		}
	}
}

// line reads a line. What of an unfinished sample is there before a line that can't be
// understood is no whole record.
func (r *perfReader) line(line string) error {
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "":
		r.end()
		return nil
	case line[0] == '#':
		if m := captured.FindStringSubmatch(line); m != nil {
			if at, err := time.ParseInLocation("Mon Jan _2 15:04:05 2006", m[1], time.Local); err == nil {
				r.start = at
			}
		}
		return nil
	case perfLost.MatchString(line):
		n, _ := strconv.ParseUint(perfLost.FindStringSubmatch(line)[1], 10, 64)
		r.lost += n
		return nil
	case strings.Contains(line, ": PERF_RECORD_") || strings.Contains(line, " PERF_RECORD_"):
		return nil
	}
	if line[0] != '\t' {
		if m := perfTimed.FindStringSubmatch(line); m != nil {
			r.end()
			return r.begin(m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
		}
	}
	if r.open {
		return r.frame(line, trimmed)
	}
	if m := perfPlain.FindStringSubmatch(line); m != nil {
		return r.begin(m[1], m[2], m[3], "", "", m[4], m[5], m[6])
	}
	return r.error("does not begin a sample of perf script: %s", shown(line))
}

// begin begins a sample.
func (r *perfReader) begin(command, first, second, seconds, fraction, period, event, rest string) error {
	pid, tid := 0, first
	if second != "" {
		pid, _ = strconv.Atoi(first)
		tid = second
	}
	thread, err := strconv.ParseInt(tid, 10, 64)
	if err != nil {
		return r.error("has an invalid thread number: %s", shown(tid))
	}
	e := r.events[event]
	if e == nil {
		e = &perfEvent{name: strings.Clone(event), byKey: map[processKey]*process{}, periods: true}
		r.events[e.name] = e
		r.order = append(r.order, e)
	}
	command = strings.TrimSpace(command)
	number, ok := r.numbers[command]
	if !ok {
		number = int32(len(r.commands))
		r.commands = append(r.commands, strings.Clone(command))
		r.numbers[r.commands[number]] = number
	}
	key := processKey{pid: max(pid, 0)}
	if second == "" {
		key.command = r.commands[number]
	}
	p := e.byKey[key]
	if p == nil {
		p = &process{pid: key.pid, name: r.commands[number]}
		e.byKey[key] = p
		e.processes = append(e.processes, p)
	}
	if !slices.Contains(p.commands, number) {
		p.commands = append(p.commands, number)
	}
	if second != "" && first == second {
		p.name = r.commands[number]
	}
	r.open, r.event, r.at = true, e, p
	r.sample = sample{thread: uint32(max(thread, 0)), command: number, weight: 1, count: 1}
	if period != "" {
		r.sample.weight, err = strconv.ParseUint(period, 10, 64)
		if err != nil {
			return r.error("has an invalid period: %s", shown(period))
		}
	} else {
		e.periods = false
	}
	if seconds != "" {
		s, err := strconv.ParseInt(seconds, 10, 33)
		if err != nil {
			return r.error("has an invalid time: %s", shown(seconds))
		}
		ns, _ := strconv.ParseInt((fraction + "000")[:9], 10, 64)
		r.sample.time, r.sample.timed = time.Duration(s)*time.Second+time.Duration(ns), true
	} else if thread > 0 {
		r.sample.fields = []field{{"thread", tid}}
	}
	// Without call paths the frame stands here; of a tracepoint, its arguments do.
	if rest = strings.TrimSpace(rest); rest != "" && perfFrame.MatchString(rest) && strings.HasSuffix(rest, ")") {
		if err := r.frame(rest, rest); err != nil {
			return err
		}
		r.end()
	}
	return nil
}

// frame reads a frame, or the line of source of the one before.
func (r *perfReader) frame(line, trimmed string) error {
	if len(line) > 2 && line[:2] == "  " && line[2] != ' ' && line[2] != '\t' && len(r.frames)+len(r.inside) > 0 {
		r.source(trimmed)
		return nil
	}
	m := perfFrame.FindStringSubmatch(line)
	if m == nil {
		return r.error("is neither a frame of perf script (ADDRESS SYMBOL (OBJECT)) nor the begin of a sample: %s", shown(line))
	}
	addr, err := strconv.ParseUint(m[1], 16, 64)
	if err != nil {
		return r.error("has an invalid address: %s", shown(m[1]))
	}
	symbol, path := parted(m[2])
	symbol = offset.ReplaceAllString(symbol, "")
	var names []data.Name
	if symbol != "" && symbol != "[unknown]" {
		names = []data.Name{{Function: symbol}}
	}
	if path == "inlined" && names != nil {
		r.inside = append(r.inside, names...)
		r.srcOf = &r.inside[len(r.inside)-1]
		return nil
	}
	p := place{object: r.table.mapped(path, addr), addr: addr, named: true, names: append(r.inside, names...)}
	if len(p.names) == 0 && (p.object == 0 || addr == 0) { // which tells nothing: where a stack can't be unwound
		p = place{named: true, names: []data.Name{{Function: unknownFrame}}}
	}
	r.inside, r.srcOf = nil, nil
	r.frames = append(r.frames, p)
	if len(names) > 0 {
		r.srcOf = &p.names[len(p.names)-1]
	}
	return nil
}

// source takes in what follows a frame with -F +srcline: FILE:LINE, or what perf writes
// where that is not known. It says behind it that the frame was inlined.
func (r *perfReader) source(s string) {
	s, inlined := strings.CutSuffix(s, " (inlined)")
	if at := strings.LastIndexByte(s, ':'); at > 0 && r.srcOf != nil {
		if line, err := strconv.ParseUint(s[at+1:], 10, 31); err == nil && line > 0 {
			r.srcOf.File, r.srcOf.Line = r.table.text(s[:at]), int(line)
		}
	}
	r.srcOf = nil
	if last := len(r.frames) - 1; inlined && last >= 0 && len(r.inside) == 0 {
		r.inside = r.frames[last].names
		r.frames = r.frames[:last]
	}
}

// parted takes SYMBOL (OBJECT) apart; either may hold blanks and parentheses.
func parted(s string) (symbol, object string) {
	if !strings.HasSuffix(s, ")") {
		return s, ""
	}
	object, deleted := strings.CutSuffix(s[:len(s)-1], " (deleted)")
	at := strings.LastIndexByte(object, '(')
	if m := behindOffset.FindStringIndex(object); m != nil {
		at = m[1] - 1
	}
	switch {
	case at == 0:
		return "", object[1:]
	case at > 0 && object[at-1] == ' ':
		return strings.TrimSpace(object[:at]), object[at+1:]
	case deleted:
		return "", s
	}
	return s, ""
}

// end ends the sample that is being read.
func (r *perfReader) end() {
	if !r.open {
		return
	}
	if len(r.inside) > 0 { // what they are in is not known
		r.frames = append(r.frames, place{named: true, names: r.inside})
	}
	at := int32(0)
	for _, p := range slices.Backward(r.frames) {
		at = r.table.child(at, r.table.place(p, true))
	}
	r.sample.node = at
	r.at.samples = append(r.at.samples, r.sample)
	r.event.samples++
	r.open, r.frames, r.inside, r.srcOf = false, r.frames[:0], nil, nil
}

// usual are the events that people mean if they do not say, the first one first.
var usual = []string{"cpu-clock", "task-clock", "cycles", "cpu-cycles"}

// plain is an event without its modifiers.
func plain(event string) string { return modifiers.ReplaceAllString(event, "") }

// choose returns the event to take.
func (r *perfReader) choose(wanted string) (*perfEvent, []string) {
	var names []string
	for _, e := range r.order {
		names = append(names, e.name)
	}
	if wanted != "" {
		for _, e := range r.order {
			if e.name == wanted || plain(e.name) == wanted {
				return e, names
			}
		}
		return nil, names
	}
	for _, name := range usual {
		for _, e := range r.order {
			if plain(e.name) == name {
				return e, names
			}
		}
	}
	return r.order[0], names
}

func (r *perfReader) profile(o Options, failure error) (*Profile, error) {
	if len(r.order) == 0 {
		if failure == nil {
			failure = r.none()
		}
		return nil, failure
	}
	e, names := r.choose(o.Resource)
	if e == nil {
		return nil, r.lines.noSuch("event", o.Resource, names)
	}
	p := &Profile{Format: perfFormat, table: r.table, resource: plain(e.name), unit: "count", clock: e.name, processes: e.processes, lost: r.lost}
	if p.resource == "" {
		p.resource, p.clock = "samples", "perf"
	}
	for _, other := range r.order {
		if other != e {
			p.Warnings = append(p.Warnings, o.Name+" has samples of "+shown(other.name)+", too: -event "+other.name+" takes them")
		}
	}
	if isTime := p.resource == "cpu-clock" || p.resource == "task-clock"; isTime && e.periods {
		p.resource, p.unit = resource.CPU, resource.Microsecond
		p.period = p.microseconds(e.samples)
	}
	p.shift(r.start)
	p.processes = slices.DeleteFunc(p.processes, func(p *process) bool { return len(p.samples) == 0 })
	for _, process := range p.processes {
		process.complete(r.table)
	}
	name(p.processes, r.commands)
	sortProcesses(p.processes)
	return p.orNothing(failure)
}

// noSuch says what can be chosen.
func (l *lines) noSuch(what, wanted string, names []string) error {
	return &noSuch{l.name, what, wanted, names}
}

// microseconds makes weights of ns ones of µs, and returns their mean.
func (p *Profile) microseconds(samples uint64) time.Duration {
	ns := carry{divisor: uint64(time.Microsecond)}
	var sum float64
	for _, process := range p.processes {
		for i := range process.samples {
			s := &process.samples[i]
			sum += float64(s.weight)
			s.weight = ns.times(s.weight, 1)
		}
	}
	return time.Duration(sum / float64(samples))
}

// shift makes times count from the first sample, which was taken at start.
func (p *Profile) shift(start time.Time) {
	first, last := time.Duration(1<<63-1), time.Duration(0)
	for _, process := range p.processes {
		for i := range process.samples {
			if s := &process.samples[i]; s.timed {
				first, last = min(first, s.time), max(last, s.time)
			}
		}
	}
	for _, process := range p.processes {
		for i := range process.samples {
			if s := &process.samples[i]; s.timed {
				s.time -= first
			}
		}
	}
	if last >= first && !start.IsZero() {
		p.start, p.end = start, start.Add(last-first)
	}
}

// longestCommand is how much of a program's name Linux keeps as that of its command.
const longestCommand = 15

// complete finds the number of a process with one thread, and the executable: the
// object of its samples that has the command's name.
func (p *process) complete(t *table) {
	if thread := p.samples[0].thread; p.pid == 0 && thread != 0 && p.samples[0].timed &&
		!slices.ContainsFunc(p.samples, func(s sample) bool { return s.thread != thread }) {
		p.pid = int(thread)
	}
	seen := map[int32]bool{}
	for i := range p.samples {
		for n := p.samples[i].node; n != 0 && !seen[n]; n = t.nodes[n].parent {
			seen[n] = true
			path := t.objects[t.places[t.nodes[n].place].object].path
			base := filepath.Base(path)
			if base == p.name || len(p.name) == longestCommand && strings.HasPrefix(base, p.name) {
				p.exe = path
				return
			}
		}
	}
}
