package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// find is the path of a file of ours. It is beside us, or in the places of the tree where it was built, in
// whose libexec we are, or of an installation, in whose libexec/pct we are; a command may be in PATH.
func find(name string) (string, error) {
	here, err := ownDirectory()
	if err != nil {
		return "", err
	}
	for _, dir := range []string{".", "..", "../lib", "../../bin", "../../lib/pct"} {
		path := filepath.Join(here, dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside %s/profile nor in PATH: is the installation complete?", name, here)
	}
	return path, nil
}

// ownDirectory is where we are.
func ownDirectory() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("cannot read /proc: %w", err)
	}
	return filepath.Dir(self), nil
}

// reason is an error in the words of the C library.
func reason(err error) string {
	var errno syscall.Errno
	text := err.Error()
	if errors.As(err, &errno) {
		text = errno.Error()
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// unwritable is why no directory with a file of so many bytes can be made for the data. If there is no
// directory of data yet, it is tried beside it: others may be about to make that.
func (p *session) unwritable(bytes int) error {
	dir := p.data
	if _, err := os.Stat(dir); err != nil {
		dir = parent(dir)
	}
	dir = fmt.Sprintf("%s/.profile.%d", dir, os.Getpid())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer unix.Rmdir(dir)
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	fd, err := unix.Openat(at, "try", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	unix.Unlinkat(at, "try", 0)
	f := os.NewFile(uintptr(fd), "try")
	_, err = f.Write(make([]byte, bytes))
	return errors.Join(err, f.Close())
}
