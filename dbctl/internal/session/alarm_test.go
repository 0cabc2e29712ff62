package session

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestAlarm: it rings when it was set to last, once, and not when it had been set to before.
func TestAlarm(t *testing.T) {
	for name, times := range map[string][]time.Duration{
		"once":           {5},
		"put off":        {5, 9, 20},
		"brought near":   {20, 9, 5},
		"there and back": {5, 20, 3, 8},
		"past":           {-1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				var rang []time.Duration
				a := alarm{ring: func() { rang = append(rang, time.Since(begin)) }}
				for range 2 {
					begin, rang = time.Now(), nil
					for _, at := range times {
						a.set(begin.Add(at * time.Millisecond))
					}
					time.Sleep(time.Second)
					synctest.Wait()
					if want := max(0, times[len(times)-1]*time.Millisecond); len(rang) != 1 || rang[0] != want {
						t.Errorf("it rang at %v, not at %v", rang, want)
					}
				}
			})
		})
	}
}
