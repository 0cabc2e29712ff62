package session

import (
	"sync"
	"time"
)

// alarm rings at a time, which may be put off: then nobody is woken at the former one. Its methods are
// for any goroutine.
type alarm struct {
	ring func()

	mu    sync.Mutex
	at    time.Time // when it's to ring
	timer *time.Timer
	fires time.Time // when the timer does, at the latest when it's to ring; zero: it does not
}

// set has it ring at a time, and not before.
func (a *alarm) set(at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = at
	if a.fires.IsZero() || at.Before(a.fires) {
		a.start()
	}
}

func (a *alarm) start() {
	a.fires = a.at
	if a.timer == nil {
		a.timer = time.AfterFunc(time.Until(a.at), a.fired)
	} else {
		a.timer.Reset(time.Until(a.at))
	}
}

// fired is when the timer has. One that was set anew just then may fire twice.
func (a *alarm) fired() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Now().Before(a.at) {
		a.start()
		return
	}
	a.fires = time.Time{}
	a.ring()
}
