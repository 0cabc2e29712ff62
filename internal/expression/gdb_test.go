package expression

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/value"
)

// asked is an expression in a frame, and both answers.
type asked struct {
	frame      int // among those in functions of the program
	function   string
	expression string
	ours       string
	viewed     string // as people see it
	lacking    bool   // ours lacks static members, so that nobody shows it as gdb's
	refused    string
	theirs     string
	failed     bool // gdb's answer is an error
	pc         uint64
	grown      bool // it is a random one
	early      bool // the function has not stored its parameters yet
}

const (
	optimizedOut = "value has been optimized out"
	notTold      = "the caller does not tell what it passed" // in a sample a debugger is asked
)

// compare says how the answers compare. There is no value for either of us where we refuse what gdb has an
// error of; what we say that the program does not keep must be so.
func (q *asked) compare() verdict {
	theirs := withoutNames(q.theirs)
	// Bytes of a value of which the data say nothing are a pointer for gdb, whatever their type.
	kept := strings.ReplaceAll(theirs, "<synthetic pointer>", "<optimized out>")
	switch {
	case q.failed && strings.Contains(q.theirs, "Unhandled DWARF expression opcode"), q.failed && strings.Contains(q.theirs, "may-call-functions"), q.early && q.refused == optimizedOut, q.early && q.ours == "<optimized out>",
		q.failed && q.theirs == optimizedOut && strings.Contains(q.expression, "sizeof"):
		return isUnasked
	case q.refused == "" && value.WithoutLost(q.ours) == value.WithoutLost(theirs) && !q.failed,
		q.refused == "" && strings.ReplaceAll(q.ours, "<synthetic pointer>", "<optimized out>") == kept && !q.failed,
		(q.refused == optimizedOut || q.refused == notTold) && (theirs == optimizedOut || theirs == "<optimized out>"),
		q.refused != "" && q.refused != optimizedOut && q.failed:
		return isEqual
	case q.lacking:
		return isRefused
	case q.refused == "" || q.refused == optimizedOut:
		return isWrong
	}
	return isRefused
}

type verdict int

const (
	isEqual verdict = iota
	isRefused
	isWrong
	isUnasked // gdb would call a function of the program, reads what is not stored yet, does not know an operator, or does not look at the type alone
)

// questions is what gdb runs. Its machine interface is slow with errors, so that these are asked for first.
const questions = `
import gdb, json
frames = []
f = gdb.newest_frame()
while f is not None:
    if f.type() != gdb.TAILCALL_FRAME and f.function() is not None and gdb.solib_name(f.pc()) is None:
        frames.append(f)
    f = f.older()
last = None
for i, (frame, x) in enumerate(json.load(open(QUESTIONS))):
    try:
        if frame != last:
            frames[frame].select()
            last = frame
        gdb.parse_and_eval(x)
        gdb.execute('echo \\n@@ %d \\n' % i)
        gdb.execute('interpreter-exec mi "-data-evaluate-expression \\"%s\\""' % x.replace('\\', '\\\\\\\\').replace('"', '\\\\\\"'))
    except gdb.error as e:
        print('\n@@ %d \nmsg="%s"' % (i, e))
    except Exception as e:
        print('\n@@ %d \nmsg="%s"' % (i, e))
`

// ask has gdb evaluate the same in the same process. Where gdb crashes it is started again for those that
// follow: they are returned, without the one that it crashed of.
func (s *standing) ask(all []asked) []asked {
	s.t.Helper()
	var answered []asked
	for crashes := 0; len(all) > 0; crashes++ {
		n, err := s.askOnce(all)
		answered = append(answered, all[:n]...)
		if err == nil {
			break
		}
		if crashes == 10 || n == len(all) {
			s.t.Fatal(err)
		}
		s.t.Logf("gdb crashes of %s", all[n].expression)
		all = all[n+1:]
	}
	return answered
}

// printers is the command that has gdb show the members of all, or what people see.
func (s *standing) printers() string {
	if s.viewed {
		return "set auto-load safe-path /usr"
	}
	return "set auto-load no"
}

// askOnce has gdb evaluate what it can, and returns how many that were.
func (s *standing) askOnce(all []asked) (int, error) {
	s.t.Helper()
	dir := s.t.TempDir()
	script, list := filepath.Join(dir, "ask.py"), filepath.Join(dir, "questions")
	var pairs [][2]any
	for _, q := range all {
		if s.spelled != nil {
			q.expression = s.spelled(q.expression)
		}
		pairs = append(pairs, [2]any{q.frame, q.expression})
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(list, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(script, []byte(strings.ReplaceAll(questions, "QUESTIONS", strconv.Quote(list))), 0o600); err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command("prlimit", "--core=0", "gdb", "-nx", "-q", "-batch", "-iex", s.printers(), "-iex", "set debuginfod enabled off", "-iex", "set may-call-functions off", "-p", strconv.Itoa(s.pid), "-x", script)
	cmd.Dir = dir // for what it leaves where it crashes
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	n := 0
	for _, part := range strings.Split(string(out), "\n@@ ")[1:] {
		head, rest, _ := strings.Cut(part, " \n")
		i, bad := strconv.Atoi(head)
		if bad != nil || i >= len(all) || !strings.Contains(rest, "value=") && !strings.Contains(rest, "msg=") {
			continue
		}
		n = i + 1
		all[i].theirs, all[i].failed = answer(strings.TrimSuffix(rest, "\n")), strings.Contains(rest, "msg=")
	}
	return n, err
}

// answer is the text in a record of gdb/MI.
func answer(s string) string {
	for _, key := range []string{"value=", "msg="} {
		_, q, ok := strings.Cut(s, key)
		if !ok {
			continue
		}
		q = q[:strings.LastIndexByte(q, '"')+1]
		var b strings.Builder
		for i := 1; i < len(q)-1; i++ {
			if q[i] == '\\' && i+1 < len(q)-1 {
				i++
				if c, err := strconv.ParseUint(q[i:min(i+3, len(q))], 8, 8); err == nil {
					b.WriteByte(byte(c)) // which is no character by itself
					i += 2
					continue
				}
			}
			b.WriteByte(q[i])
		}
		return b.String()
	}
	return s
}

// An address and the name of its symbol, whose own angles are those of arguments of templates.
var named = regexp.MustCompile(`(0x[0-9a-f]+) <([^<>]|<([^<>]|<[^<>]*>)*>)*>`)

// withoutNames is gdb's text without names of symbols.
func withoutNames(s string) string {
	return named.ReplaceAllStringFunc(s, func(m string) string {
		addr, name, _ := strings.Cut(m, " ")
		if strings.HasPrefix(name, "<error") || strings.HasPrefix(name, "<repeats") || strings.HasPrefix(name, "<incomplete") {
			return m
		}
		return addr
	})
}
