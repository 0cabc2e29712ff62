package bench

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
	path      = []string{"-stack-list-frames"}
	arguments = []string{"-stack-list-frames", "-stack-list-arguments 1"}
	// backtrace 4 prints the arguments too.
	four = []string{"-stack-list-frames 0 3", "-stack-list-arguments 1 0 3"}
	// An expression is wanted of a function, wherever it is on the stack: it
	// is to be found first. (A path that is wanted too comes with that.)
	value = []string{"-stack-list-frames", "-stack-select-frame 0", "-data-evaluate-expression n"}
)

// jobs returns the rows. With stock settings the event of a stop holds the
// innermost frame, so that the pc costs no command.
func jobs() []job {
	const (
		pc = `OUT("pc")`
	)
	return []job{
		{what: "pc", depth: 5, event: pc, out: "pc"},
		{what: "4 frames", depth: 50, mi: four, block: `"backtrace 4" | OUT("stack")`, event: pc, out: "pc"},
		{what: "path", depth: 5, mi: path, block: `SAMPLE()`, poor: true},
		{what: "path", depth: 50, mi: path, block: `SAMPLE()`, poor: true},
		{what: "path and arguments", depth: 5, mi: arguments, block: `SAMPLE(args)`},
		{what: "path and arguments", depth: 50, mi: arguments, block: `SAMPLE(args)`},
		{what: "expression", depth: 5, mi: value, block: `EVAL("^burn$", "n") | OUT("n")`, out: "n"},
		{what: "expression and path", depth: 50, mi: value, block: `EVAL("^burn$", "n") | FIELD(n); SAMPLE()`},
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
