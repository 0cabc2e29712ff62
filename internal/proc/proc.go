// Package proc reads what the kernel tells of processes in /proc. A process may end at any time:
// whatever is then missing is an error, or empty where no error is returned.
package proc

import (
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// deletedSuffix follows the path of a file that has been deleted.
const deletedSuffix = " (deleted)"

// PathOf is a path as /proc tells it, without the mark of a file that has been deleted.
func PathOf(path string) string { return strings.TrimSuffix(path, deletedSuffix) }

// IsDeleted reports whether a path of /proc is that of a deleted file.
func IsDeleted(path string) bool { return strings.HasSuffix(path, deletedSuffix) }

// Entry is the path of an entry of a process's directory, such as exe.
func Entry(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// Exe is the path of the program that a process executes, also when it has been deleted.
func Exe(pid int) (string, error) {
	path, err := os.Readlink(Entry(pid, "exe"))
	return PathOf(path), err
}

// Args are the arguments of a process, nil if there are none, as of one that has ended.
func Args(pid int) []string { return texts(pid, "cmdline") }

// Environ is the environment that the program of a process was given, NAME=VALUE.
func Environ(pid int) []string { return texts(pid, "environ") }

// texts are those of an entry in which each ends with a zero byte.
func texts(pid int, entry string) []string {
	text, err := os.ReadFile(Entry(pid, entry))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// Auxv is the auxiliary vector that the kernel gave the program of a process.
func Auxv(pid int) ([]byte, error) { return os.ReadFile(Entry(pid, "auxv")) }

// All lists all processes, in ascending order.
func All() []int {
	all, _ := numbers("/proc")
	return all
}

// Threads lists the threads of a process, in ascending order.
func Threads(pid int) ([]int, error) { return numbers(Entry(pid, "task")) }

// numbers lists the entries of a directory that are numbers.
func numbers(dir string) ([]int, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	var list []int
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, err
}

// contents is what an entry tells. os.ReadFile makes three times as many system calls for it, and
// what is read here is read often.
func contents(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	text := make([]byte, 0, 2048)
	for {
		n, err := unix.Read(fd, text[len(text):cap(text)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return text, nil
		default:
			text = slices.Grow(text[:len(text)+n], 512)
		}
	}
}
