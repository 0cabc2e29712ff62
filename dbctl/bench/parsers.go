package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cyrus-and/gdb"

	"github.com/profilecollection/pct/bench/harness"
	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// transcript is what gdb says during a run of samples with arguments, as a
// program that prints it could say it: cyrus-and/gdb waits for ever on the
// result of a command that it did not send, so results become exec records.
func (b *bench) transcript() ([]byte, error) {
	var text bytes.Buffer
	b.tap = func(toDebugger bool, line []byte) {
		if toDebugger {
			return
		}
		if rest := bytes.TrimLeft(line, "0123456789"); bytes.HasPrefix(rest, []byte("^")) {
			text.WriteByte('*')
			line = rest[1:]
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	defer func() { b.tap = nil }()
	_, err := b.synchronous(job{depth: 20, mi: arguments})
	return text.Bytes(), err
}

// parsers measures how fast either client reads a transcript, the pipe
// included.
func (b *bench) parsers() error {
	const name = "parser"
	if !b.Match.MatchString(name) {
		return nil
	}
	once, err := b.transcript()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text := bytes.Repeat(once, 1+(4<<20)/len(once))
	file := filepath.Join(b.Dir, "transcript")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	readers := []struct {
		name string
		read func(file string) (records int, err error)
	}{{"dbctl/internal/mi", readOurs}, {"cyrus-and/gdb", readTheirs}}
	speeds := make([][]float64, len(readers))
	counts := make([]int, len(readers))
	for range b.Rounds {
		for i, r := range readers {
			began := time.Now()
			if counts[i], err = r.read(file); err != nil {
				return fmt.Errorf("%s, %s: %w", name, r.name, err)
			}
			speeds[i] = append(speeds[i], float64(len(text))/1e6/time.Since(began).Seconds())
		}
	}
	if counts[0] != counts[1] {
		return fmt.Errorf("%s: %d records and %d of the same text", name, counts[0], counts[1])
	}
	w := b.Table()
	fmt.Fprintln(w, "\nparser\tMB/s\tmin..max\tours is faster by")
	var ours float64
	for i, r := range readers {
		s := harness.SpreadOf(speeds[i], func(x float64) float64 { return x })
		ratio := ""
		if i == 0 {
			ours = s.Middle
		} else {
			ratio = fmt.Sprintf("%.1f", ours/s.Middle)
		}
		fmt.Fprintf(w, "%s\t%.1f\t%.1f..%.1f\t%s\n", r.name, s.Middle, s.Least, s.Most, ratio)
	}
	return w.Flush()
}

func readOurs(file string) (records int, err error) {
	c, err := mi.Start(mi.Config{Path: "cat", Args: []string{file}})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	for deadline := time.Now().Add(patience); ; records++ {
		_, err := c.Next(deadline)
		var died *mi.Died
		if errors.As(err, &died) {
			return records, nil
		}
		if err != nil {
			return records, err
		}
	}
}

// readTheirs can't know from the library when the output has ended: the last
// record tells.
func readTheirs(file string) (records int, err error) {
	done := make(chan struct{})
	g, err := gdb.NewCmd([]string{"sh", "-c", `cat "$0"; echo '=the-end'; read exit; echo '1^exit'`, file}, func(r map[string]any) {
		if r["class"] == "the-end" {
			close(done)
			return
		}
		records++
	})
	if err != nil {
		return 0, err
	}
	select {
	case <-done:
		return records, g.Exit()
	case <-time.After(patience):
		return 0, errors.New("it did not read to the end")
	}
}
