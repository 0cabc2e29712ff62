package remote

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// viewer is an lldb's end of a connection, by hand.
func viewer(t *testing.T, p Process) (*peer, *Server) {
	near, far := net.Pipe()
	s := NewView(far, p, tablePid)
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		near.Close()
		if err := <-served; !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Serve returned %v", err)
		}
	})
	d := &peer{T: t, conn: near, in: newReader(near)}
	d.ask("QStartNoAckMode", "OK")
	return d, s
}

// ask sends a packet and compares the answer.
func (p *peer) ask(packet, want string) {
	p.Helper()
	if got := p.say(packet); got != want {
		p.Errorf("%s: %q, want %q", packet, got, want)
	}
}

// begins compares the beginning of the answer.
func (p *peer) begins(packet, want string) {
	p.Helper()
	if got := p.say(packet); !strings.HasPrefix(got, want) {
		p.Errorf("%s: %q, want %s…", packet, got, want)
	}
}

// send sends a packet whose answer comes later.
func (p *peer) send(data string) {
	p.Helper()
	if _, err := p.conn.Write(appendPacket(nil, '$', []byte(data))); err != nil {
		p.Fatal(err)
	}
}

// answer compares the beginning of one that comes now.
func (p *peer) answer(want string) {
	p.Helper()
	kind, got, err := p.in.next()
	if err != nil || kind != packet || !strings.HasPrefix(string(got), want) {
		p.Errorf("%v %q %v, want %s…", kind, got, err, want)
	}
}

// lldb is told of one thread at a time, and resumes that one alone.
func TestView(t *testing.T) {
	p := &table{}
	d, s := viewer(t, p)
	d.begins("?", "T05thread:100;threads:100;")
	d.ask("qfThreadInfo", "m100")
	d.ask("qsThreadInfo", "l")
	d.ask("qC", "QC100")
	d.ask("T100", "OK")
	d.ask("T101", "E01")

	// To look at another one it resumes the process, and nothing runs.
	s.Look(tablePid + 1)
	d.begins("vCont;c:100", "T05thread:101;threads:101;")
	d.ask("qfThreadInfo", "m101")
	s.Look(tablePid)
	d.begins("c", "T05thread:100;threads:100;")
	if len(p.resumed) != 0 {
		t.Fatalf("resumed: %v", p.resumed)
	}

	// Nor does the thread when it stands where it stood.
	d.ask("c", "E01")
	d.ask("s", "E01")

	// It runs when lldb has it begin a call, without a signal. What others do is not told.
	d.ask("P10=0000000000000001", "OK")
	d.send("vCont;C05:100")
	d.ask("qsThreadInfo", "l") // it was served
	p.mu.Lock()
	if !slices.Equal(p.resumed, []int{tablePid, 0}) {
		t.Errorf("resumed: %v", p.resumed)
	}
	p.mu.Unlock()
	s.Ended(tablePid+1, 0)
	d.ask("qC", "QC100")
	s.Stopped(tablePid, Stop{Signal: int(unix.SIGSEGV)})
	d.answer("T0bthread:100;threads:100;")

	// A stop that nobody waits for is not told.
	s.Stopped(tablePid, Stop{Signal: int(unix.SIGTRAP)})
	d.send("s")
	d.ask("qC", "QC100")
	s.Ended(tablePid, 0)
	d.answer("X09")
}

// What it has resumed it can stop.
func TestViewHalts(t *testing.T) {
	p := &halted{table: &table{}, tids: make(chan int, 1)}
	d, s := viewer(t, p)
	d.begins("?", "T05")
	d.ask("P7=0000000000000001", "OK")
	d.send("c")
	d.ask("qC", "QC100")
	if _, err := d.conn.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if tid := <-p.tids; tid != tablePid {
		t.Errorf("halted: %d", tid)
	}
	s.Stopped(tablePid, Stop{})
	d.answer("T02thread:100;threads:100;")
}

// halted is a process that tells which threads are to stop.
type halted struct {
	*table
	tids chan int
}

func (p *halted) Halt(tid int) { p.tids <- tid }
