package main

import (
	"fmt"
	"time"

	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

func psCommand() command {
	return command{
		name:    "ps",
		summary: "The process tree, with CPU time and samples of each process",
		details: `
A row is a process, with its children below it: how it came (launch, attach,
fork, vfork, clone; library: sampled by the library), its state (running, exit
0, signal SIGKILL, detached; with the library complete or killed), what was done
with it (sampled, followed, released, setuid, waiting), start, real time, CPU
time and that of its subtree in seconds. ? is unknown. DIR can also be a
directory of run directories, such as /tmp/pct.
`,
		flags:   []string{"O FILE"},
		example: "/tmp/pct/make.4711",
		run: func(v *invocation) error {
			dirs := path.Inside(v.dirs)
			if len(dirs) == 0 {
				return fmt.Errorf("%s contains no run directory", v.dirs[0])
			}
			all, warnings, err := new(path.Reader).Lineage(dirs, time.Now())
			if err != nil {
				return err
			}
			v.warnAll(warnings)
			return report.Processes(&v.out, all)
		},
	}
}
