package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/matrix"
)

// patience is the longest time that one run may take.
const patience = 2 * time.Minute

// mode chooses a mode that uses the installed library; attaching says whether it must be one for -p.
func mode(r *rand.Rand, attaching bool) matrix.Mode {
	all := slices.DeleteFunc(matrix.Modes(), func(m matrix.Mode) bool {
		return m.Checked || attaching && !m.Attaches || m.Name == "expr" || m.Name == "real-clock"
	})
	return all[r.IntN(len(all))]
}

// to runs a command and waits for its end.
func to(ctx context.Context, dir string, args ...string) (matrix.End, string, error) {
	run, err := matrix.Start(ctx, patience, dir, args...)
	if err != nil {
		return matrix.End{}, "", err
	}
	return run.Wait()
}

// differs compares what a profiled program did with what it does by itself.
func differs(m matrix.Mode, got, bare matrix.End, said string) error {
	if got == bare {
		return nil
	}
	return fmt.Errorf("%s: profiled: %v(profile said: %s)\nbare: %v", m.Name, got, said, bare)
}

// trees runs a tree of processes and threads, which send themselves signals.
func trees(s *soaking, ctx context.Context, dir string, r *rand.Rand) error {
	program := []string{filepath.Join(s.programs, "family"), strconv.Itoa(r.IntN(1 << 30))}
	bare, _, err := to(ctx, dir, program...)
	if err != nil {
		return err
	}
	m := mode(r, false)
	got, said, err := to(ctx, dir, m.Command(s.bin, program...)...)
	return errors.Join(err, differs(m, got, bare, said), s.readable(ctx, filepath.Join(dir, "pct")))
}

