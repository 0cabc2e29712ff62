package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
)

// unknown stands for what nobody has told.
const unknown = "?"

// Processes writes the process tree, a process a row: times in seconds, children
// below their parents and indented. A program that a process executed after
// another one follows it behind =>.
func Processes(w io.Writer, all []path.Process) error {
	table := [][]string{{"PID", "PPID", "HOW", "STATE", "MODE", "START", "WALL", "CPU", "TREE", "SAMPLES", "LOST", "COMMAND"}}
	for _, p := range all {
		commands := make([]string, len(p.Commands))
		for i, c := range p.Commands {
			commands[i] = clip(visible.Text(c))
		}
		indent := ""
		if p.Depth > 0 {
			indent = strings.Repeat("    ", p.Depth-1) + ` \_ `
		}
		table = append(table, []string{
			number0(p.Pid), number0(p.Ppid), cmp.Or(visible.Text(p.How), unknown), cmp.Or(visible.Text(p.State), unknown),
			cmp.Or(visible.Text(p.Mode), unknown), inSeconds(p.Start), used(p.Wall), used(p.CPU), used(p.Subtree),
			strconv.FormatUint(p.Samples, 10), strconv.FormatUint(p.Lost, 10), indent + strings.Join(commands, " => "),
		})
	}
	return columns(w, table)
}

// leftAligned are the columns of words.
var leftAligned = map[string]bool{"HOW": true, "STATE": true, "MODE": true, "COMMAND": true}

// columns writes a table whose first row names its columns.
func columns(w io.Writer, table [][]string) error {
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	out := bufio.NewWriter(w)
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			if leftAligned[table[0][i]] {
				fmt.Fprintf(&line, "%-*s", widths[i], cell)
			} else {
				fmt.Fprintf(&line, "%*s", widths[i], cell)
			}
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
	return out.Flush()
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// used is a time that a process took, of which 0 means that it is unknown: whatever ran has taken some.
func used(d time.Duration) string {
	if d == 0 {
		return unknown
	}
	return inSeconds(d)
}

// number0 is a number of which 0 means that it is unknown.
func number0(n int) string {
	if n == 0 {
		return unknown
	}
	return strconv.Itoa(n)
}
