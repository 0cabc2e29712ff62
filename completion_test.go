package pct_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestCompletion types the beginnings of words and the tabulator key into shells at a
// terminal: what they complete is then executed, and answered by the command.
func TestCompletion(t *testing.T) {
	bin, runs := t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./pct", "./profile").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	scripts, err := filepath.Abs("scripts")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(runs, "sample prog.77"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []struct{ name, start string }{
		{"bash --norc --noprofile -i", `. "$SCRIPTS/completion/pct.bash"; PS1='READY''> '`},
		{"zsh -f -i", `fpath=("$SCRIPTS/completion" $fpath); autoload -U compinit; compinit -D -u; PS1='READY''> '`},
	} {
		t.Run(strings.Fields(shell.name)[0], func(t *testing.T) {
			cmd := exec.Command("/bin/sh", "-c", "exec "+shell.name)
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SCRIPTS="+scripts, "PCT_DIR="+runs,
				"TERM=xterm", "HISTFILE=", "HOME="+t.TempDir())
			terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
			if err != nil {
				t.Fatal(err)
			}
			s := &typist{t: t, terminal: terminal, shell: cmd.Process}
			defer func() { cmd.Process.Kill(); cmd.Wait(); terminal.Close() }()
			s.line(shell.start)
			s.wait("READY> ")
			for _, tt := range []struct{ keys, answer string }{
				{"pct summ\t", "pct: summary: which run\\?"},
				{"pct speedsc\t", "pct: speedscope: which run\\?"},
				{"pct fn -thre\t", "pct: fn: -threshold needs a value"},
				{"pct info sam\t", `pct: .*sample prog\.77`},
				{"profile -vml\t", "profile: -vmlinux needs a value"},
				{"profile -arg\t", "profile: no program given"},
			} {
				s.line(tt.keys)
				s.wait(tt.answer)
				s.wait("READY> ")
			}
		})
	}
}

// A typist types lines at a terminal and reads what is answered.
type typist struct {
	t        *testing.T
	terminal *os.File
	shell    *os.Process
	screen   []byte // what was written and not waited for yet
}

func (s *typist) line(keys string) {
	s.t.Helper()
	if _, err := s.terminal.WriteString(keys + "\r"); err != nil {
		s.t.Fatal(err)
	}
}

// wait reads up to the end of what matches.
func (s *typist) wait(pattern string) {
	s.t.Helper()
	want := regexp.MustCompile(pattern)
	limit := time.AfterFunc(time.Minute, func() { s.shell.Kill() }) // ends the terminal's output
	defer limit.Stop()
	for {
		if at := want.FindIndex(s.screen); at != nil {
			s.screen = bytes.Clone(s.screen[at[1]:])
			return
		}
		part := make([]byte, 4096)
		n, err := s.terminal.Read(part)
		s.screen = append(s.screen, part[:n]...)
		if err != nil {
			s.t.Fatalf("no %q (%v):\n%q", pattern, err, s.screen)
		}
	}
}
