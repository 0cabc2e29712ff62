package session

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// watchdog outlives us, for as long as a program might be left stopped by our
// death: it reads what we hold, and when it reads the end of file instead of a
// word that we let go, it continues what stands still.
//
// It looks for two seconds, since a debugger that dies too may leave a stop
// behind it. A process that is traced is somebody's, and left alone.
type watchdog struct {
	mu  sync.Mutex
	in  *os.File
	cmd *exec.Cmd
}

// The script knows one process per line "hold PID" or "free PID".
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
n=0
while [ "$held" != ' ' ] && [ $n -lt 40 ]; do
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
func newWatchdog() (*watchdog, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", watching)
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
