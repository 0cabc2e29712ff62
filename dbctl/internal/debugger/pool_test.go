package debugger

import (
	"errors"
	"testing"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// answers fails the test if the debugger isn't one that works.
func answers(t *testing.T, c *mi.Client) {
	t.Helper()
	r, err := c.Do(`-data-evaluate-expression "6*7"`, time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Str("value"); got != "42" {
		t.Fatalf("the debugger says that 6*7 is %q", got)
	}
}

func TestPoolLimit(t *testing.T) {
	p := NewPool(PoolConfig{Limit: 1})
	defer p.Close()
	a, err := p.Get()
	if err != nil {
		t.Fatal(err)
	}
	answers(t, a)
	if _, err := p.Get(); !errors.Is(err, ErrBusy) {
		t.Fatalf("one too many: %v", err)
	}
	p.Put(a)
	if a, err = p.Get(); err != nil {
		t.Fatal(err)
	}
	answers(t, a)
	p.Close()
	if _, err := p.Get(); !errors.Is(err, ErrPoolClosed) {
		t.Fatalf("after Close: %v", err)
	}
	var died *mi.Died
	if _, err := a.Do("-gdb-version", time.Time{}); !errors.As(err, &died) {
		t.Fatalf("after Close: %v", err)
	}
	p.Put(a)
}
