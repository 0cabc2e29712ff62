package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/pct/internal/path"
)

// open opens run directories: of those that measured several resources, the runs of
// the one that was asked for.
func (v *invocation) open(dirs []string) (*path.Runs, error) {
	runs, err := path.OpenResource(dirs, v.explore.resource)
	if err == nil {
		if v.members {
			runs.ShowMembers()
		}
		v.opened = append(v.opened, opened{v.dirs, runs})
	}
	return runs, v.choices(err)
}

// choices adds to an error about several resources how to choose among them.
func (v *invocation) choices(err error) error {
	var mixed *path.MixedResources
	if errors.As(err, &mixed) && len(mixed.All) > 1 && slices.Contains(v.command.flags, "r RESOURCE") {
		choices := make([]string, len(mixed.All))
		for i, name := range mixed.All {
			choices[i] = "-r " + name
		}
		return fmt.Errorf("%w; choose with %s", err, strings.Join(choices, " or "))
	}
	return err
}
