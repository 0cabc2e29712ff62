package session_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/script"
	"github.com/profilecollection/pct/dbctl/internal/session"
)

const replayed = `
EXEC() "/prog$" {
  PAT_GROUP(default) {
    PAT() "^started" { CLOCK(best, 1000); "continue"; }
    PAT() "^breakpoint" | OUT("stops") {
      "backtrace" | OUT("where") | VAR(where);
      EVAL("f", "n") | FIELD(n);
      SAMPLE();
      ECHO("$where");
      GOTO(next);
    }
    PAT() RAW "^~" { "show version" | VAR(version); }
  }
  PAT_GROUP(next) {
    PAT() "^exited" { QUIT(3); }
    PAT() "^exec" { DETACH(); }
  }
}`

const transcript = `# dbctl transcript 1
> 1-gdb-version
< ~"GNU gdb"
< (gdb) ` + `
event started pid="12" exe="/bin/prog"
> 2-exec-continue --thread 1
answer "continue" ""
< ~"raw\n"
> 3show version
< 3^done
answer "show version" "13\n"
event breakpoint number="1"
answer "backtrace" "#0  f\n#1  main\n"
value "f" "n" "5"
event exec exe="/bin/other"
event exited code="0"
event eof
`

func loadReplayed(t testing.TB) *machine.Program {
	p, err := script.Load("test.dbctl", []byte(replayed), script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func replay(p *machine.Program, text []byte) (string, error) {
	var out bytes.Buffer
	err := session.Replay(session.ReplayConfig{Program: p, Transcript: bytes.NewReader(text), Stdout: &out, Stderr: io.Discard})
	return out.String(), err
}

func TestReplay(t *testing.T) {
	got, err := replay(loadReplayed(t), []byte(transcript))
	if err != nil {
		t.Fatal(err)
	}
	const want = `clock best 1000
send continue
send show version
var version=13
out stops: breakpoint number="1"
send backtrace
out where: #0  f
out where: #1  main
var where=#0  f\n#1  main
eval f n
field n=5
echo #0  f\n#1  main
sample n=5
detach
quit 3
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A transcript that was cut anywhere is replayed as far as it goes, and it's
// told that it was cut.
func TestReplayCut(t *testing.T) {
	p := loadReplayed(t)
	whole, _ := replay(p, []byte(transcript))
	header, _, _ := strings.Cut(transcript, "\n")
	quits := strings.Index(transcript, "event eof")
	for n := range len(transcript) {
		got, err := replay(p, []byte(transcript[:n]))
		var cut *session.Truncated
		var bad *session.BadTranscript
		switch {
		case n < len(header) && !errors.As(err, &bad) && !errors.As(err, &cut):
			t.Errorf("cut at %d: %v, want it to be no transcript", n, err)
		case n >= len(header) && n < quits && !errors.As(err, &cut):
			t.Errorf("cut at %d: %v, want it to be told", n, err)
		case n >= quits && err != nil: // the script has quit
			t.Errorf("cut at %d: %v", n, err)
		case strings.HasPrefix(transcript[n:], "event ") && !strings.HasPrefix(whole, got):
			t.Errorf("cut at %d it does\n%s", n, got)
		}
	}
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte(transcript))
	f.Add([]byte(strings.ReplaceAll(transcript, `"`, "")))
	f.Add([]byte("# dbctl transcript 1\nanswer \"a\nvalue - - -\nevent \n> \n< \nevent eof\n"))
	p := loadReplayed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := replay(p, text)
		again, err2 := replay(p, text)
		if once != again || (err == nil) != (err2 == nil) {
			t.Errorf("two replays differ:\n%s%v\n%s%v", once, err, again, err2)
		}
	})
}
