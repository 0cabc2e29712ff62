package debugger

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// poolUser names the variable that makes the test a program that uses a pool
// until it is killed: of the gdb that it holds.
const poolUser = "PCT_TEST_POOL_USER"

func TestMain(m *testing.M) {
	if path := os.Getenv(poolUser); path != "" {
		usePool(path)
	}
	os.Exit(m.Run())
}

// usePool holds debuggers, makes and ends others, and says so; one of them
// waits for a program and would not see the end of its input.
func usePool(path string) {
	// Every debugger inherits this; the test waits for the last to close it.
	if _, err := unix.Dup(3); err != nil {
		panic(err)
	}
	p := NewPool(PoolConfig{Path: path, Limit: 10})
	fmt.Println("begins")
	for n := 0; ; n++ {
		c, err := p.Get()
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		switch {
		case n == 0:
			if _, err := c.Send(console("shell sleep 1000"), "-gdb-version"); err != nil {
				fmt.Println(err)
			}
		case n > 3:
			p.Put(c)
		}
		fmt.Println("got", n)
	}
}

// However the program that uses a pool ends, no debugger is left, not even one
// that waits for a program of its own; wherever in its work the user is killed.
func TestKilledWithUser(t *testing.T) {
	for name, path := range map[string]string{"copied": "gdb", "started": gdbWith(t, withoutPython)} {
		t.Run(name, func(t *testing.T) {
			for round := range 12 {
				// In one half of the rounds while the first are made, in the other after.
				killUser(t, path, round%2*6, time.Duration(rand.IntN(250))*time.Millisecond)
			}
		})
	}
}

// killUser kills a user of a pool some time after it has said some lines.
func killUser(t *testing.T, path string, lines int, after time.Duration) {
	t.Helper()
	left, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer left.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), poolUser+"="+path)
	cmd.ExtraFiles = []*os.File{held}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	held.Close()
	said := bufio.NewScanner(out)
	for range 1 + lines {
		said.Scan()
	}
	time.Sleep(after) // a random instant
	cmd.Process.Kill()
	last := said.Text()
	for said.Scan() {
		last = said.Text()
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the user of the pool ended before: %v: %s", err, last)
	}
	left.SetReadDeadline(soon())
	if _, err := left.Read(make([]byte, 1)); err != io.EOF {
		t.Fatalf("killed after %q and %v a debugger is left: %v", last, after, err)
	}
}
