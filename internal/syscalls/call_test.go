package syscalls

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A page is memory of one piece, at an address.
type page struct {
	at    uint64
	bytes []byte
	reads int
}

func (p *page) ReadAt(b []byte, addr uint64) int {
	p.reads++
	if addr < p.at || addr >= p.at+uint64(len(p.bytes)) {
		return 0
	}
	return copy(b, p.bytes[addr-p.at:])
}

// text is the whole line of a call.
func text(c *Call) string { return string(c.Append(nil)) }

// TestPieces: what is known when, and by name.
func TestPieces(t *testing.T) {
	mem := &page{at: 4096, bytes: []byte("some/path\x00")}
	var c Call
	c.Enter(Entry{Number: unix.SYS_NEWFSTATAT, Args: [6]uint64{0xffffff9c, 4096, 5000, unix.AT_SYMLINK_NOFOLLOW}}, mem)
	if got := text(&c); got != `newfstatat(AT_FDCWD, "some/path", ` {
		t.Errorf("at the entry: %s", got)
	}
	if string(c.Path()) != `"some/path"` || c.Name() != "newfstatat" || c.Number() != unix.SYS_NEWFSTATAT || c.Args() != 4 || c.Known() {
		t.Errorf("path %s, name %s, %d arguments", c.Path(), c.Name(), c.Args())
	}
	if name, text, known := c.Arg(2); name != "statbuf" || len(text) != 0 || known {
		t.Errorf("argument 2 at the entry: %s %q %v", name, text, known)
	}
	c.Exit(-2, mem)
	if got := text(&c); got != `newfstatat(AT_FDCWD, "some/path", 0x1388, AT_SYMLINK_NOFOLLOW) = -1 ENOENT (No such file or directory)` {
		t.Error(got)
	}
	if name, text, known := c.Arg(2); name != "statbuf" || string(text) != "0x1388" || !known {
		t.Errorf("argument 2 at the exit: %s %q %v", name, text, known)
	}
	if name, _, _ := c.Arg(4); name != "" {
		t.Errorf("argument 4 is %s", name)
	}
	if c.Error() != "ENOENT" || !c.Failed() || c.Result() != -2 || !c.Known() {
		t.Errorf("error %s, result %d", c.Error(), c.Result())
	}
}

// TestEnds: calls that do not return, are restarted, are unknown, or fail with what has no name.
func TestEnds(t *testing.T) {
	var c Call
	mem := &page{}
	c.Enter(Entry{Number: unix.SYS_EXIT_GROUP, Args: [6]uint64{3}}, mem)
	c.End()
	if got := text(&c); got != "exit_group(3) = ?" {
		t.Error(got)
	}
	c.Enter(Entry{Number: unix.SYS_READ, Args: [6]uint64{3, 4096, 5}}, mem)
	c.End()
	if got := text(&c); got != "read(3,  <unfinished ...>) = ?" {
		t.Error(got)
	}
	for result, want := range map[int64]string{
		-512:  "pause() = ? ERESTARTSYS (To be restarted if SA_RESTART is set)",
		-4000: "pause() = -1 (errno 4000)",
		-4:    "pause() = -1 EINTR (Interrupted system call)",
		7:     "pause() = 7",
	} {
		c.Enter(Entry{Number: unix.SYS_PAUSE}, mem)
		c.Exit(result, mem)
		if got := text(&c); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	c.Enter(Entry{Number: 100_000, Args: [6]uint64{1, 0, 3}}, mem)
	c.Exit(-38, mem)
	if got := text(&c); got != "syscall_0x186a0(0x1, 0, 0x3, 0, 0, 0) = -1 ENOSYS (Function not implemented)" {
		t.Error(got)
	}
}

// TestLimits: how much is shown of strings and arrays.
func TestLimits(t *testing.T) {
	mem := &page{at: 4096, bytes: []byte(strings.Repeat("x", 1000))}
	for limit, want := range map[int]string{0: strings.Repeat("x", 32), 5: "xxxxx", 100: strings.Repeat("x", 100)} {
		c := Call{Bytes: limit}
		c.Enter(Entry{Number: unix.SYS_WRITE, Args: [6]uint64{1, 4096, 900}}, mem)
		c.Exit(900, mem)
		if got := text(&c); got != `write(1, "`+want+`"..., 900) = 900` {
			t.Error(got)
		}
	}
	mem.bytes = make([]byte, 1000)
	for limit, want := range map[int]string{0: strings.Repeat("0, ", 32), 1: "0, ", 3: "0, 0, 0, "} {
		c := Call{Elements: limit}
		c.Enter(Entry{Number: unix.SYS_SETGROUPS, Args: [6]uint64{100, 4096}}, mem)
		c.Exit(0, mem)
		if got := text(&c); got != "setgroups(100, ["+want+"...]) = 0" {
			t.Error(got)
		}
	}
}

// TestBounds: calls at random, of memory that says at random what is where, end within their bounds.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	mem := &page{at: 1 << 12, bytes: make([]byte, 1<<16)}
	c := Call{}
	for range 100_000 {
		for range 50 {
			mem.bytes[r.IntN(len(mem.bytes))] = byte(r.Uint32())
		}
		// Some words that are addresses of the memory itself, so that structures lead somewhere.
		for range 20 {
			at := r.IntN(len(mem.bytes)/8-1) * 8
			mem.bytes[at], mem.bytes[at+1], mem.bytes[at+2] = byte(r.Uint32()), byte(r.Uint32()), 0
			clear(mem.bytes[at+2 : at+8])
		}
		e := Entry{Number: uint64(r.IntN(len(names) + 2)), Stack: uint64(r.IntN(1 << 17))}
		for i := range e.Args {
			switch r.IntN(4) {
			case 0:
				e.Args[i] = uint64(r.IntN(100))
			case 1:
				e.Args[i] = r.Uint64()
			default:
				e.Args[i] = uint64(r.IntN(1 << 17))
			}
		}
		mem.reads = 0
		c.Enter(e, mem)
		if mem.reads > mostReads {
			t.Fatalf("%d reads at the entry of %s", mem.reads, c.Name())
		}
		mem.reads = 0
		c.Exit([]int64{0, 1, 5, 4096, int64(r.Uint64()), -2}[r.IntN(6)], mem)
		if mem.reads > mostReads {
			t.Fatalf("%d reads at the exit of %s", mem.reads, c.Name())
		}
		if n := len(c.Append(nil)); n > 8*mostText {
			t.Fatalf("%d bytes of %s", n, c.Name())
		}
	}
}

