package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/profilecollection/pct/pct/internal/path"
)

// choice is what selects and splits samples, so that it can be put back.
type choice struct {
	where    *path.Expr
	window   *path.Window
	by       string
	selected *path.Selection
}

// reselect changes what selects and splits samples, or leaves all as it was.
func (x *explorer) reselect(change func(c *choice) error) error {
	before := choice{x.where, x.window, x.By, x.selected}
	c := before
	if err := change(&c); err != nil {
		return err
	}
	var err error
	if c.where != before.where || c.window != before.window {
		if c.selected, err = x.runs.Select(c.window, c.where); err != nil {
			return err
		}
	}
	kept, refined := x.kept, x.refined
	set := func(c choice) { x.where, x.window, x.By, x.selected = c.where, c.window, c.by, c.selected }
	set(c)
	x.forget()
	if _, err = x.groups(); err != nil {
		set(before)
		x.kept, x.refined = kept, refined
		return err
	}
	x.warnAll(c.selected.Warnings)
	return nil
}

func (s *session) setWhere(arg string) error {
	if arg != "" {
		err := s.reselect(func(c *choice) (err error) {
			c.where = nil
			if arg != off {
				c.where, err = path.ParseExpr(arg)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.saySelected()
}

func (s *session) setWindow(arg string) error {
	if arg != "" {
		err := s.reselect(func(c *choice) (err error) {
			c.window = nil
			if arg != off {
				c.window, err = path.ParseWindow(arg)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.saySelected()
}

// saySelected says which samples are selected.
func (s *session) saySelected() error {
	limits := "all"
	if all := s.selected.Limits(); len(all) > 0 {
		limits = strings.Join(all, "; ")
	}
	return s.say("%d samples: %s", s.selected.Samples(), limits)
}

func (s *session) setBy(arg string) error {
	if arg != "" {
		err := s.reselect(func(c *choice) error {
			c.by = arg
			if arg == off {
				c.by = ""
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.say("by %s", cmp.Or(s.By, off))
}

// frameWord is the word for a granularity.
func frameWord(g path.Granularity) string {
	i := slices.IndexFunc(frameWords, func(word string) bool {
		of, err := path.ParseFrames(word)
		return err == nil && of == g
	})
	return frameWords[i]
}
