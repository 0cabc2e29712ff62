package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/visible"
)

const (
	metaFile   = "meta"
	treeFile   = "tree"
	tablesFile = "tables"
)

// Dir is a run directory that is being written. Its files are reached through
// an open descriptor, so that nobody can put another directory in its place.
type Dir struct {
	path    string
	warning string
	file    *os.File
}

// Create makes the run directory PROG.PID below root, for its owner alone, or
// PROG.PID.2, PROG.PID.3 and so on where that exists. prog is a path or a name; pid 0
// is unknown, and the directory PROG.
//
// An absent root is made, with the mode of /tmp (1777) if it stands in such a
// directory; there, a root that is a symbolic link is refused.
func Create(root, prog string, pid int) (*Dir, error) {
	rootFD, warning, err := openRoot(root)
	if err != nil {
		return nil, err
	}
	defer unix.Close(rootFD)
	base := DirName(prog)
	if pid != 0 {
		base = fmt.Sprintf("%s.%d", base, pid)
	}
	name := base
	for n := 2; ; n++ {
		err = unix.Mkdirat(rootFD, name, 0o700)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		name = fmt.Sprintf("%s.%d", base, n)
	}
	path := filepath.Join(root, name)
	if err != nil {
		return nil, &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	fd, err := unix.Openat(rootFD, name, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		err = &fs.PathError{Op: "open", Path: path, Err: err}
		if warning != "" {
			err = fmt.Errorf("%w; %s", err, warning)
		}
		return nil, err
	}
	d := &Dir{path: path, warning: warning, file: os.NewFile(uintptr(fd), path)}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, errors.Join(&fs.PathError{Op: "stat", Path: path, Err: err}, d.Close())
	}
	if int(st.Uid) != os.Geteuid() {
		return nil, errors.Join(fmt.Errorf("%s: another user created a directory there", path), d.Close())
	}
	return d, nil
}

// DirName makes a part of a file name of a program's name or path, or of a resource: characters
// that are not shown are replaced by _.
func DirName(prog string) string {
	name := strings.Map(func(r rune) rune {
		if !visible.Shown(r) || r == utf8.RuneError || r == '/' {
			return '_'
		}
		return r
	}, filepath.Base(prog))
	name = strings.TrimLeft(name, ".")
	const most = 200 // bytes, of the 255 that file systems take
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	if name == "" || name == "_" {
		return "unnamed"
	}
	return name
}

// Path returns the directory's path: root as given to Create, and its name.
func (d *Dir) Path() string { return d.path }

// Warning is a sentence for the user if others can replace the directory, or "".
func (d *Dir) Warning() string { return d.warning }

// Remove removes the directory with its files.
func (d *Dir) Remove() error {
	names, err := d.file.Readdirnames(-1)
	for _, name := range names {
		err = errors.Join(err, unix.Unlinkat(int(d.file.Fd()), name, 0))
	}
	// What stands in its place by now is not removed, unless it is empty.
	return errors.Join(err, unix.Rmdir(d.path))
}

// Close releases the directory; files opened from it stay open.
func (d *Dir) Close() error { return d.file.Close() }

// WriteMeta puts m in place of what meta held, in one step.
func (d *Dir) WriteMeta(m Meta) error { return d.replace(metaFile, m.encode()) }

// WriteKernelSymbols puts a text in place of the file kernel.syms, likewise.
func (d *Dir) WriteKernelSymbols(text []byte) error { return d.replace(kernelSymbolsFile, text) }

// WriteTables puts a text in place of the file tables, likewise.
func (d *Dir) WriteTables(text []byte) error { return d.replace(tablesFile, text) }

// Again is the directory once more, for another that writes to it: each closes its own.
func (d *Dir) Again() (*Dir, error) {
	fd, err := unix.FcntlInt(d.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "dup", Path: d.path, Err: err}
	}
	return &Dir{path: d.path, file: os.NewFile(uintptr(fd), d.path)}, nil
}

// replace puts a file in place of another in one step.
func (d *Dir) replace(name string, text []byte) error {
	temporary := "." + name
	f, err := d.open(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	fd := int(d.file.Fd())
	if err := unix.Renameat(fd, temporary, fd, name); err != nil {
		return &fs.PathError{Op: "rename", Path: filepath.Join(d.path, name), Err: err}
	}
	return nil
}

// Append opens a text file of the run for appending. The name is one path
// element that does not start with a dot and is none of the files of the format.
func (d *Dir) Append(name string) (*os.File, error) {
	if !element(name) {
		return nil, fmt.Errorf("%q cannot be the name of an output: it must be one path element and not start with a dot", name)
	}
	if Reserved(name) {
		return nil, fmt.Errorf("%q cannot be the name of an output: the run directory has its own file of that name", name)
	}
	return d.open(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
}

// NewWriter starts the file of call paths of the header's resource, which must not exist: paths.NAME, or
// paths.NAME.2 and so on where that is another resource's, as of two functions with long names.
func (d *Dir) NewWriter(h Header) (*Writer, error) {
	base := pathsOf(h.Resource)
	name := base
	for n := 2; ; n++ {
		f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND)
		if err == nil {
			return newWriter(f, h)
		}
		if !errors.Is(err, fs.ErrExist) || ResourceOf(filepath.Join(d.path, name)) == h.Resource {
			return nil, err
		}
		name = fmt.Sprintf("%s.%d", base, n)
	}
}

// WriteCounts makes a count file, as the function of this name does.
func (d *Dir) WriteCounts(name string, c *Counts, each map[uint64]uint64) error {
	create := func() (*os.File, error) { return d.open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL) }
	remove := func() error { return unix.Unlinkat(int(d.file.Fd()), name, 0) }
	return writeCounts(filepath.Join(d.path, name), create, remove, c, each)
}

// element reports whether name is one path element, and not hidden.
func element(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsAny(name, "/\x00")
}

func (d *Dir) open(name string, flags int) (*os.File, error) {
	path := filepath.Join(d.path, name)
	fd, err := unix.Openat(int(d.file.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}
