package session

import "sync"

// queue is a channel without bound: what is put into it waits until somebody takes it.
type queue[T any] struct {
	mu   sync.Mutex
	list []T
	some chan struct{} // has an element when something was put since it was received from
}

func newQueue[T any]() queue[T] { return queue[T]{some: make(chan struct{}, 1)} }

func (q *queue[T]) put(v T) {
	q.mu.Lock()
	q.list = append(q.list, v)
	q.mu.Unlock()
	select {
	case q.some <- struct{}{}:
	default:
	}
}

func (q *queue[T]) take() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return v, false
	}
	v = q.list[0]
	q.list = q.list[1:]
	return v, true
}
