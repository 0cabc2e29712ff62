package debugger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// soon is a deadline for what takes milliseconds on an idle machine.
func soon() time.Time { return time.Now().Add(time.Minute) }

// get fails the test if there is no debugger.
func get(t *testing.T, p *Pool, objects ...*Object) *mi.Client {
	t.Helper()
	c, err := p.Get(objects...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answers fails the test if the debugger isn't prepared.
func answers(t *testing.T, c *mi.Client) {
	t.Helper()
	for command, want := range map[string]string{
		`-data-evaluate-expression "6*7"`: "42",
		"-gdb-show non-stop":              "on",
		"-gdb-show logging enabled":       "on",
		"-gdb-show sysroot":               "/nonexistent",
	} {
		r, err := c.Do(command, soon())
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Str("value"); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	r, err := c.Do("-break-list", soon())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Results.Get("BreakpointTable", "body").Items); n != 1 {
		t.Errorf("%d catchpoints, want 1", n)
	}
}

// died waits for the debugger's end and returns how it was.
func died(t *testing.T, c *mi.Client) string {
	t.Helper()
	for {
		_, err := c.Next(soon())
		var d *mi.Died
		if errors.As(err, &d) {
			return d.Status
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// watchEnd returns a function that waits for a process to end.
func watchEnd(t *testing.T, pid int) (wait func()) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return func() {
		t.Helper()
		for deadline := soon(); ; {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(time.Until(deadline).Milliseconds()))
			switch {
			case n == 1:
				return
			case err == nil:
				t.Fatalf("process %d has not ended", pid)
			}
		}
	}
}

// gdbWith is a gdb that runs some commands of its own last, before it reads any.
func gdbWith(t *testing.T, commands string) (path string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	path = filepath.Join(dir, "gdb")
	for name, text := range map[string]string{
		script: commands,
		path:   fmt.Sprintf("#!/bin/sh\nexec gdb \"$@\" -iex 'source %s'\n", script),
	} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// withoutPython has each command python fail, as in a gdb built without it.
const withoutPython = "define python\nerror_no_python\nend\n"

// Objects are read once, and each copy has those of its process alone, where
// they are in that process.
func TestGetObjects(t *testing.T) {
	const libc, gdb = "/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/gdb"
	for name, path := range map[string]string{"copied": "gdb", "started": gdbWith(t, withoutPython)} {
		t.Run(name, func(t *testing.T) {
			p := NewPool(PoolConfig{Path: path, Limit: 2})
			defer p.Close()
			other := get(t, p, &Object{Path: gdb, Bias: 1 << 32})
			defer p.Put(other)
			var before uint64
			for i, bias := range []uint64{1 << 32, 5 << 32} {
				none := &Object{Path: "/nonexistent/object"}
				c := get(t, p, &Object{Path: libc, Bias: bias}, none)
				if none.Err == nil || !strings.Contains(none.Err.Error(), "No such file") {
					t.Errorf("of what isn't there: %v", none.Err)
				}
				r, err := c.Do(`-data-evaluate-expression "(unsigned long long)&puts"`, soon())
				if err != nil {
					t.Fatal(err)
				}
				at, err := strconv.ParseUint(r.Str("value"), 10, 64)
				if err != nil || at < bias || i > 0 && at-before != bias-1<<32 {
					t.Errorf("puts is at %x, with bias %x; before, at %x", at, bias, before)
				}
				before = at
				if r, err = c.Do("-break-insert -d puts", soon()); err != nil || r.Str("bkpt", "addr") == "<MULTIPLE>" {
					t.Errorf("%s %v", r.Raw, err)
				}
				if r, err = c.Do("-list-thread-groups", soon()); err != nil || len(r.Results.Get("groups").Items) != 1 {
					t.Errorf("%s %v", r.Raw, err)
				}
				if _, err = c.Do(`-data-evaluate-expression "(long)&gdb_init"`, soon()); err == nil {
					t.Error("it knows another's object")
				}
				p.Put(c)
			}
			if name == "copied" && (p.Note() != "" || len(p.zygote.read) != 3) {
				t.Error(p.Note(), p.zygote.read)
			}
		})
	}
}

func TestPoolLimit(t *testing.T) {
	p := NewPool(PoolConfig{Limit: 1})
	defer p.Close()
	c := get(t, p)
	if _, err := p.Get(); !errors.Is(err, ErrBusy) {
		t.Fatalf("one too many: %v", err)
	}
	p.Put(c)
	c = get(t, p)
	p.Close()
	if _, err := p.Get(); !errors.Is(err, ErrPoolClosed) {
		t.Fatalf("after Close: %v", err)
	}
	died(t, c)
	p.Put(c)
	if p := NewPool(PoolConfig{}); p.Limit() < minLimit || p.Limit() > maxLimit {
		t.Errorf("the limit is %d", p.Limit())
	}
}

func TestNoDebugger(t *testing.T) {
	for path, want := range map[string]string{
		"/nonexistent/gdb": "apt-get install gdb",
		"/bin/cat":         "/bin/cat cannot be used as debugger",
	} {
		p := NewPool(PoolConfig{Path: path})
		defer p.Close()
		if _, err := p.Get(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestPoolConcurrent(t *testing.T) {
	lines := map[bool]int{}
	p := NewPool(PoolConfig{Limit: 3, Tap: func(toDebugger bool, line []byte) { lines[toDebugger]++ }})
	defer p.Close()
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			for given := 0; given < 4; {
				c, err := p.Get()
				if errors.Is(err, ErrBusy) {
					time.Sleep(time.Millisecond)
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				given++
				if r, err := c.Do(`-data-evaluate-expression "6*7"`, soon()); err != nil || r.Str("value") != "42" {
					t.Error(r, err)
				}
				p.Put(c)
			}
		})
	}
	group.Wait()
	if note := p.Note(); note != "" {
		t.Error(note)
	}
	zygote := p.zygote.gdb.Pid()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", zygote))
	if err != nil || len(children) != 0 {
		t.Errorf("children left: %s %v", children, err)
	}
	wait := watchEnd(t, zygote)
	p.Close()
	wait()
	if lines[true] < 20*4 || lines[false] < 20*5 {
		t.Errorf("the tap saw %v lines", lines)
	}
}

func TestLimitFor(t *testing.T) {
	for _, tt := range []struct {
		meminfo     string
		descriptors uint64
		want        int
	}{
		{"MemTotal: 9 kB\nMemAvailable:    4194304 kB\n", 20000, 64},
		{"MemAvailable: 4194304 kB\n", 1024, 51},
		{"MemAvailable: 104857600 kB\n", 1 << 20, maxLimit},
		{"MemAvailable: 1024 kB\n", 1 << 20, minLimit},
		{"MemAvailable: 104857600 kB\n", 16, minLimit},
		{"MemFree: 104857600 kB\n", unix.RLIM_INFINITY, minLimit},
		{"MemAvailable: 99999999999999999999 kB\n", unix.RLIM_INFINITY, maxLimit},
		{"", 1024, minLimit},
	} {
		if got := limitFor(memAvailable([]byte(tt.meminfo)), tt.descriptors, GDB().Memory); got != tt.want {
			t.Errorf("%q, %d descriptors: %d, want %d", tt.meminfo, tt.descriptors, got, tt.want)
		}
	}
}
