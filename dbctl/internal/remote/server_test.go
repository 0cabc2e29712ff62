package remote

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// table is a process that stands still and keeps what it's given.
type table struct {
	mu      sync.Mutex
	regs    Registers
	memory  [4096]byte
	resumed []int
	removed []uint64
}

const (
	tablePid  = 0x100
	tableBase = 0x1000
)

func (p *table) Pid() int                              { return tablePid }
func (p *table) Threads() []int                        { return []int{tablePid, tablePid + 1} }
func (p *table) Registers(tid int) (Registers, bool)   { return p.regs, tid == tablePid }
func (p *table) SetRegisters(_ int, r Registers) error { p.regs = r; return nil }
func (p *table) ReadMemory(b []byte, addr uint64) int {
	if addr < tableBase || addr >= tableBase+uint64(len(p.memory)) {
		return 0
	}
	return copy(b, p.memory[addr-tableBase:])
}
func (p *table) WriteMemory(b []byte, addr uint64) error {
	if addr < tableBase || addr+uint64(len(b)) > tableBase+uint64(len(p.memory)) || addr+uint64(len(b)) < addr {
		return unix.EFAULT
	}
	copy(p.memory[addr-tableBase:], b)
	return nil
}
func (p *table) Insert(addr uint64) error {
	if addr < tableBase {
		return unix.EFAULT
	}
	return nil
}
func (p *table) Remove(addr uint64) error                { p.removed = append(p.removed, addr); return nil }
func (p *table) Watch(WatchKind, uint64, uint64) error   { return nil }
func (p *table) Unwatch(WatchKind, uint64, uint64) error { return nil }
func (p *table) Halt(int)                                {}
func (p *table) CatchCalls([]int, bool)                  {}
func (p *table) Auxv() []byte                            { return bytes.Repeat([]byte("}#$*"), 5000) }
func (p *table) Siginfo(int) []byte                      { return nil }
func (p *table) Resume(tid int, _ bool, signal int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resumed = append(p.resumed, tid, signal)
}

// peer is the debugger's end of a connection, by hand.
type peer struct {
	*testing.T
	conn net.Conn
	in   *reader
}

func connect(t *testing.T, p Process) (*peer, *Server) {
	near, far := net.Pipe()
	s := New(far, p)
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		near.Close()
		if err := <-served; err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Serve: %v", err)
		}
	})
	return &peer{T: t, conn: near, in: newReader(near)}, s
}

// say sends a packet and gives the answer.
func (p *peer) say(data string) string {
	p.Helper()
	if _, err := p.conn.Write(appendPacket(nil, '$', []byte(data))); err != nil {
		p.Fatal(err)
	}
	kind, answer, err := p.in.next()
	if err != nil || kind != packet {
		p.Fatalf("%q: %v %v", data, kind, err)
	}
	return string(answer)
}

func TestPackets(t *testing.T) {
	proc := &table{}
	proc.regs.General.Rip = 0x1122334455667788
	copy(proc.memory[:], "memory")
	p, s := connect(t, proc)
	for _, c := range []struct{ say, want string }{
		{"QStartNoAckMode", "OK"},
		{"vMustReplyEmpty", ""},
		{"", ""},
		{"qSupportedX", ""},
		{"QNonStop:0", "E.non-stop is all that there is"},
		{"QNonStop:1", "OK"},
		{"?", "OK"},
		{"vCont?", "vCont;c;C;s;S;t;r"},
		{"Hgp100.100", "OK"},
		{"Hgp101.100", "E01"},
		{"H", "E01"},
		{"Tp100.101", "OK"},
		{"Tp100.102", "E01"},
		{"qC", "QCp100.100"},
		{"p10", "8877665544332211"},
		{"pffffffff", "E01"},
		{"P10=0000000000000001", "OK"},
		{"p10", "0000000000000001"},
		{"P10=00", "E01"},
		{"P10", "E01"},
		{"p18", strings.Repeat("x", 20)},
		{"m1000,6", "6d656d6f7279"},
		{"m1ff8,100", strings.Repeat("00", 8)},
		{"m0,1", "E01"},
		{"m,", "E01"},
		{"m11112222333344445,1", "E01"},
		{"M1000,2:4d45", "OK"},
		{"M1000,3:4d45", "E01"},
		{"X1002,2:M\x03", "OK"},
		{"X0,0:", "OK"},
		{"m1000,6", "4d454d037279"},
		{"Z0,1004,1", "OK"},
		{"Z0,4,1", "E01"},
		{"Z2,1004,4", "OK"},
		{"Z3,1004,4", ""},
		{"Z5,1004,1", "E01"},
		{"Z2,1008,8", "OK"},
		{"z2,1008,8", "OK"},
		{"qXfer:features:read:other.xml:0,10", "E01"},
		{"qXfer:features:read:target.xml:0,5", "m<?xml"},
		{"qXfer:features:read:target.xml:fffffff,5", "E01"},
		{"qXfer:threads:read::0,1000", `l<threads><thread id="p100.100"/><thread id="p100.101"/></threads>`},
		{"qXfer:auxv:read::4e1e,10", "l$*"},
		{"qXfer:siginfo:read::0,10", "E01"},
		{"QCatchSyscalls:1;6e;0", "OK"},
		{"QCatchSyscalls:1;x", "E01"},
		{"vCont;x", "E01"},
		{"vCont;c:p100.100", "OK"}, // it runs: nothing to resume
		{"vStopped", "OK"},
	} {
		if got := p.say(c.say); got != c.want {
			t.Errorf("%q: %q, not %q", c.say, got, c.want)
		}
	}
	// A stop is told once, and is gdb's from then on.
	s.Stopped(tablePid, Stop{Signal: int(unix.SIGUSR1)})
	_, err := p.in.in.ReadString('%')
	rest, err2 := p.in.in.ReadString('#')
	if err != nil || err2 != nil || !strings.HasPrefix(rest, "Stop:T1ethread:p100.100;0:00") {
		t.Errorf("%q %v %v", rest, err, err2)
	}
	s.Stopped(tablePid+1, Stop{Signal: int(unix.SIGSTKFLT)})
	if got := p.say("vCont;c"); got != "OK" || proc.resumed != nil {
		t.Errorf("%q %v", got, proc.resumed)
	}
	if got := p.say("vStopped"); got != "T8fthread:p100.101;" {
		t.Error(got)
	}
	if got := p.say("vStopped"); got != "OK" {
		t.Error(got)
	}
	if got := p.say("vCont;C1e:p100.100;C8f:p100.-1"); got != "OK" {
		t.Error(got)
	}
	if want := []int{tablePid, 10, tablePid + 1, 16}; !slices.Equal(proc.resumed, want) {
		t.Errorf("resumed %v, not %v", proc.resumed, want)
	}
	s.Ended(tablePid, int(unix.SIGKILL))
	if rest, _ := p.in.in.ReadString('#'); !strings.HasSuffix(rest, "%Stop:X09;process:100#") {
		t.Errorf("%q", rest)
	}
	if got := p.say("D;100"); got != "OK" {
		t.Error(got)
	}
}

