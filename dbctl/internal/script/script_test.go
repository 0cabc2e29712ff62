package script

import (
	"testing"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

func TestLoad(t *testing.T) {
	const src = `
SET(clock, "best");
EXEC() "/gzip$" {
  PAT_GROUP(default) {
    PAT(1) "^started " { CLOCK("${clock}", 10000); "continue"; }
  }
  PAT_GROUP(late) { PAT() RAW "x"; }
  PAT_GROUP(default) {
    PAT(2) "signal=\"SIGVTALRM\"" | OUT("pc") {
      "backtrace 4" | OUT("stack"); # four levels
      GOTO(late);
      "continue";
    }
  }
}
`
	p, err := Load("test.dbctl", []byte(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.For("/bin/cat") != nil {
		t.Error("the rule applies to /bin/cat")
	}
	e := p.For("/bin/gzip")
	if e == nil {
		t.Fatal("no rule applies to /bin/gzip")
	}
	if len(e.Groups) != 2 || len(e.Groups[0].Pats) != 2 {
		t.Fatalf("groups are not merged: %v", e.Groups)
	}
	m := machine.New(p, e, nil)
	if !m.Step(`started pid="1"`) {
		t.Fatal("started does not match")
	}
	if a := m.Next(); len(a) != 2 || a[0].Verb != machine.Clock || a[0].Args[0] != "best" || a[0].Args[1] != "10000" {
		t.Errorf("actions of started: %v", a)
	}
	if !m.Step(`stopped signal="SIGVTALRM" thread="1"`) {
		t.Fatal("a tick does not match")
	}
	want := []string{`stopped signal="SIGVTALRM" thread="1"`, "backtrace 4", "continue"}
	got := m.Next()
	if len(got) != len(want) {
		t.Fatalf("actions of a tick: %v", got)
	}
	for i := range want {
		if got[i].Args[0] != want[i] {
			t.Errorf("action %d is %v, want %s", i, got[i], want[i])
		}
	}
	if m.Step(`started pid="1"`) {
		t.Error("GOTO did not change the group")
	}
}
