package addr2line

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/translators"
)

// A translator answers for any number of objects; each is opened once.
type translator struct {
	finder  object.Finder
	objects map[key]*answerer // nil for those that can't be read
	want    debuginfo.Detail
	stderr  io.Writer
}

type key struct{ path, buildID string }

// share is how many requests of a batch a goroutine takes at a time.
const share = 64

// translate answers the requests of a batch, on all CPUs.
func (t *translator) translate(batch []translators.Request, answers [][]translators.Location) error {
	objects := make([]*answerer, len(batch))
	for i, q := range batch {
		objects[i] = t.object(q)
	}
	// Requests are mostly sorted: goroutines at work side by side would wait for
	// each other to read one unit. So each has a column of the shares.
	shares := (len(batch) + share - 1) / share
	columns := min(shares, runtime.GOMAXPROCS(0))
	rows := (shares + columns - 1) / columns
	var next atomic.Int64
	var wg sync.WaitGroup
	for range columns {
		wg.Go(func() {
			// A file that is truncated while it is mapped faults where it is read.
			debug.SetPanicOnFault(true)
			for n := next.Add(1) - 1; n < int64(rows*columns); n = next.Add(1) - 1 {
				from := (int(n)%columns*rows + int(n)/columns) * share
				room := make([]translators.Location, 0, share)
				for i := from; i < min(from+share, len(batch)); i++ {
					answered := len(room)
					room = t.frames(room, objects[i], batch[i].Vaddr)
					answers[i] = room[answered:]
				}
			}
		})
	}
	wg.Wait()
	for i, o := range objects {
		if o == nil || !o.changed.Load() {
			continue
		}
		// What was answered before the fault may be of either file.
		answers[i] = nil
		if k := keyOf(batch[i]); t.objects[k] != nil {
			fmt.Fprintf(t.stderr, "pct-addr2line: %s: changed while it was read\n", batch[i].Object)
			t.objects[k] = nil
		}
	}
	return nil
}

// frames appends the answer for one address; nothing of an object that has changed.
func (t *translator) frames(before []translators.Location, o *answerer, vaddr uint64) (out []translators.Location) {
	if o == nil || o.changed.Load() {
		return before
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			o.changed.Store(true)
			out = before
		default:
			panic(r)
		}
	}()
	return o.frames(before, vaddr, t.want)
}

func keyOf(q translators.Request) key { return key{q.Object, strings.ToLower(q.BuildID)} }

// object returns what answers for a request, nil if nothing does; what can't be
// read is said once.
func (t *translator) object(q translators.Request) (o *answerer) {
	k := keyOf(q)
	if o, known := t.objects[k]; known {
		return o
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			fmt.Fprintf(t.stderr, "pct-addr2line: %s: changed while it was read\n", q.Object)
			o = nil
		default:
			panic(r)
		}
		t.objects[k] = o
	}()
	// What stands in brackets, as [vdso], is memory of no file.
	if strings.HasPrefix(q.Object, "[") {
		return nil
	}
	o, err := open(t.finder, q.Object, k.buildID)
	if err != nil {
		fmt.Fprintf(t.stderr, "pct-addr2line: %v\n", err)
		return nil
	}
	return o
}
