// Package mi speaks gdb/MI, the line protocol of gdb's machine interface, with
// a debugger at the other end of two pipes. It is written for a sampling
// loop: one write per batch of commands, typed records, no goroutine, no
// reflection, and next to no garbage.
//
// # The protocol
//
// We write commands, one a line: a token (decimal digits) and an MI command
// (-stack-list-frames 0 3) or a console command (backtrace 4). gdb writes
// records, one a line:
//
//	12^done,stack=[frame={level="0",…},…]   result of command 12
//	*stopped,reason="signal-received",…     exec: the target's state changed
//	+download,…                             status: progress
//	=thread-created,id="1",group-id="i1"    notify: something else changed
//	~"text\n"                               console: what a person would read
//	@"text"                                 target: output of a remote target
//	&"text\n"                               log: gdb's echo and its warnings
//	(gdb)                                   prompt: end of a group of records
//
// A value is a constant "…", a tuple {name=value,…} or a list [value,…] or
// [name=value,…].
//
// # Quirks, as met in gdb 13.1
//
//   - Tuples may repeat a key, and may hold values with no key at all: the
//     commands of a breakpoint (script={"silent","continue"}) and, under mi2,
//     its locations (bkpt={…},{number="1.1",…}). Lists may hold results
//     (stack=[frame=…,frame=…]). So an aggregate is a sequence of items here,
//     never a map.
//   - Bytes outside printable ASCII are written as three octal digits
//     (\303\251), and \a \b \e \f \n \r \t are used besides \" and \\. A Text
//     is the decoded byte string, which need not be UTF-8. A value that is C
//     source text ("\"a\\033\"") has a second layer of escapes, which is left.
//   - Each command gets exactly one ^ record with its token, in the order of
//     the commands. A command that resumes the target is answered ^running
//     *before* *running appears, and the later *stopped bears no token. With
//     mi-async off the commands after it are not read until the target stops.
//   - ^done may be the answer of a console command that failed: a tbreak on an
//     unknown function says so in a & record alone.
//   - &"…" echoes each console command before its answer; an error of one
//     comes both in a & record and in ^error.
//   - Numbers are in the base that gdb likes: addr="0x…", line="12", and
//     exit-code="03" is octal.
//   - A prompt follows each answer, but after ^running it comes when gdb
//     pleases: it marks nothing, and Next skips it.
//   - On a stop, gdb 13 writes the line one character per write(2), unless its
//     stdout was redirected with "set logging". A line comes in any number of
//     pieces.
//   - A *stopped record after "silent" breakpoint commands is bare: no reason,
//     no frame, no thread.
//   - gdb reads its stdin a byte at a time and answers as it reads: who writes
//     a long batch without reading fills both pipes and stops both sides. Send
//     therefore never waits, and Next goes on writing while it reads.
//   - Text that is no MI may stand between records: a target started by gdb
//     shares its stdout, and so does "shell". Such a line has Kind Other. If it
//     lacks a newline it is glued to the next record, which is lost with it.
//   - When its stdin ends gdb quits: it kills what it started and detaches from
//     what it attached to.
//   - Children of gdb inherit its stdout, so the end of the pipe need not come
//     when gdb dies. We watch the process too.
//
// # Assumptions
//
// The debugger runs on this machine, on pipes or FIFOs without echo, with
// --interpreter=mi3 (mi2 is understood too). Lines end in "\n" or "\r\n" and
// have at most 16 MB. Commands hold no newline. A console command that begins
// with a digit is set off from its token by a blank.
package mi

// Kind is the kind of a record: the character that introduces it.
type Kind byte

// The kinds of records. Other is text that is no MI.
const (
	Result  Kind = '^'
	Exec    Kind = '*'
	Status  Kind = '+'
	Notify  Kind = '='
	Console Kind = '~'
	Target  Kind = '@'
	Log     Kind = '&'
	Prompt  Kind = '('
	Other   Kind = 0
)

// Value is a constant, a tuple or a list.
type Value struct {
	Name  string  // its key where it is a result, "" in a plain list
	Text  string  // constants: the decoded bytes
	Items []Value // tuples and lists: what they hold, in order, duplicates kept
	Tuple bool
	List  bool
}

// Get follows path, taking the first item of that name at each step. It
// returns the zero Value if there is none.
func (v Value) Get(path ...string) Value {
	for _, name := range path {
		found := false
		for i := range v.Items {
			if v.Items[i].Name == name {
				v, found = v.Items[i], true
				break
			}
		}
		if !found {
			return Value{}
		}
	}
	return v
}

// Str returns the text of the constant at path, "" if there is none.
func (v Value) Str(path ...string) string { return v.Get(path...).Text }

// Record is one line from the debugger.
type Record struct {
	Kind    Kind
	Token   int    // 0: none
	Class   string // done, running, connected, error, exit, stopped, thread-created, …
	Results Value  // a tuple: the results of ^ * + = records
	Text    string // decoded text of ~ @ & records
	Raw     []byte // the line without its newline
}

// Str returns the text of the constant at path in the results, "" if there is
// none.
func (r *Record) Str(path ...string) string { return r.Results.Get(path...).Text }