// members are the processes of a group, without some of them.
func members(group int, but ...string) (pids []int) {
	for _, pid := range proc.All() {
		if s, err := proc.ReadStat(pid); err == nil && s.Group == group && s.State != 'Z' && !slices.Contains(but, s.Name) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// running says whether a process of this name is in a group.
func running(group int, name string) bool {
	for _, pid := range members(group) {
		if s, err := proc.ReadStat(pid); err == nil && s.Name == name {
			return true
		}
	}
	return false
}

// kills kills a process of profile at a random instant. The target is not one of them and must end as usual.
func kills(s *soaking, ctx context.Context, dir string, r *rand.Rand) error {
	m := mode(r, false)
	run, err := matrix.Start(ctx, patience, dir, m.Command(s.bin, filepath.Join(s.programs, "steady"), "0.4")...)
	if err != nil {
		return err
	}
	after := rand.N(700 * time.Millisecond)
	if r.IntN(3) == 0 {
		after = rand.N(100 * time.Millisecond) // while it begins
	}
	time.Sleep(after)
	all := r.IntN(4) == 0
	var killed []string
	parts := members(run.PID, "steady", "pct-launch")
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for i, pid := range parts {
		if i > 0 && !all {
			break
		}
		stat, _ := proc.ReadStat(pid)
		// A process that is about to execute the target counts as the target.
		if args := proc.Args(pid); len(args) > 0 && strings.HasPrefix(args[0], s.programs) {
			continue
		}
		if unix.Kill(pid, unix.SIGKILL) == nil {
			killed = append(killed, stat.Name)
		}
	}
	what := fmt.Sprintf("%s, killed %q after %v", m.Name, killed, after)
	e, said, err := run.Wait()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	// profile may have been killed before the target began; a target that began ends well.
	if strings.Contains(e.Out, "ready\n") && !strings.Contains(e.Out, "right\n") {
		return fmt.Errorf("%s: %v(profile said: %s)", what, e, said)
	}
	if err := s.readable(ctx, filepath.Join(dir, "pct")); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// attach attaches to a process again and again, and is killed now and then.
func attach(s *soaking, ctx context.Context, dir string, r *rand.Rand) error {
	target, err := matrix.Start(ctx, patience, dir, filepath.Join(s.programs, "steady"), "2")
	if err != nil {
		return err
	}
	var wrong []error
	var did []string
	for n := 0; n < 4; n++ {
		m := mode(r, true)
		args := append(m.Args, "-t", "0.2", "-p", strconv.Itoa(target.PID))
		run, err := matrix.Start(ctx, patience, dir, matrix.Mode{Args: args}.Command(s.bin)...)
		if err != nil {
			return err
		}
		did = append(did, m.Name)
		if r.IntN(3) == 0 {
			time.Sleep(rand.N(300 * time.Millisecond))
			for _, pid := range members(run.PID) {
				unix.Kill(pid, unix.SIGKILL)
			}
			did = append(did, "killed")
		}
		if _, _, err := run.Wait(); err != nil {
			wrong = append(wrong, err)
		}
	}
	e, _, err := target.Wait()
	if want := (matrix.End{Out: "ready\nright\n", Status: 7}); err != nil || e != want {
		wrong = append(wrong, fmt.Errorf("the target: %v, %w", e, err))
	}
	wrong = append(wrong, s.readable(ctx, filepath.Join(dir, "pct")))
	if err := errors.Join(wrong...); err != nil {
		return fmt.Errorf("%q: %w", did, err)
	}
	return nil
}

// disk stores data on a file system with little room.
func disk(s *soaking, ctx context.Context, dir string, r *rand.Rand) error {
	data := filepath.Join(dir, "pct")
	if err := os.Mkdir(data, 0o1777); err != nil {
		return err
	}
	size := 1 << (12 + r.IntN(9))
	if err := unix.Mount("tmpfs", data, "tmpfs", 0, fmt.Sprintf("mode=1777,size=%d", size)); err != nil {
		return fmt.Errorf("a small file system, which takes root: %w", err)
	}
	defer unix.Unmount(data, unix.MNT_DETACH)
	m := mode(r, false)
	got, said, err := to(ctx, dir, m.Command(s.bin, filepath.Join(s.programs, "steady"), "0.3")...)
	if err == nil && got.Out != "ready\nright\n" {
		err = fmt.Errorf("%s: %v(profile said: %s)", m.Name, got, said)
	}
	if err != nil {
		return fmt.Errorf("%s, %d bytes: %w", m.Name, size, err)
	}
	// There may have been no room for any data.
	if err := s.readable(ctx, data); err != nil && !strings.Contains(err.Error(), "is not a run directory") && !strings.Contains(err.Error(), "has no data") {
		return fmt.Errorf("%s, %d bytes: %w", m.Name, size, err)
	}
	return nil
}

// renames changes the data directory while a run goes on: entries are renamed, removed, and replaced by links to a
// directory that must stay as it is.
func renames(s *soaking, ctx context.Context, dir string, r *rand.Rand) error {
	data, other := filepath.Join(dir, "pct"), filepath.Join(dir, "other")
	if err := errors.Join(os.Mkdir(data, 0o1777), os.Mkdir(other, 0o755), os.WriteFile(filepath.Join(other, "kept"), []byte("kept\n"), 0o644)); err != nil {
		return err
	}
	m := mode(r, false)
	run, err := matrix.Start(ctx, patience, dir, m.Command(s.bin, filepath.Join(s.programs, "steady"), "0.4")...)
	if err != nil {
		return err
	}
	// Earlier, profile tests whether it can write to the directory, and follows links there.
	for deadline := time.Now().Add(patience); !running(run.PID, "steady") && running(run.PID, "profile") && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	over := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-over:
				return
			default:
			}
			harm(data, other, n, r)
			time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
		}
	}()
	e, said, err := run.Wait()
	close(over)
	<-stopped
	// profile may refuse the directory before it runs the program.
	if refused := e.Out == "" && strings.Contains(said, "cannot write data to"); err == nil && e.Out != "ready\nright\n" && !refused {
		err = fmt.Errorf("%v(profile said: %s)", e, said)
	}
	if strings.Contains(e.Err+said, "panic:") {
		err = errors.Join(err, fmt.Errorf("%v%s", e, said))
	}
	kept, _ := filepath.Glob(filepath.Join(other, "*"))
	text, _ := os.ReadFile(filepath.Join(other, "kept"))
	if hidden, _ := filepath.Glob(filepath.Join(other, ".*")); len(kept) != 1 || len(hidden) != 0 || string(text) != "kept\n" {
		err = errors.Join(err, fmt.Errorf("what a link led to was changed: %q %q", kept, hidden))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	return nil
}

// harm changes one entry below a directory.
func harm(dir, other string, n int, r *rand.Rand) {
	entries, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, e := range entries {
		if st, err := os.Lstat(e); err == nil && st.IsDir() {
			inner, _ := filepath.Glob(filepath.Join(e, "*"))
			entries = append(entries, inner...)
		}
	}
	if len(entries) == 0 {
		return
	}
	victim := entries[r.IntN(len(entries))]
	aside := filepath.Join(dir, fmt.Sprint(".aside", n))
	switch r.IntN(4) {
	case 0:
		os.RemoveAll(victim)
	case 1:
		os.Rename(victim, aside)
	case 2:
		os.Rename(victim, aside)
		os.Symlink(other, victim)
	case 3:
		os.Rename(victim, aside)
		os.Symlink(filepath.Join(other, "kept"), victim)
	}
}

// readable asks pct for a report of each run directory. pct must report, or say in a sentence that there is no data.
func (s *soaking) readable(ctx context.Context, data string) error {
	dirs, err := filepath.Glob(filepath.Join(data, "*"))
	if err != nil {
		return err
	}
	var wrong []error
	for _, dir := range dirs {
		out, err := exec.CommandContext(ctx, filepath.Join(s.bin, "pct"), "info", dir).CombinedOutput()
		if err != nil {
			files, _ := filepath.Glob(filepath.Join(dir, "*"))
			wrong = append(wrong, fmt.Errorf("pct info: %w: %s(it has %q)", err, out, files))
		}
	}
	return errors.Join(wrong...)
}
