package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/profilecollection/pct/internal/table"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/path"
)

func tablesCommand() command {
	return command{
		name:    "tables",
		summary: "Tables that a dbctl script counts in, also while it runs",
		details: `
Prints the tables (COUNT, HIST, SUM) of the run as dbctl does at its end. They
are of all processes of the run: any of its run directories will do. Of a run
that goes on they are at most a second old.
`,
		flags:   []string{"O FILE"},
		example: "/tmp/pct/server.4711",
		run:     (*invocation).tables,
	}
}

func (v *invocation) tables() error {
	dirs := path.Inside(v.dirs)
	if len(dirs) == 0 {
		return fmt.Errorf("%s contains no run directory", v.dirs[0])
	}
	var printed []string
	for _, dir := range dirs {
		file, text, err := data.ReadTables(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) || slices.Contains(printed, file):
			continue
		case err != nil:
			return err
		}
		tables, err := table.Decode(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		tables.Print(visible.Writer(&v.out))
		printed = append(printed, file)
	}
	if len(printed) == 0 {
		return fmt.Errorf("%s has no tables: a script of dbctl counts in them (COUNT, HIST, SUM)", dirs[0])
	}
	return nil
}
