package tracer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/proc"
)

func TestMain(m *testing.M) {
	launch.Launcher()
	os.Exit(m.Run())
}

// follow launches a program and resumes all that stops, as if nobody watched.
// It returns the events and the program's status.
func follow(t *testing.T, each func(*tracer.Tracer, tracer.Event), argv ...string) (events []tracer.Event, status unix.WaitStatus) {
	t.Helper()
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	err = tracer.Run(func(tr *tracer.Tracer) error {
		pid, err := tr.Launch(tracer.Program{Path: path, Argv: argv, Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}})
		if err != nil {
			return err
		}
		tr.Resume(pid, tracer.Onward, 0)
		for alive := map[int]bool{pid: true}; len(alive) > 0; {
			ev, err := tr.Next()
			if err != nil {
				return err
			}
			events = append(events, ev)
			if each != nil {
				each(tr, ev)
			}
			switch ev.Kind {
			case tracer.Ended:
				delete(alive, ev.Tid)
				if ev.Tid == pid {
					status = ev.Status
				}
			case tracer.Born:
				alive[ev.Tid] = true
				tr.Resume(ev.Tid, tracer.Onward, 0)
			case tracer.Trapped:
				alive[ev.Tid] = true
				tr.Resume(ev.Tid, tracer.Onward, 0)
			case tracer.Signaled:
				tr.Resume(ev.Tid, tracer.Onward, ev.Signal)
			case tracer.Grouped:
				tr.Listen(ev.Tid)
			case tracer.Rang, tracer.Alone:
			default:
				tr.Resume(ev.Tid, tracer.Onward, 0)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events, status
}

func count(events []tracer.Event, kind tracer.Kind) int {
	n := 0
	for _, ev := range events {
		if ev.Kind == kind {
			n++
		}
	}
	return n
}

func TestFollowsForksAndExecs(t *testing.T) {
	events, status := follow(t, nil, "sh", "-c", "sh -c 'true & /bin/true; wait'; (exit 3); exit 7")
	if status.ExitStatus() != 7 {
		t.Errorf("exit status %d, want 7", status.ExitStatus())
	}
	forks, ends := count(events, tracer.Forked), count(events, tracer.Ended)
	if forks != 4 || ends != 5 {
		t.Errorf("%d forks, %d ends, want 4 and 5", forks, ends)
	}
	if n := count(events, tracer.Executed); n != 2 {
		t.Errorf("%d execs, want 2: sh and /bin/true", n)
	}
}

func TestRingWakes(t *testing.T) {
	rang := 0
	_, _ = follow(t, func(tr *tracer.Tracer, ev tracer.Event) {
		switch ev.Kind {
		case tracer.Executed, tracer.Forked:
			go tr.Ring()
		case tracer.Rang:
			rang++
		}
	}, "sh", "-c", "sleep 0.2; sleep 0.2")
	if rang == 0 {
		t.Error("the bell was not heard")
	}
}

func TestLaunchTellsWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rubbish")
	if err := os.WriteFile(file, []byte("\x00\x01 no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := tracer.Run(func(tr *tracer.Tracer) error {
		_, err := tr.Launch(tracer.Program{Path: file, Argv: []string{"rubbish"}, Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}})
		return err
	})
	if err != unix.ENOEXEC {
		t.Errorf("got %v, want %v", err, unix.ENOEXEC)
	}
}

func TestDetachesWhenTheThreadEnds(t *testing.T) {
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	err := tracer.Run(func(tr *tracer.Tracer) error {
		tids, err := tr.Seize(cmd.Process.Pid)
		if err == nil && len(tids) != 1 {
			t.Errorf("threads %v", tids)
		}
		if s, _ := proc.ReadStatus(cmd.Process.Pid, cmd.Process.Pid); s.Tracer != unix.Gettid() {
			t.Errorf("its tracer is %d, not %d", s.Tracer, unix.Gettid())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := proc.ReadStatus(cmd.Process.Pid, cmd.Process.Pid); err != nil || s.Tracer != 0 {
		t.Errorf("its tracer is %d, error %v", s.Tracer, err)
	}
}
