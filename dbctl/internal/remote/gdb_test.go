package remote

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// deadline is for what should take no time at all.
func deadline() time.Time { return time.Now().Add(time.Minute) }

// build compiles a program of the test data.
func build(t testing.TB, name string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args := append([]string{"-g", "-O0", "-pthread", "-o", path, "testdata/" + name + ".c"}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return path
}

// console wraps a command of gdb's own language.
func console(text string) string {
	return `-interpreter-exec console "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

const tickFormat = `printf "\atick %d %lx %lx %lx %lx\n", $_thread, $pc, $sp, $rbp, $rax`

// prepare is how a debugger is set up that samples for us.
var prepare = []string{
	console("set logging file /proc/self/fd/1"),
	console("set logging redirect on"),
	console("set logging enabled on"),
	"-gdb-set mi-async on",
	"-gdb-set non-stop on",
	"-gdb-set sysroot /nonexistent",
	"-gdb-set auto-solib-add off",
	"-gdb-set confirm off",
	"-gdb-set pagination off",
	"-gdb-set width 0",
	"-gdb-set style enabled off",
	"-gdb-set breakpoint pending on",
	"-gdb-set unwindonsignal on",
	"-gdb-set libthread-db-search-path /nonexistent",
	console("handle all nostop noprint pass"),
	console("handle SIGINT nostop noprint pass"),
	console("handle SIGTRAP stop print nopass"),
	console("handle SIGSTOP SIGTSTP SIGTTIN SIGTTOU stop print pass"),
	console("catch exec"),
	`-break-commands 1 "silent" "printf \"\\aexec %d\\n\", $_thread"`,
	console("alias -- __t = " + tickFormat),
	console("catch signal SIGURG"),
	`-break-commands 2 "silent" "__t"`,
	console("handle SIGURG nostop noprint nopass"),
}

// session is a gdb that debugs a traced process through a server.
type session struct {
	testing.TB
	gdb     *mi.Client
	tr      *tracer
	srv     *Server
	served  chan error
	socket  string
	packets atomic.Int64 // that gdb has sent
}

// tap counts the packets that come over the connection; each is read alone.
type tap struct {
	io.ReadWriteCloser
	packets *atomic.Int64
}

func (c *tap) Read(b []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(b)
	c.packets.Add(1)
	return n, err
}

// debug traces a program and connects a prepared gdb to it; more are further
// settings.
func debug(t testing.TB, path string, more ...string) *session {
	t.Helper()
	return connected(t, trace(t, path), path, more...)
}

// connected connects a prepared gdb to a process.
func connected(t testing.TB, tr *tracer, path string, more ...string) *session {
	t.Helper()
	s := &session{TB: t, tr: tr, served: make(chan error, 1)}
	s.socket = filepath.Join(t.TempDir(), "gdb")
	listener, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s.gdb, err = mi.Start(mi.Config{
		Path: "gdb", Args: []string{"-nx", "-nh", "-q", "-iex", "set auto-load off", "--interpreter=mi3"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.gdb.Close() })
	s.all(prepare...)
	s.all(more...)
	s.all(console(fmt.Sprintf("add-symbol-file %s -o %#x", path, s.tr.bias())))
	if _, err := s.gdb.Send("-target-select extended-remote " + s.socket); err != nil {
		t.Fatal(err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	s.srv = New(&tap{conn, &s.packets}, s.tr)
	s.tr.setServer(s.srv)
	go func() { s.served <- s.srv.Serve() }()
	t.Cleanup(func() {
		conn.Close()
		err := <-s.served
		s.served <- err
		s.tr.setServer(nil)
	})
	s.next("^connected")
	return s
}

// all does commands, which must succeed.
func (s *session) all(commands ...string) {
	s.Helper()
	if _, err := s.gdb.DoAll(deadline(), commands...); err != nil {
		s.Fatal(err)
	}
}

// next waits for a record: ^CLASS, *CLASS, or ~ and a part of the text.
func (s *session) next(want string) *mi.Record {
	s.Helper()
	for {
		r, err := s.gdb.Next(deadline())
		if err != nil {
			s.Fatalf("waiting for %s: %v", want, err)
		}
		if r.Kind == mi.Result && r.Class == "error" {
			s.Fatalf("waiting for %s: %s", want, r.Raw)
		}
		if byte(r.Kind) == want[0] && (r.Class == want[1:] || r.Class == "" && strings.Contains(r.Text, want[1:])) {
			return r
		}
	}
}

// value evaluates an expression in a frame of a thread.
func (s *session) value(thread string, frame int, expression string) string {
	s.Helper()
	r, err := s.gdb.Do(fmt.Sprintf(`-data-evaluate-expression --thread %s --frame %d "%s"`, thread, frame, expression), deadline())
	if err != nil {
		s.Fatal(err)
	}
	return r.Str("value")
}

// stop waits for a stop of this reason and gives its thread and function.
func (s *session) stop(reason string) (thread, function string) {
	s.Helper()
	r := s.next("*stopped")
	if got := r.Str("reason"); got != reason {
		s.Fatalf("stopped for %q, not %q: %s", got, reason, r.Raw)
	}
	return r.Str("thread-id"), r.Str("frame", "func")
}

// begin lets the program read its line.
func (s *session) begin() {
	s.Helper()
	if _, err := io.WriteString(s.tr.stdin, "\n"); err != nil {
		s.Fatal(err)
	}
}