// FuzzCall: no call and no memory makes the decoder fail, or exceed its bounds.
func FuzzCall(f *testing.F) {
	f.Add(uint64(unix.SYS_SENDMSG), uint64(3), uint64(4096), uint64(0), int64(5), bytes.Repeat([]byte{0, 0x10, 0, 0, 0, 0, 0, 0}, 20))
	f.Add(uint64(unix.SYS_GETDENTS64), uint64(3), uint64(4096), uint64(64), int64(64), bytes.Repeat([]byte{24, 0}, 32))
	f.Add(uint64(unix.SYS_EXECVE), uint64(4104), uint64(4096), uint64(4096), int64(0), []byte("\x00\x10\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, number, a, b, c uint64, result int64, memory []byte) {
		mem := &page{at: 4096, bytes: memory}
		var call Call
		call.Enter(Entry{Number: number, Args: [6]uint64{a, b, c, a, b, c}, Stack: c}, mem)
		call.Exit(result, mem)
		if mem.reads > 2*mostReads {
			t.Errorf("%d reads for %s", mem.reads, call.Name())
		}
		if n := len(call.Append(nil)); n > 8*mostText {
			t.Errorf("%d bytes of %s", n, call.Name())
		}
	})
}

// TestAllocations: a call takes none, once the buffers have grown.
func TestAllocations(t *testing.T) {
	mem := &page{at: 4096, bytes: []byte("a/file\x00" + strings.Repeat("y", 4000))}
	var c Call
	var line []byte
	for _, e := range []Entry{
		{Number: unix.SYS_OPENAT, Args: [6]uint64{0xffffff9c, 4096, unix.O_RDWR | unix.O_CREAT, 0o644}},
		{Number: unix.SYS_READ, Args: [6]uint64{3, 4200, 100}},
		{Number: unix.SYS_NEWFSTATAT, Args: [6]uint64{3, 4096, 4200}},
		{Number: unix.SYS_MMAP, Args: [6]uint64{0, 4096, 3, 0x22, ^uint64(0)}},
		{Number: unix.SYS_WRITEV, Args: [6]uint64{3, 4104, 3}},
		{Number: unix.SYS_CONNECT, Args: [6]uint64{3, 4104, 16}},
		{Number: unix.SYS_RT_SIGACTION, Args: [6]uint64{3, 4104, 0, 8}},
		{Number: unix.SYS_POLL, Args: [6]uint64{4104, 2, 100}},
	} {
		once := func() {
			c.Enter(e, mem)
			c.Exit(1, mem)
			line = c.Append(line[:0])
		}
		once()
		if n := testing.AllocsPerRun(100, once); n != 0 {
			t.Errorf("%v allocations for %s", n, line)
		}
	}
}

// BenchmarkCall is the decoding of a common call at both ends.
func BenchmarkCall(b *testing.B) {
	mem := &page{at: 4096, bytes: []byte("a/file/of/a/usual/length\x00")}
	var c Call
	var line []byte
	for b.Loop() {
		c.Enter(Entry{Number: unix.SYS_OPENAT, Args: [6]uint64{0xffffff9c, 4096, unix.O_RDWR | unix.O_CREAT, 0o644}}, mem)
		c.Exit(3, mem)
		line = c.Append(line[:0])
	}
}
