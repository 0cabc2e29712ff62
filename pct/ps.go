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
		summary: "The process tree: how each process came and ended, its CPU time and samples",
		details: `
Each line is a process, its children below it: how it came (launch, attach, fork,
vfork, clone; library: it samples itself), its state (running, exit 0, signal SIGKILL,
detached; of the library complete, killed), what was done with it (sampled, followed,
released, setuid, waiting), when it started and how long it ran, its CPU time and that
of its whole subtree, in seconds. A ? is unknown.
DIR is also a directory of run directories, such as /tmp/pct.
`,
		flags:   []string{"O FILE"},
		example: "/tmp/pct/make.4711",
		run: func(v *invocation) error {
			dirs := path.Inside(v.dirs)
			if len(dirs) == 0 {
				return fmt.Errorf("%s: no run directory is there", v.dirs[0])
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
