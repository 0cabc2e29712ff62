package debugger

import (
	"net"
	"path/filepath"
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
