package main

import "fmt"

// A job is what is to be known at each sample: a row of the table.
type job struct {
	what  string
	depth int
	mi    []string // MI commands for it, one after another
	block string   // actions of a dbctl script for it, before "continue"
	event string   // sinks of the event itself
	out   string   // the OUT that has a line per sample; "": it makes SAMPLEs
	poor  bool     // gdb -batch -ex bt is a way to know it
}

func (j job) name() string { return fmt.Sprintf("%s at depth %d", j.what, j.depth) }

var (
	frames    = "-stack-list-frames"
	arguments = "-stack-list-arguments 1"
)

// jobs returns the rows. With stock settings the event of a stop holds the
// innermost frame, so that the pc costs no command.
func jobs() []job {
	return []job{
		{what: "pc", depth: 5, event: `OUT("pc")`, out: "pc"},
		{what: "4 frames", depth: 50, mi: []string{"-stack-list-frames 0 3"},
			block: `"backtrace 4" | OUT("stack")`, event: `OUT("pc")`, out: "pc"},
		{what: "path", depth: 5, mi: []string{frames}, block: `SAMPLE()`, poor: true},
		{what: "path", depth: 50, mi: []string{frames}, block: `SAMPLE()`, poor: true},
		{what: "path and arguments", depth: 5, mi: []string{frames, arguments},
			block: `SAMPLE(); "-stack-list-arguments 1" | OUT("arguments")`},
		{what: "path and arguments", depth: 50, mi: []string{frames, arguments},
			block: `SAMPLE(); "-stack-list-arguments 1" | OUT("arguments")`},
		{what: "expression", depth: 5, mi: []string{"-data-evaluate-expression n"},
			block: `EVAL("^burn$", "n") | OUT("n")`, out: "n"},
		{what: "expression and path", depth: 50, mi: []string{"-data-evaluate-expression n", frames},
			block: `EVAL("^burn$", "n") | FIELD(n); SAMPLE()`},
	}
}

// script is the dbctl script for the job, with a tick each us microseconds.
func (j job) script(us int) string {
	event := ""
	if j.event != "" {
		event = " | " + j.event
	}
	block := ""
	if j.block != "" {
		block = j.block + "; "
	}
	return fmt.Sprintf(`EXEC() ".*" {
  PAT_GROUP(default) {
    PAT(1) "^started " { CLOCK(best, %d); "continue"; }
    PAT(1) "^stopped signal=\"SIGVTALRM\""%s { %s"continue"; }
  }
}
`, us, event, block)
}
