package remote

import "golang.org/x/sys/unix"

// unknownSignal is gdb's number for a signal that it has no name for.
const unknownSignal = 143

// gdbSignals are gdb's numbers of the kernel's signals; the real-time ones
// follow a rule. gdb has none for SIGSTKFLT.
var gdbSignals = [...]byte{
	unix.SIGHUP: 1, unix.SIGINT: 2, unix.SIGQUIT: 3, unix.SIGILL: 4,
	unix.SIGTRAP: 5, unix.SIGABRT: 6, unix.SIGFPE: 8, unix.SIGKILL: 9,
	unix.SIGBUS: 10, unix.SIGSEGV: 11, unix.SIGSYS: 12, unix.SIGPIPE: 13,
	unix.SIGALRM: 14, unix.SIGTERM: 15, unix.SIGURG: 16, unix.SIGSTOP: 17,
	unix.SIGTSTP: 18, unix.SIGCONT: 19, unix.SIGCHLD: 20, unix.SIGTTIN: 21,
	unix.SIGTTOU: 22, unix.SIGIO: 23, unix.SIGXCPU: 24, unix.SIGXFSZ: 25,
	unix.SIGVTALRM: 26, unix.SIGPROF: 27, unix.SIGWINCH: 28, unix.SIGUSR1: 30,
	unix.SIGUSR2: 31, unix.SIGPWR: 32, unix.SIGSTKFLT: unknownSignal,
}

// toGDB gives gdb's number of a kernel's signal; 0 is none in both.
func toGDB(signal int) int {
	switch {
	case signal == 0:
		return 0
	case signal == 32:
		return 77
	case signal == 64:
		return 78
	case 33 <= signal && signal <= 63:
		return signal + 12
	case 0 < signal && signal < len(gdbSignals):
		return int(gdbSignals[signal])
	}
	return unknownSignal
}

// fromGDB is the inverse; 0 for what the kernel doesn't have.
func fromGDB(signal int) int {
	if signal == unknownSignal {
		return 0
	}
	for s := 1; s <= 64; s++ {
		if toGDB(s) == signal {
			return s
		}
	}
	return 0
}
