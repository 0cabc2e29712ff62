package debugger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

func TestPoolCopies(t *testing.T) {
	p := NewPool(PoolConfig{Limit: 3})
	defer p.Close()
	ours := links(t, os.Getpid()) // that whoever started the test has handed down
	owner := map[string]int{}
	for range 3 {
		c := get(t, p)
		defer p.Put(c)
		answers(t, c)
		if sid, _ := unix.Getsid(c.Pid()); sid != c.Pid() {
			t.Errorf("debugger %d is in session %d", c.Pid(), sid)
		}
		ours[lifeLink(t, p)] = true
		for link := range links(t, c.Pid()) {
			if before := owner[link]; before != 0 && !ours[link] {
				t.Errorf("debuggers %d and %d share %s", before, c.Pid(), link)
			}
			owner[link] = c.Pid()
		}
	}
	if len(owner) < 3*4 {
		t.Errorf("too few pipes: %v", owner)
	}
	if note := p.Note(); note != "" {
		t.Error(note)
	}
}

// links returns the pipes and sockets that a process has.
func links(t *testing.T, pid int) map[string]bool {
	t.Helper()
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, fd := range fds {
		link, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		if strings.HasPrefix(link, "pipe:") || strings.HasPrefix(link, "socket:") {
			found[link] = true
		}
	}
	return found
}

// lifeLink is the link of the pipe that guards read.
func lifeLink(t *testing.T, p *Pool) string {
	t.Helper()
	var st unix.Stat_t
	conn, err := p.life.read.SyscallConn()
	if err == nil {
		conn.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("pipe:[%d]", st.Ino)
}

// A copy is no child of ours, and yet it's told how it ended; those that were
// copied with it live on.
func TestCopiesEnd(t *testing.T) {
	p := NewPool(PoolConfig{Limit: 4})
	defer p.Close()
	witness, killed, exited, closed := get(t, p), get(t, p), get(t, p), get(t, p)
	wait := watchEnd(t, closed.Pid())

	if err := unix.Kill(killed.Pid(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := died(t, killed); got != "signal SIGKILL" {
		t.Errorf("a killed one: %s", got)
	}
	file := filepath.Join(t.TempDir(), "file")
	if _, err := exited.Do(console("python f = open('"+file+"', 'w'); f.write('written')"), soon()); err != nil {
		t.Fatal(err)
	}
	if r, err := exited.Do("-gdb-exit", soon()); err != nil || r.Class != "exit" {
		t.Error(r, err)
	}
	if got := died(t, exited); got != "exit 0" {
		t.Errorf("one that exited: %s", got)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "written" {
		t.Errorf("of its file there is %q: %v", text, err)
	}
	for _, c := range []*mi.Client{killed, exited, closed} {
		p.Put(c)
		if err := unix.Kill(c.Pid(), 0); !errors.Is(err, unix.ESRCH) {
			t.Errorf("after Put debugger %d is still there: %v", c.Pid(), err)
		}
	}
	wait()

	// One that reads nothing for a long time is killed.
	busy := get(t, p)
	if _, err := busy.Send(console("shell sleep 1000")); err != nil {
		t.Fatal(err)
	}
	busy.Kill()
	if got := died(t, busy); got != "signal SIGKILL" {
		t.Errorf("a busy one: %s", got)
	}
	p.Put(busy)
	answers(t, witness)
	p.Put(witness)
}

func TestZygoteDies(t *testing.T) {
	p := NewPool(PoolConfig{Limit: 3})
	defer p.Close()
	before := get(t, p)
	zygote := p.zygote.gdb.Pid()
	wait := watchEnd(t, zygote)
	if err := unix.Kill(zygote, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait()
	after := get(t, p)
	answers(t, after)
	if note := p.Note(); !strings.Contains(note, errZygoteGone.Error()) {
		t.Errorf("note: %q", note)
	}
	answers(t, before)
	for _, c := range []*mi.Client{before, after} {
		wait := watchEnd(t, c.Pid())
		p.Put(c)
		wait()
	}
}

// At whatever instant it dies, those who want a debugger get one.
func TestZygoteDiesAtWork(t *testing.T) {
	for range 5 {
		p := NewPool(PoolConfig{Limit: 4})
		p.Put(get(t, p))
		zygote := p.zygote.gdb.Pid()
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				for range 3 {
					c, err := p.Get(&Object{Path: "/usr/bin/gdb"})
					if err != nil {
						t.Error(err)
						return
					}
					p.Put(c)
				}
			})
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // a random instant
		unix.Kill(zygote, unix.SIGKILL)
		group.Wait()
		p.Close()
	}
}

// Where gdb can't be copied it is started.
func TestNoZygote(t *testing.T) {
	for name, tt := range map[string]struct{ commands, note string }{
		"no Python": {withoutPython, "error_no_python"},
		"threads":   {"maint set worker-threads 2\n", "several threads"},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPool(PoolConfig{Path: gdbWith(t, tt.commands), Limit: 2})
			defer p.Close()
			a, b := get(t, p), get(t, p)
			answers(t, a)
			answers(t, b)
			if note := p.Note(); !strings.Contains(note, tt.note) {
				t.Errorf("note: %q", note)
			}
			p.Put(a)
			p.Put(b)
		})
	}
}
