package remote

import (
	"sync"

	"golang.org/x/sys/unix"
)

// event is something that the debugger is told of.
type event struct {
	tid     int
	why     Stop
	ended   bool // the thread is gone
	process bool // and with it the process
	status  int
}

// stepped says that the thread did a step and nothing else happened to it.
func (e *event) stepped() bool {
	return !e.ended && e.why == Stop{Signal: int(unix.SIGTRAP)}
}

// extent is a range of instructions that a thread steps through by itself.
type extent struct{ from, to uint64 }

// events holds what the debugger isn't told yet, in order, and what stands
// still because it was. A thread runs; or its stop is on the way, queued or
// told; or it stands, as the debugger has acknowledged: then, and only then,
// the debugger resumes it.
type events struct {
	wake chan struct{} // holds one: there is something to tell

	mu       sync.Mutex
	queue    []event
	told     *event        // not yet acknowledged
	standing map[int]event // by thread
	halting  map[int]bool  // threads that were asked to stop
	stepping map[int]extent
	exits    bool // ends of threads are told as well
	over     bool // the process ended
}

func (q *events) init() {
	q.wake = make(chan struct{}, 1)
	q.standing = map[int]event{}
	q.halting = map[int]bool{}
	q.stepping = map[int]extent{}
}

// add queues an event, in place of an older one of the thread that isn't told.
func (q *events) add(e event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return
	}
	kept := q.queue[:0]
	for _, old := range q.queue {
		if old.tid != e.tid && !e.process {
			kept = append(kept, old)
		}
	}
	q.queue = kept
	delete(q.standing, e.tid)
	delete(q.halting, e.tid)
	if e.ended {
		delete(q.stepping, e.tid)
	}
	if e.process {
		q.over = true
		clear(q.standing)
	}
	if e.ended && !e.process && !q.exits {
		// gdb learns it when it next asks for the threads. What it was told
		// of the thread remains told, and is forgotten when acknowledged.
		if q.told != nil && q.told.tid == e.tid {
			q.told.ended = true
		}
		return
	}
	q.queue = append(q.queue, e)
	if q.told == nil {
		select {
		case q.wake <- struct{}{}:
		default: // the token is there already
		}
	}
}

// take gives the next event to tell; false if there is none, or the last one
// isn't acknowledged. If its thread steps by itself, step is where.
func (q *events) take() (e event, step extent, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.told != nil || len(q.queue) == 0 {
		return event{}, extent{}, false
	}
	e = q.queue[0]
	q.queue = append(q.queue[:0], q.queue[1:]...)
	told := e // not what is returned, which is read without the mutex
	q.told = &told
	return e, q.stepping[e.tid], true
}

// untake forgets the event that was taken: it isn't told.
func (q *events) untake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.told = nil
}

// acknowledge notes that the debugger has received what it was told.
func (q *events) acknowledge() {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.told
	if e == nil {
		return
	}
	q.told = nil
	delete(q.stepping, e.tid)
	for i := range q.queue {
		if q.queue[i].tid == e.tid { // it stands for something else already
			return
		}
	}
	if !e.ended && !q.over {
		q.standing[e.tid] = *e
	}
}

// again queues what the debugger was told and stands still, for one that asks
// anew.
func (q *events) again() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.told != nil && !q.told.ended {
		q.queue = append([]event{*q.told}, q.queue...)
	}
	q.told = nil
	for _, e := range q.standing {
		q.queue = append(q.queue, e)
	}
	clear(q.standing)
}

// release takes a thread from those that stand still, and notes where it shall
// step by itself, if step says so; false if it doesn't stand still.
func (q *events) release(tid int, step extent) (event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.standing[tid]
	if !ok {
		return event{}, false
	}
	delete(q.standing, tid)
	if step.from < step.to {
		q.stepping[tid] = step
	}
	return e, true
}

// halt says whether a thread is to be asked to stop: it runs and wasn't asked.
func (q *events) halt(tid int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.stepping, tid)
	if _, stands := q.standing[tid]; stands || q.halting[tid] || q.over || q.told != nil && q.told.tid == tid {
		return false
	}
	for i := range q.queue {
		if q.queue[i].tid == tid {
			return false
		}
	}
	q.halting[tid] = true
	return true
}

// tellExits says whether ends of threads are to be told.
func (q *events) tellExits(on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.exits = on
}

// processEnded says whether it did.
func (q *events) processEnded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.over
}
