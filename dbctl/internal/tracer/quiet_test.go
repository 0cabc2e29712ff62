package tracer_test

import (
	"fmt"
	"os"
	"os/signal"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// TestQuiet: each stop is an event, though no SIGCHLD tells of it. That of the end comes as ever.
func TestQuiet(t *testing.T) {
	const stops = 3000
	children := make(chan os.Signal, 2*stops)
	signal.Notify(children, unix.SIGCHLD)
	defer signal.Stop(children)
	events, status := follow(t, nil, "/bin/sh", "-c", fmt.Sprintf("i=%d; while [ $i -gt 0 ]; do kill -WINCH $$; i=$((i-1)); done; exit 7", stops))
	if n := count(events, tracer.Signaled); n != stops || status.ExitStatus() != 7 {
		t.Errorf("%d of %d stops, exit status %d", n, stops, status.ExitStatus())
	}
	select {
	case <-children: // which the runtime passes on when it comes to it
	case <-time.After(time.Minute):
		t.Error("no SIGCHLD tells of the end")
	}
	// The program, and the processes that Run uses.
	if n := len(children); n > 10 {
		t.Errorf("%d more SIGCHLDs", n)
	}
}
