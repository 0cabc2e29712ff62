package ring

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// NotFound and NotRunnable tell why there was nothing to run; shells give them the
// exit statuses 127 and 126.
type (
	NotFound    struct{ Message string }
	NotRunnable struct{ Message string }
)

func (e *NotFound) Error() string    { return e.Message }
func (e *NotRunnable) Error() string { return e.Message }

// find resolves a command as execvp does, and returns the path to execute.
func find(name string) (string, error) {
	if name == "" {
		return "", &NotFound{"the program's name is empty"}
	}
	if strings.Contains(name, "/") {
		return name, runnable(name)
	}
	var denied error
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir == "" {
			dir = "."
		}
		err := runnable(dir + "/" + name)
		if err == nil {
			return dir + "/" + name, nil
		}
		if _, is := err.(*NotRunnable); is && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", &NotFound{fmt.Sprintf("%s: not found in PATH", name)}
}

func runnable(path string) error {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return &NotFound{fmt.Sprintf("%s: no such file", path)}
	case err != nil:
		return &NotRunnable{fmt.Sprintf("%s: %v", path, errors.Unwrap(err))}
	case fi.IsDir():
		return &NotRunnable{fmt.Sprintf("%s: is a directory", path)}
	case unix.Access(path, unix.X_OK) != nil:
		return &NotRunnable{fmt.Sprintf("%s: permission denied: it is not executable (chmod +x?)", path)}
	}
	return nil
}

func launchError(path string, err error) error {
	switch {
	case errors.Is(err, unix.ENOENT):
		return &NotFound{fmt.Sprintf("%s: not found, or its interpreter is not", path)}
	case errors.Is(err, unix.ENOEXEC):
		return &NotRunnable{fmt.Sprintf("%s: not a program that this system can execute", path)}
	}
	return &NotRunnable{fmt.Sprintf("%s: %v", path, err)}
}
