package syscalls

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCalls compares what a program does that makes the commonest calls.
func TestCalls(t *testing.T) {
	ours, theirs := sideBySide(t, built(t, "calls.c"))
	compare(t, ours, theirs, 300)
}

// TestTrees compares programs that start others, or many of them.
func TestTrees(t *testing.T) {
	for name, c := range map[string]struct {
		program []string
		least   int
	}{
		"find":  {[]string{"find", ".", "-name", "*.c", "-newer", "some/file"}, 50},
		"pipes": {[]string{"sh", "-c", "echo some text | cat | wc -c; (exit 3); cat <missing 2>/dev/null; ls some >list"}, 100},
		// Each command needs what the one before made: two at once would end in the order of chance.
		"make":   {[]string{"make", "-j2"}, 200},
		"server": {[]string{built(t, "pair.c")}, 40},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := sideBySide(t, c.program...)
			compare(t, ours, theirs, c.least)
		})
	}
}

// sideBySide are the processes of two runs of a program in the same directory, made anew.
func sideBySide(t *testing.T, program ...string) (ours, theirs []*process) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	prepare := func() string {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct{ name, text string }{
			{"some/file", "text"},
			{"some/deep/er/x.c", "int x;"},
			{"some/y.c", "int y;"},
			{"Makefile", "all: b\n\tcat a b >all\nb: a\n\tcp some/y.c b\na: some/file\n\tcp some/file a\n"},
		} {
			name := filepath.Join(dir, f.name)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(f.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	ours = processesOf(traced(t, prepare(), "", program...))
	return ours, processesOf(straced(t, prepare(), nil, program...))
}

// A process is what one process of a tree calls, in order.
type process struct {
	pid      string
	lines    []string
	children []string // by their number
}

// processesOf are the processes of a trace, each before those that it starts, in their order; calls that strace shows in two pieces are
// put together where they end.
func processesOf(trace []string) []*process {
	var all []*process
	byPID := map[string]*process{}
	pieces := map[string]string{}
	for _, line := range trace {
		pid, line, _ := strings.Cut(line, " ")
		line = strings.TrimLeft(line, " ")
		if strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") {
			continue
		}
		if piece, ok := strings.CutSuffix(line, " <unfinished ...>"); ok {
			pieces[pid] = piece
			continue
		}
		if m := resumed.FindString(line); m != "" {
			line = pieces[pid] + line[len(m):]
		}
		p := byPID[pid]
		if p == nil {
			p = &process{pid: pid}
			byPID[pid] = p
			all = append(all, p)
		}
		line = aligned.ReplaceAllString(line, ") = ")
		line = ambiguous.ReplaceAllString(line, "$1")
		if !waits.MatchString(line) {
			p.lines = append(p.lines, line)
		}
		if m := forked.FindStringSubmatch(line); m != nil {
			p.children = append(p.children, m[1])
		}
	}
	return inOrder(all[0], byPID)
}

// inOrder are a process and those that it started, and so on.
func inOrder(p *process, byPID map[string]*process) []*process {
	all := []*process{p}
	for _, pid := range p.children {
		if child := byPID[pid]; child != nil {
			all = append(all, inOrder(child, byPID)...)
		}
	}
	return all
}

var (
	forked = regexp.MustCompile(`^(?:clone3?|v?fork)\(.* = (\d+)$`)
	// waits are calls that go as chance has it: waiting for one of several children, what a child's end interrupts.
	waits = regexp.MustCompile(`^(wait4\(-1, |rt_sigreturn\()|= \? ERESTART`)
)

// ambiguous is a request of ioctl whose number has a second name, for other devices.
var ambiguous = regexp.MustCompile(`^(ioctl\(\d+, )\w+ or `)

var resumed = regexp.MustCompile(`^<\.\.\. \w+ resumed>`)

// compare compares two runs of a program: the same calls of the same processes, but for what differs from run to run.
func compare(t *testing.T, ours, theirs []*process, least int) {
	t.Helper()
	number := func(all []*process) map[string]int {
		pids := map[string]int{}
		for i, p := range all {
			pids[p.pid] = i + 1
		}
		return pids
	}
	a, b := number(ours), number(theirs)
	if len(ours) != len(theirs) {
		t.Errorf("%d processes, strace has %d", len(ours), len(theirs))
	}
	compared := 0
	for i := range min(len(ours), len(theirs)) {
		x, y := ours[i].lines, theirs[i].lines
		if i == 0 {
			// Our tracer begins after the first execve.
			y = y[1:]
		}
		for j := range min(len(x), len(y)) {
			compared++
			if !alikeLines(x[j], y[j], a, b) {
				t.Errorf("process %d\n  ours   %s\n  strace %s", i, x[j], y[j])
			}
		}
		if len(x) != len(y) {
			t.Errorf("process %d has %d calls, %d for strace", i, len(x), len(y))
		}
	}
	if compared < least {
		t.Errorf("only %d calls compared", compared)
	}
}

// alikeLines compares two lines: numbers may be the same process in each run, and some texts are another each time.
func alikeLines(x, y string, a, b map[string]int) bool {
	if x, y = varied(x), varied(y); x == y {
		return true
	}
	p, q := token.FindAllString(x, -1), token.FindAllString(y, -1)
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if p[i] != q[i] && (a[p[i]] == 0 || a[p[i]] != b[q[i]]) {
			return false
		}
	}
	return true
}

// varied is a line without what is another in each run.
func varied(line string) string {
	for _, v := range varying {
		if v.calls.MatchString(line) {
			line = v.text.ReplaceAllString(line, "?")
		}
	}
	return line
}

var token = regexp.MustCompile(`\w+|\W`)

// varying are the texts that are another in each run, and of which calls.
var varying = []struct{ calls, text *regexp.Regexp }{
	{regexp.MustCompile(`^(clock_gettime|gettimeofday|getrusage|wait4|getitimer|timerfd_settime|ppoll|pselect6|select)\(`), regexp.MustCompile(`tv_sec=\d+, tv_n?u?sec=\d+`)},
	{regexp.MustCompile(`^time\(`), regexp.MustCompile(`\d.*`)},
	{regexp.MustCompile(`^times\(`), regexp.MustCompile(`\d+( /\* \S* s \*/)?`)},
	{regexp.MustCompile(`^sysinfo\(`), regexp.MustCompile(`\d+`)},
	{regexp.MustCompile(`^waitid\(`), regexp.MustCompile(`si_[us]time=\d+`)},
	{regexp.MustCompile(`^(bind|connect|accept4?|getsockname)\(`), regexp.MustCompile(`htons\([0-9]{4,5}\)`)},
	{regexp.MustCompile(`^setsockopt\(\d+, SOL_SOCKET, SO_RCVTIMEO_OLD`), regexp.MustCompile(`\{.*?\}|".*?"`)}, // strace has bytes
	{regexp.MustCompile(`^f?statfs\(`), regexp.MustCompile(`(f_bfree|f_bavail|f_ffree)=\d+`)},
	{regexp.MustCompile(`^getppid\(`), regexp.MustCompile(`\d+`)},
	{regexp.MustCompile(`^getrandom\(`), regexp.MustCompile(`(\\x[0-9a-f]{2})+`)},
}
