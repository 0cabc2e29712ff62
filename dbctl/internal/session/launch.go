package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/regular"
)

// shell runs what is executable and no program of any kind.
const shell = "/bin/sh"

// forShell reports whether that is so: the kernel refused to execute the file,
// and it's text.
func forShell(path string, refused error) bool {
	return errors.Is(refused, unix.ENOEXEC) && isText(head(path))
}

func isText(head string) bool {
	return !strings.HasPrefix(head, "\x7fELF") && !strings.Contains(head, "\x00")
}

// isScript reports whether a file is text: what is executed is an interpreter, which the
// script may have execute the program that is meant.
func isScript(path string) bool { return isText(head(path)) }

// runsScript reports whether a process executes the interpreter of a script. It is called with the
// script's name as its first argument, or behind one of #!.
func runsScript(pid int, argv []string) bool {
	for i := 1; i < min(len(argv), 3); i++ {
		path := argv[i]
		if !strings.HasPrefix(path, "/") {
			path = "cwd/" + path
		} else {
			path = "root" + path
		}
		path = proc.Entry(pid, path)
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() && strings.HasPrefix(head(path), "#!") {
			return true
		}
	}
	return false
}

// head is the beginning of a file, "" if it can't be read.
func head(path string) string {
	f, _, err := regular.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var b [256]byte
	n, _ := io.ReadFull(f, b[:])
	return string(b[:n])
}

// executable is the path, as the kernel names it, of what is executed for a
// file: an interpreter, if it's a script.
func executable(path string) string {
	const nested = 4 // as the kernel permits
	for range nested {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		text := head(path)
		line, _, _ := strings.Cut(text, "\n")
		interpreter, isScript := strings.CutPrefix(line, "#!")
		words := strings.Fields(interpreter)
		switch {
		case isScript && len(words) > 0:
			path = words[0]
		case isText(text):
			path = shell
		default:
			return path
		}
	}
	return path
}

func launchError(exe string, err error) error {
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("%s: not permitted to trace it (is ptrace forbidden in this container?)", exe)
	}
	return launch.Refused(exe, err)
}

// noRule says that no EXEC is for a program.
type noRule struct{ exe string }

func (e *noRule) Error() string {
	return fmt.Sprintf("no EXEC of the script matches %s: it runs unprofiled", e.exe)
}
