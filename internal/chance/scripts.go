package chance

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// drawOf is the key of a script's draw in its values.
type drawOf struct{}

// Scripts runs the scripts of p.Dir as testscript.Run does, each as a subtest of its own that may
// draw again: the script is then run once more, from its start.
func Scripts(t *testing.T, p testscript.Params) {
	files, err := filepath.Glob(filepath.Join(p.Dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s (%v)", p.Dir, err)
	}
	if deadline, ok := t.Deadline(); ok {
		p.Deadline = deadline
	}
	p.Dir = ""
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runScript(t, file, p)
		})
	}
}

func runScript(t testing.TB, file string, p testscript.Params) {
	p.Files = []string{file}
	setup := p.Setup
	Test(t, func(d *Draw) {
		p.Setup = func(env *testscript.Env) error {
			env.Values[drawOf{}] = d
			return setup(env)
		}
		testscript.RunT(script{d}, p)
	})
}

// Of is the draw that a script is.
func Of(ts *testscript.TestScript) *Draw { return ts.Value(drawOf{}).(*Draw) }

// script is what testscript knows of the test: it runs its only script in the test itself.
type script struct{ *Draw }

func (script) Parallel()     {}
func (script) Verbose() bool { return testing.Verbose() }

// Run has a goroutine of its own for the script, which a failure ends.
func (s script) Run(_ string, f func(testscript.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(s)
	}()
	<-done
}

func (s script) FailNow() {
	s.Fail()
	runtime.Goexit()
}

func (s script) Fatal(args ...any) {
	s.Error(args...)
	runtime.Goexit()
}

// Skip fails: a script that is not run says nothing.
func (s script) Skip(args ...any) { s.Fatal(append([]any{"a script must not skip:"}, args...)...) }
