package main

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/profilecollection/pct/pct/internal/path"
)

func keepCommand() command {
	return command{
		name:    "keep",
		summary: "Store the names of sampled addresses with the data",
		details: `
Stores functions, lines and inlined calls of all sampled addresses in a file
"names" of each run directory. Reports use it after a program was rebuilt or
removed, and on other machines: copy the run directories only.

The first report on a finished run does the same in the background; this command
waits until it is done. To store names again, remove the file. Files that were
rebuilt before have no names. -begun creates no files, only fills those that a
report has created; a directory can be removed meanwhile.
`,
		flags:   []string{"tree", "begun", "translator"},
		example: "/tmp/pct/gzip.4711 && scp -r /tmp/pct/gzip.4711 elsewhere:",
		run:     (*invocation).keep,
	}
}

func (v *invocation) keep() error {
	dirs := v.dirs
	if v.tree {
		all, warnings, err := new(path.Reader).Descendants(v.dirs)
		if err != nil {
			return err
		}
		v.warnAll(warnings)
		dirs = all
	}
	runs, err := path.OpenApart(dirs)
	if err != nil {
		return err
	}
	runs.Changed = v.warnOnce
	if !v.begun {
		if err := runs.BeginToKeep(); err != nil {
			return err
		}
	}
	t, end, err := v.startTranslator(true)
	if err != nil {
		return err
	}
	defer end()
	return runs.Keep(t)
}

// opened is runs, and the names on the command line that they were opened by.
type opened struct {
	names []string
	runs  *path.Runs
}

// keptBehind is how long a report waits for names that are kept behind it: those of a small
// program are there when its user can build it again.
const keptBehind = 50 * time.Millisecond

// keepBehind begins to keep names, unless all are kept, in a process of its own that outlives
// this one and gives way to all others. Where it fails the next report tries again. It makes no
// file, so that who removes the data when we have ended does not meet it.
func (v *invocation) keepBehind() {
	if v.translator != "" {
		return
	}
	var names []string
	for _, o := range v.opened {
		if o.runs.Unkept() {
			_ = o.runs.BeginToKeep() // what has no file is left out
			names = append(names, o.names...)
		}
	}
	self, err := os.Executable()
	if err != nil || len(names) == 0 {
		return
	}
	args := []string{"pct", "keep", "-begun"}
	if v.tree {
		args = append(args, "-tree")
	}
	cmd := exec.Cmd{Path: self, Args: append(append(args, "--"), names...), SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if cmd.Start() != nil {
		return
	}
	_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, 19)
	done := make(chan struct{})
	go func() {
		cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(keptBehind):
	}
}
