package regular

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// What is not a regular file is refused at once: to open the FIFO would wait for ever.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	fifo, link, socket := filepath.Join(dir, "fifo"), filepath.Join(dir, "link"), filepath.Join(dir, "socket")
	if err := errors.Join(unix.Mkfifo(fifo, 0o600), os.Symlink(fifo, link), unix.Mknod(socket, unix.S_IFSOCK|0o600, 0)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, link, socket, dir, os.DevNull, "/dev/tty"} {
		var not *Error
		if _, _, err := Open(path); !errors.As(err, &not) || not.Path != path {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := ReadFile(path); !errors.As(err, &not) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}

func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, n := range []int{0, 1, 511, 512, 513, 1 << 20} {
		want := bytes.Repeat([]byte("x"), n)
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
	}
	if text, err := ReadFile("/proc/self/stat"); err != nil || len(text) == 0 { // of no size
		t.Errorf("%q, %v", text, err)
	}
}
