package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/profilecollection/pct/internal/visible"
)

// maxHistory is how many lines are brought back; the file may have twice as many.
const maxHistory = 1000

// A history is the lines that were typed, in this session and in earlier ones. It is a
// term.History.
type history struct {
	file  string // "" it is not kept
	lines []string
	warn  func(format string, args ...any)
}

// historyFile returns where the lines are kept, "" if nowhere.
func historyFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "pct", "history")
}

// openHistory reads the lines of earlier sessions.
func openHistory(file string, warn func(format string, args ...any)) *history {
	h := &history{file: file, warn: warn}
	if file == "" {
		return h
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.forget(err)
		return h
	}
	for line := range strings.Lines(string(text)) {
		if line = visible.Text(strings.TrimSuffix(line, "\n")); line != "" {
			h.lines = append(h.lines, line)
		}
	}
	if len(h.lines) > 2*maxHistory {
		h.lines = h.lines[len(h.lines)-maxHistory:]
		if err := h.rewrite(); err != nil {
			h.forget(err)
		}
	}
	h.lines = h.lines[max(0, len(h.lines)-maxHistory):]
	return h
}

// forget keeps no more lines, and says why.
func (h *history) forget(err error) {
	h.warn("the history is not kept: %v", err)
	h.file = ""
}

// rewrite replaces the file by the lines, in one step.
func (h *history) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.file), "history") // its mode is 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(h.lines, "\n") + "\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), h.file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Add keeps a line at once, so that no end of the program loses it.
func (h *history) Add(line string) {
	line = visible.Text(strings.TrimSpace(line))
	if line == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if len(h.lines) > maxHistory {
		h.lines = h.lines[1:]
	}
	if h.file == "" {
		return
	}
	if err := appendLine(h.file, line); err != nil {
		h.forget(err)
	}
}

func appendLine(file, line string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// Len and At are of term.History: line 0 is the last one.
func (h *history) Len() int        { return len(h.lines) }
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }
