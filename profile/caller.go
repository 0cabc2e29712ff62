package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// caller is what our caller left to us and our runtime does not keep; collector/launch/caller.h has
// the writer of it, and what restores it for the program.
type caller struct {
	state   string // as it was written
	ignored uint64 // signals: bit n-1 is signal n
	closed  uint64 // standard streams: bit n is descriptor n
	low     string // the soft limit on memory that is too low for us, as in "ulimit -v 500000"; "" none
}

// readCaller takes it from the arguments. Without it, it's what can still be known.
func readCaller(args []string) (caller, []string, error) {
	if len(args) == 0 {
		return caller{state: "0,0,-,-"}, args, nil
	}
	state, is := strings.CutPrefix(args[0], "-caller=")
	if !is {
		return caller{state: "0,0,-,-"}, args, nil
	}
	c := caller{state: state}
	words := strings.Split(state, ",")
	if len(words) != 4 {
		return c, nil, fmt.Errorf("-caller=%s: want four words", state)
	}
	for i, n := range []*uint64{&c.ignored, &c.closed} {
		var err error
		if *n, err = strconv.ParseUint(words[i], 16, 64); err != nil {
			return c, nil, fmt.Errorf("-caller: %w", err)
		}
	}
	for i, letter := range []string{"v", "d"} {
		if n, err := strconv.ParseUint(words[2+i], 10, 64); err == nil && c.low == "" {
			c.low = fmt.Sprintf("ulimit -%s %d", letter, n>>10)
		}
	}
	return c, args[1:], nil
}

// ignores reports whether a signal was ignored.
func (c caller) ignores(sig unix.Signal) bool { return c.ignored>>(sig-1)&1 == 1 }

// heed sees that signals which were ignored stay so, also for our children, and that writing tells by its result what
// a signal would.
func (c caller) heed() {
	for _, sig := range []unix.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGPIPE} {
		if c.ignores(sig) {
			signal.Ignore(sig)
		}
	}
	unheard := make(chan os.Signal, 1)
	signal.Notify(unheard, unix.SIGXFSZ)
	if !c.ignores(unix.SIGPIPE) {
		signal.Notify(unheard, unix.SIGPIPE)
	}
}

// catch has the other signals that would end us come by the channel: the program's end is ours.
func (c caller) catch() chan os.Signal {
	caught := make(chan os.Signal, 16)
	for _, sig := range []unix.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP} {
		if !c.ignores(sig) {
			signal.Notify(caught, sig)
		}
	}
	return caught
}