// Nobody reads what the server says, and nobody who tells it of stops waits.
func TestStoppedNeverWaits(t *testing.T) {
	p, s := connect(t, &table{})
	p.say("?")
	for range 100000 {
		s.Stopped(tablePid, Stop{Signal: int(unix.SIGURG)})
		s.Stopped(tablePid+1, Stop{})
		s.Ended(tablePid+1, 0)
	}
	if n := len(s.events.queue); n > 2 {
		t.Errorf("%d events are queued", n)
	}
}

func TestSignals(t *testing.T) {
	seen := map[int]int{}
	for signal := 1; signal <= 64; signal++ {
		number := toGDB(signal)
		if signal != int(unix.SIGSTKFLT) && fromGDB(number) != signal {
			t.Errorf("%d becomes %d becomes %d", signal, number, fromGDB(number))
		}
		if other := seen[number]; other != 0 {
			t.Errorf("%d and %d become %d", signal, other, number)
		}
		seen[number] = signal
	}
	if toGDB(0) != 0 || fromGDB(0) != 0 || toGDB(65) != unknownSignal || fromGDB(200) != 0 {
		t.Error("no signal is some signal")
	}
}

// All registers survive being written as they were read.
func TestRegisters(t *testing.T) {
	l := newLayout()
	if err := xml.Unmarshal(l.description, new(struct{})); err != nil {
		t.Error(err)
	}
	in := Registers{Float: make([]byte, floatImage)}
	for i := range in.Float {
		in.Float[i] = byte(i)
	}
	in.Float[tagWord] = 0xa5
	in.General.Rsp, in.General.Gs_base, in.General.Eflags = 1, 1<<63, 0x246
	out := Registers{Float: make([]byte, floatImage)}
	for i := range l.regs {
		digits := l.append(nil, i, &in)
		if _, ok := l.set(&out, i, digits); !ok || len(digits) != 2*l.regs[i].size() {
			t.Errorf("%s: %s", l.regs[i].name, digits)
		}
		if again := l.append(nil, i, &out); !bytes.Equal(again, digits) {
			t.Errorf("%s: %s, then %s", l.regs[i].name, digits, again)
		}
	}
	if in.General != out.General {
		t.Errorf("%v\n%v", in.General, out.General)
	}
}

// stream is a peer that says what it says and doesn't listen.
type stream struct {
	io.Reader
	io.Writer
}

func (stream) Close() error { return nil }

func FuzzServe(f *testing.F) {
	for _, seed := range []string{"?", "vCont;c:p100.-1;t", "vCont;r1000,1004:p100.100", "m1000,20", "X1000,2:}\x03a", "G00", "Z0,1000,1",
		"qXfer:auxv:read::0,ffffffffffffffff", "Hgp-1.-1", "P18=00", "QCatchSyscalls:1;1;2", "vStopped", "mffffffffffffffff,ffffffffffffffff"} {
		f.Add(append([]byte("+$?#3f$vStopped#55"), appendPacket(nil, '$', []byte(seed))...), true)
		f.Add([]byte("$"+seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, frame bool) {
		if frame {
			data = append([]byte("$?#3f"), appendPacket(nil, '$', data)...)
		}
		s := New(stream{bytes.NewReader(data), io.Discard}, &table{})
		s.Stopped(tablePid, Stop{Signal: int(unix.SIGTRAP)})
		if err := s.Serve(); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			t.Error(err)
		}
	})
}
