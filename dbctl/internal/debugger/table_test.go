package debugger

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// Connect reaches a server, whatever its socket is called.
func TestConnect(t *testing.T) {
	p := NewPool(PoolConfig{Limit: 1})
	defer p.Close()
	c := get(t, p)
	defer p.Put(c)
	socket := filepath.Join(t.TempDir(), `a "socket" \of ours`)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if _, err := c.Send(p.table.Connect(socket)...); err != nil {
		t.Fatal(err)
	}
	listener.(*net.UnixListener).SetDeadline(soon())
	conn, err := listener.Accept()
	if err != nil {
		r, _ := c.Next(soon())
		t.Fatal(err, r)
	}
	conn.Close()
}

// A command that watches for writes is known by all its names.
func TestWatches(t *testing.T) {
	for command, want := range map[string]bool{
		"watch x": true, " wa -l x": true, "-break-watch x": true, "watched": false, "print watch": false, "rwatch x": false, "w": false,
	} {
		if got := GDB().Watches(command); got != want {
			t.Errorf("%s: %v, want %v", command, got, want)
		}
	}
}

// A command that only debug registers can serve is known by all its names.
func TestHardware(t *testing.T) {
	for command, want := range map[string]string{
		"hbreak f": "break", "hb f": "break", " hbrea *0x10": "break", "-break-insert -t -h f": "break",
		"thbreak f": "tbreak", "thb f": "tbreak",
		"rwatch x": "watch", "rw x": "watch", "awatch -l x": "watch", "aw x": "watch", "-break-watch -a x": "watch", "-break-watch -r x": "watch",
		"break h": "", "tbreak f": "", "watch x": "", "-break-watch x": "", "-break-insert f": "", "handle SIGUSR1 stop": "", "print rw": "", "awatched": "",
	} {
		instead, _, _ := strings.Cut(GDB().Hardware(command), ",")
		if instead != want {
			t.Errorf("%s: use %q, want %q", command, instead, want)
		}
	}
}
