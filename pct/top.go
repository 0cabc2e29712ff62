package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

func topCommand() command {
	return command{
		name:    "top",
		summary: "Where the time goes, refreshed while the programs run",
		details: `
On a terminal the display is refreshed each second, until q or ^C; elsewhere one
frame is printed. The columns are the shares of each function, self and total.
DIR can also be a directory of run directories, such as /tmp/pct, or a quoted
pattern; new runs are included. So are descendants of the processes of DIR.
-window -5, shows the last five seconds.
`,
		flags:   []string{"g GRANULARITY", "past-main", "templates", "by FIELD", "i PAUSE", "n FRAMES", "window", "where", "r RESOURCE", "translator"},
		example: "-window -5, /tmp/pct",
		run: func(v *invocation) error {
			client, err := startTranslator(v.translator)
			if err != nil {
				return err
			}
			defer client.Close()
			if v.pause == 0 {
				v.pause = time.Second
			}
			w := &watch{invocation: v, translator: newMemory(client)}
			out, ok := v.stdout.(*os.File)
			if ok && term.IsTerminal(int(out.Fd())) {
				return w.onScreen(out)
			}
			return w.print()
		},
	}
}

// plainRows is the number of rows of a frame that goes to no terminal.
const plainRows = 30

// watch makes frames, one after another.
type watch struct {
	*invocation
	reader     path.Reader
	translator path.Translator
	before     report.Pulse // of the last frame
}

// print writes frames as text.
func (w *watch) print() error {
	for frame := 1; ; frame++ {
		text, err := w.frame(time.Now(), plainRows)
		if err != nil {
			return err
		}
		if _, err := w.stdout.Write(text); err != nil {
			return err
		}
		if frame >= w.frames {
			return nil
		}
		time.Sleep(w.pause)
	}
}

// frame is the text of one frame, of at most so many rows.
func (w *watch) frame(now time.Time, rows int) ([]byte, error) {
	pulse := report.Pulse{Time: now}
	var hot []path.HotRow
	var weight uint64
	named := path.Inside(w.dirs)
	all, _, err := w.reader.Lineage(named, now)
	var dirs []string
	if err == nil {
		dirs, _, err = w.reader.Descendants(named)
	}
	var runs *path.Runs
	if err == nil && len(dirs) > 0 {
		runs, err = w.reader.OpenResource(dirs, w.explore.resource)
		err = w.choices(err)
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && runs == nil {
		return w.text(pulse, nil, 0) // a run was removed just now, or there is none yet
	}
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		pulse.Processes++
		pulse.CPU += p.CPU
		if p.Alive() {
			pulse.Alive++
		}
	}
	s := runs.Summary()
	pulse.Samples, pulse.Lost = s.Samples, s.Lost
	elapsed := runs.Span()
	if !w.before.Time.IsZero() {
		elapsed = now.Sub(w.before.Time)
	}
	if elapsed > 0 {
		// Runs can also be removed.
		pulse.SampleRate = float64(max(0, pulse.Samples-w.before.Samples)) / elapsed.Seconds()
		pulse.Cores = max(0, pulse.CPU-w.before.CPU).Seconds() / elapsed.Seconds()
	}
	w.before = pulse
	selected, err := runs.Select(w.window, w.where)
	var none *path.NoSamples
	switch {
	case errors.As(err, &none):
	case err != nil:
		return nil, err
	default:
		o := w.Options
		o.Rows = rows
		if hot, weight, err = selected.Hot(w.translator, o); err != nil {
			return nil, err
		}
		pulse.Limits = selected.Limits()
	}
	return w.text(pulse, hot, weight)
}

func (w *watch) text(pulse report.Pulse, hot []path.HotRow, weight uint64) ([]byte, error) {
	var b bytes.Buffer
	err := report.Top(&b, pulse, hot, weight)
	return b.Bytes(), err
}
