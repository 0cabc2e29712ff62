package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// A cache is a directory of tables, one for each path of an object: a first line
// that says of which file, the table, and a last line that says that this is all.
// A file of which anything is not as it should be counts as none, and is replaced.
// Each is made under another name and renamed, so that any number of processes may
// read and write at once. A nil cache keeps nothing.
//
// The directory is opened once, without following links, and has to be ours alone:
// what others can write there would be names in our reports.
type cache struct{ root *os.Root }

// key is the file that a table is of.
type key struct {
	path     string // absolute
	buildID  string // that was asked for, "" for any
	size     int64
	modified int64 // ns since 1970
}

// openCache opens the directory, "" for the user's own, "none" for none.
func openCache(dir string) (*cache, error) {
	switch dir {
	case "none":
		return nil, nil
	case "":
		base, err := os.UserCacheDir()
		if err != nil {
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
		return nil, fmt.Errorf("%s is no directory, but perhaps a link to one", dir)
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
	return &cache{root}, nil
}

// ours says whether a file is our own and nobody else may write it.
func ours(st os.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid() && st.Mode().Perm()&0o022 == 0
}

func (k key) file() string {
	sum := sha256.Sum256([]byte(k.path))
	return hex.EncodeToString(sum[:16]) + ".nm"
}

// head and foot are the first and the last line of the file.
func (k key) head() string {
	return fmt.Sprintf("pct-nm 1 %d %d %q %s\n", k.size, k.modified, k.buildID, strconv.Quote(k.path))
}

func (t table) foot() string {
	return fmt.Sprintf("end %d %08x\n", len(t), crc32.ChecksumIEEE(t))
}

// load returns the table of k, false if there is none.
func (c *cache) load(k key) (table, bool) {
	if c == nil {
		return nil, false
	}
	f, err := c.root.OpenFile(k.file(), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || !ours(st) {
		return nil, false
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, false
	}
	b, ok := bytes.CutPrefix(b, []byte(k.head()))
	if !ok {
		return nil, false
	}
	// The last line is the one behind the last but one newline.
	end := bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n') + 1
	t := table(b[:end])
	if string(b[end:]) != t.foot() || !t.valid() {
		return nil, false
	}
	return t, true
}

// store keeps the table of k.
func (c *cache) store(k key, t table) (err error) {
	if c == nil {
		return nil
	}
	name := fmt.Sprintf("%s.%d.new", k.file(), os.Getpid())
	// One that a process of our number left behind when it was killed.
	if err := c.root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := c.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			c.root.Remove(name)
		}
	}()
	for _, part := range [][]byte{[]byte(k.head()), t, []byte(t.foot())} {
		if _, err := f.Write(part); err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return c.root.Rename(name, k.file())
}
