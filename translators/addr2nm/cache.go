package addr2nm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/profilecollection/pct/translators/internal/cache"
)

// tables are those that are kept, a file for each path of an object: a first line that
// says of which file, the table, and a last line that says that this is all. A file of
// which anything is not as it should be counts as none, and is replaced.
type tables struct{ *cache.Dir }

// key is the file that a table is of.
type key struct {
	path     string // absolute
	buildID  string // that was asked for, "" for any
	size     int64
	modified int64 // ns since 1970
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
func (c tables) load(k key) (table, bool) {
	b, ok := c.Load(k.file())
	if !ok {
		return nil, false
	}
	if b, ok = bytes.CutPrefix(b, []byte(k.head())); !ok {
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
func (c tables) store(k key, t table) error {
	return c.Store(k.file(), []byte(k.head()), t, []byte(t.foot()))
}
