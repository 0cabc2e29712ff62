package remote

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkTick measures what gdb adds to a sample: from Stopped, to the line
// that the silent catchpoint prints, to what a script asks, to Resume. The
// process itself does nothing meanwhile. Packets are those that gdb sends; the
// processor time is gdb's alone.
func BenchmarkTick(b *testing.B) {
	for _, c := range []struct {
		name     string
		commands []string
	}{
		{"continue", nil},
		{"evaluate", []string{"-data-evaluate-expression --thread 1 --frame 0 n"}},
		{"caller", []string{"-data-evaluate-expression --thread 1 --frame 1 n"}},
		{"selected", []string{"-thread-select 1", console("select-frame address CFA"), "-data-evaluate-expression n"}},
		{"thread option", []string{`-interpreter-exec --thread 1 console "select-frame address CFA"`, "-data-evaluate-expression n"}},
		{"frames", []string{"-stack-list-frames --thread 1"}},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkTick(b, c.commands) })
	}
}

func benchmarkTick(b *testing.B, commands []string) {
	s := debug(b, build(b, "single"), "-gdb-set dcache line-size 256")
	s.all("-break-insert -t leaf", "-exec-continue --all")
	s.begin()
	s.stop("breakpoint-hit")
	cfa := s.value("1", 1, "(long)$rbp + 16")
	commands = slices.Clone(commands)
	for i := range commands {
		commands[i] = strings.ReplaceAll(commands[i], "CFA", cfa)
	}
	resumed := make(chan int, 1)
	s.tr.mu.Lock()
	s.tr.silent = true
	s.tr.resumed = func(tid int) { resumed <- tid }
	s.tr.mu.Unlock()
	s.all("-exec-continue --all")
	tid := <-resumed
	s.packets.Store(0)
	before := cpu(b, s.gdb.Pid())
	b.ResetTimer()
	for range b.N {
		s.srv.Stopped(tid, Stop{Signal: int(unix.SIGURG)})
		s.next("~\atick ")
		if len(commands) > 0 {
			s.all(commands...)
		}
		if _, err := s.gdb.Send("-exec-continue --thread 1"); err != nil {
			b.Fatal(err)
		}
		<-resumed
	}
	b.StopTimer()
	b.ReportMetric((cpu(b, s.gdb.Pid())-before)/1000/float64(b.N), "gdb-µs/op")
	b.ReportMetric(float64(s.packets.Load())/float64(b.N), "packets/op")
}

// cpu is the processor time of a process, in nanoseconds.
func cpu(t testing.TB, pid int) (ns float64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err == nil {
		_, err = fmt.Sscan(string(text), &ns)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ns
}
