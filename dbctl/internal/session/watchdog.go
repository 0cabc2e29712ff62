package session

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// watchdog outlives us, for as long as a program might be left stopped by our
// death: it reads what we hold, and when it reads the end of file instead of a
// word that we let go, it continues what stands still.
//
// It looks for two seconds, since a debugger that dies too may leave a stop
// behind it; so long has the debugger to end by itself. A process that is
// traced is somebody's, and left alone.
type watchdog struct {
	mu  sync.Mutex
	in  *os.File
	cmd *exec.Cmd
}

// The script knows one process per line "hold PID" or "free PID"; $1 is the
// debugger. One that was killed may have left a child behind that stands still:
// gdb tries on one what ptrace can do.
const watching = `
held=' '
while read -r word pid; do
	case $word in
	hold) held="$held$pid " ;;
	free)
		case $held in
		*" $pid "*) held="${held%% $pid *} ${held#* $pid }" ;;
		esac
		;;
	esac
done
[ "$held" = ' ' ] && exit
n=0
while [ $n -lt 45 ]; do
	[ $n -eq 40 ] && kill -s KILL -- "-$1" 2>/dev/null
	for pid in $held; do
		tracer= state=
		while read -r key value rest; do
			case $key in
			State:) state=$value ;;
			TracerPid:) tracer=$value ;;
			esac
		done 2>/dev/null </proc/$pid/status
		[ "$state$tracer" = T0 ] && kill -CONT "$pid" 2>/dev/null
	done
	n=$((n + 1))
	sleep 0.05
done
`

// newWatchdog starts it, in a session of its own, out of reach of the
// terminal's signals.
func newWatchdog(debugger int) (*watchdog, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", watching, "watchdog", strconv.Itoa(debugger))
	cmd.Stdin = r
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("cannot start the watchdog: %w", err)
	}
	return &watchdog{in: w, cmd: cmd}, nil
}

func (w *watchdog) hold(pid int) error { return w.tell("hold", pid) }
func (w *watchdog) free(pid int) error { return w.tell("free", pid) }

func (w *watchdog) tell(word string, pid int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintf(w.in, "%s %d\n", word, pid); err != nil {
		return fmt.Errorf("the watchdog has died: %w", err)
	}
	return nil
}

// close ends it; everything is let go by then.
func (w *watchdog) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.in.Close()
	w.cmd.Wait()
}
