package synthetic

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/profilecollection/pct/internal/resource"
)

// Layout of a calls file with counts of activations, as in docs/FORMAT.md.
const (
	callsHeader = 128
	treeHeader  = 96
	objectShift = 26
	longPlace   = 63
	rootObject  = 0xfff0
	textChunk   = 1<<24 - 1
	lengthShift = 24
)

// WriteCalls makes a run directory of the library's with counts of activations, below root: a stack so deep, of so many
// functions that call each other by turns, with a sample at each depth.
func WriteCalls(root string, depth, symbols int) (string, error) {
	dir := filepath.Join(root, fmt.Sprintf("calls.%d", firstPid))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	object := "1\t0\t1000\t2000\t0\t\t/bin/prog\n"
	for len(object)%4 > 0 {
		object += "\x00"
	}
	words := []uint32{0, uint32(1+len(object)/4)<<lengthShift | textChunk}
	for at := 0; at < len(object); at += 4 {
		words = append(words, binary.LittleEndian.Uint32([]byte(object[at:])))
	}
	// The root of the tree, then chunks of a node and its samples.
	words = append(words, 6<<lengthShift, longPlace<<objectShift, 0, rootObject<<16, 0, 0)
	parent := uint32(len(words) - 5)
	for n := range depth {
		words = append(words, 4<<lengthShift|parent, 1<<objectShift|uint32(address(n%symbols)), 1, 1)
		parent = uint32(len(words) - 3)
	}
	b := make([]byte, callsHeader+treeHeader, callsHeader+treeHeader+4*len(words))
	copy(b, "PCTcalls2\n")
	binary.LittleEndian.PutUint32(b[16:], callsHeader)
	binary.LittleEndian.PutUint32(b[28:], uint32(len(object)))
	binary.LittleEndian.PutUint64(b[32:], callsHeader)
	binary.LittleEndian.PutUint64(b[40:], uint64(period))
	binary.LittleEndian.PutUint64(b[48:], uint64(first.UnixNano()))
	binary.LittleEndian.PutUint64(b[56:], uint64(period/time.Microsecond))
	binary.LittleEndian.PutUint32(b[72:], firstPid)
	copy(b[80:], "perf")
	copy(b[96:], resource.CPU)
	copy(b[112:], resource.Microsecond)
	t := b[callsHeader:]
	copy(t, "PCTtree3")
	binary.LittleEndian.PutUint32(t[16:], treeHeader)
	binary.LittleEndian.PutUint32(t[20:], 1)
	binary.LittleEndian.PutUint32(t[24:], uint32(len(words)))
	binary.LittleEndian.PutUint32(t[28:], uint32(len(words)))
	for _, word := range words {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return dir, os.WriteFile(filepath.Join(dir, "calls"), b, 0o600)
}
