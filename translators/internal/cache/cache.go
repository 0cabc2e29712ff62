// Package cache keeps files for the next time in the user's cache directory. All of
// them can be made anew: one that is lost costs time alone.
package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// variable of the environment names the directory, or says none.
const variable = "PCT_CACHE"

// none stands for no directory.
const none = "none"

// A Dir is a directory of files that are made under another name and renamed, so that
// any number of processes may read and write at once. A nil Dir keeps nothing.
//
// The directory is opened once, without following links, and has to be ours alone:
// what others can write there would be names in our reports.
type Dir struct {
	root *os.Root
	most int64 // bytes of all files
}

// Open opens a directory and makes it if need be; "" is that of $PCT_CACHE, else
// pct in the user's own, "none" none.
func Open(dir string) (*Dir, error) {
	if dir == "" {
		dir = os.Getenv(variable)
	}
	switch dir {
	case none:
		return nil, nil
	case "":
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		// Who has no home gets none.
		if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		dir = filepath.Join(base, "pct")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	before, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, fmt.Errorf("%s is not a directory (symbolic links are not followed)", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	st, err := root.Stat(".")
	if err == nil && !os.SameFile(before, st) {
		err = fmt.Errorf("%s has changed while it was opened", dir)
	}
	if err == nil && !ours(st) {
		err = fmt.Errorf("%s can be written by others", dir)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Dir{root, mostBytes}, nil
}

// ours says whether a file is our own and nobody else may write it.
func ours(st os.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid() && st.Mode().Perm()&0o022 == 0
}

// Load returns a file, false if there is none that is ours.
func (d *Dir) Load(name string) ([]byte, bool) {
	if d == nil {
		return nil, false
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || !ours(st) || st.Size() > d.most {
		return nil, false
	}
	b := make([]byte, st.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, false
	}
	// Files that are used stay the longest. It is no matter if that can't be noted.
	if now := time.Now(); now.Sub(st.ModTime()) > usedAgain {
		_ = d.root.Chtimes(name, now, now)
	}
	return b, true
}

// Store keeps a file of these parts.
func (d *Dir) Store(name string, parts ...[]byte) (err error) {
	if d == nil {
		return nil
	}
	made := fmt.Sprintf("%s.%016x%s", name, rand.Uint64(), newSuffix)
	f, err := d.root.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.root.Remove(made)
		}
	}()
	for _, part := range parts {
		if _, err := f.Write(part); err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := d.root.Rename(made, name); err != nil {
		return err
	}
	d.trim()
	return nil
}

// Close gives the directory up. Nothing may be asked of it any more.
func (d *Dir) Close() {
	if d != nil {
		d.root.Close()
	}
}
