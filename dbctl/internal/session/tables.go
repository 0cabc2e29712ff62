package session

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/table"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
)

// tables are what the scripts of a run count in, of all its processes, and their copy in the run directory of the
// first one. Any goroutine may count.
type tables struct {
	table.Tables
	due  atomic.Bool // they have changed, and are to be written
	mu   sync.Mutex  // for what follows
	dir  *data.Dir   // nil: there is none, or not any more
	wait *time.Timer
	say  func(format string, args ...any)
}

// writeEvery is how often they are written while they change.
const writeEvery = time.Second

// tableKinds are the kinds of tables that verbs count in.
var tableKinds = map[machine.Verb]table.Kind{machine.Count: table.Count, machine.Hist: table.Hist, machine.Sum: table.Sum}

// keep has the tables written to the directory of a run from now on, if a script has any.
func (t *tree) keepTables(dir *data.Dir) {
	for _, h := range t.habits {
		for verb := range tableKinds {
			if len(h.machine.Names(verb)) > 0 && t.tables.dir == nil {
				again, err := dir.Again()
				if err != nil {
					t.sayOnce("cannot keep the tables: %v", err)
					return
				}
				t.tables.dir, t.tables.say = again, t.sayOnce
			}
		}
	}
}

// count is Add, of what is to be written soon.
func (ts *tables) count(in table.Name, key, number string) error {
	if err := ts.Add(in, key, number); err != nil || !ts.due.CompareAndSwap(false, true) {
		return err
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.dir != nil {
		ts.wait = time.AfterFunc(writeEvery, ts.write)
	}
	return nil
}

func (ts *tables) write() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.dir == nil || !ts.due.Swap(false) {
		return
	}
	if err := ts.dir.WriteTables(ts.Encode()); err != nil {
		ts.say("cannot keep the tables: %v", err)
	}
}

// end writes them for the last time.
func (ts *tables) end() {
	ts.write()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.wait != nil {
		ts.wait.Stop()
	}
	if ts.dir != nil {
		ts.dir.Close()
		ts.dir = nil
	}
}

// printTables prints them as they are now, in one piece.
func (t *tree) printTables() {
	var b bytes.Buffer
	t.tables.Print(&b)
	visible.Writer(t.cfg.Stderr).Write(b.Bytes())
}
