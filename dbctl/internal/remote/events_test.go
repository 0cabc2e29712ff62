package remote

import (
	"sync"
	"testing"
)

// What was taken to be told stays as it was taken when the thread ends meanwhile.
func TestTakenWhileItEnds(t *testing.T) {
	for range 2000 {
		var q events
		q.init()
		q.add(event{tid: 7})
		var both sync.WaitGroup
		both.Go(func() {
			if e, _, ok := q.take(); ok && e.ended {
				t.Error("a stop was taken as an end")
			}
		})
		both.Go(func() { q.add(event{tid: 7, ended: true}) })
		both.Wait()
	}
}
