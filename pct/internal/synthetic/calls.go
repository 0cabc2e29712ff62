package synthetic

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/profilecollection/pct/internal/resource"
)

// Layout of a tree of counts with activations, as in docs/FORMAT.md.
const (
	callsHeader = 128
	treeHeader  = 96
	objectShift = 26
	longPlace   = 63
	rootObject  = 0xfff0
	textChunk   = 1<<24 - 1
	longChunk   = 1<<24 - 2 // of activations seen more than once
	lengthShift = 24
)

// callTree is a tree of counts in one object, whose number is 1.
type callTree struct {
	object string
	words  []uint32
	long   bool // activations seen more than once are told
}

// newTree has no nodes.
func newTree(path string) *callTree {
	t := &callTree{object: fmt.Sprintf("1\t0\t1000\t2000\t0\t\t%s\n", path), words: []uint32{0}}
	for len(t.object)%4 > 0 {
		t.object += "\x00"
	}
	t.words = append(t.words, uint32(1+len(t.object)/4)<<lengthShift|textChunk)
	for at := 0; at < len(t.object); at += 4 {
		t.words = append(t.words, binary.LittleEndian.Uint32([]byte(t.object[at:])))
	}
	return t
}

// add adds a node in a chunk of its own, and returns its number. One of the object has one activation.
func (t *callTree) add(parent uint32, object uint16, address uint64) uint32 {
	if object == rootObject {
		t.words = append(t.words, 6<<lengthShift|parent, longPlace<<objectShift, uint32(address), uint32(object)<<16, 0, 0)
		return uint32(len(t.words) - 5)
	}
	t.words = append(t.words, 4<<lengthShift|parent, uint32(object)<<objectShift|uint32(address), 1, 0)
	return uint32(len(t.words) - 3)
}

// count adds a sample at a node of the object.
func (t *callTree) count(node uint32) { t.words[node+2]++ }

// called says that the samples of a node saw so many activations, each of them three times or more, and that two of the
// samples weigh more than one.
func (t *callTree) called(node, calls uint32) {
	t.words[node+1] = calls
	t.words = append(t.words, 11<<lengthShift|longChunk, node, calls, calls, 2*t.words[node+2]/calls, 0, 0, 0, 2, 5, 13)
	t.long = true
}

// file is the file of the tree.
func (t *callTree) file() []byte {
	b := make([]byte, callsHeader+treeHeader, callsHeader+treeHeader+4*len(t.words))
	copy(b, "PCTcalls2\n")
	binary.LittleEndian.PutUint32(b[16:], callsHeader)
	binary.LittleEndian.PutUint32(b[28:], uint32(len(t.object)))
	binary.LittleEndian.PutUint64(b[32:], callsHeader)
	binary.LittleEndian.PutUint64(b[40:], uint64(period))
	binary.LittleEndian.PutUint64(b[48:], uint64(first.UnixNano()))
	binary.LittleEndian.PutUint64(b[56:], uint64(period/time.Microsecond))
	binary.LittleEndian.PutUint32(b[72:], firstPid)
	copy(b[80:], "perf")
	copy(b[96:], resource.CPU)
	copy(b[112:], resource.Microsecond)
	head := b[callsHeader:]
	copy(head, "PCTtree3")
	if t.long {
		copy(head, "PCTtree4")
	}
	binary.LittleEndian.PutUint32(head[16:], treeHeader)
	binary.LittleEndian.PutUint32(head[20:], 1)
	binary.LittleEndian.PutUint32(head[24:], uint32(len(t.words)))
	binary.LittleEndian.PutUint32(head[28:], uint32(len(t.words)))
	for _, word := range t.words {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return b
}

// WriteCalls makes a run directory of the library's with counts of activations, below root: a stack so deep, of so many
// functions that call each other by turns, with a sample at each depth.
func WriteCalls(root string, depth, symbols int) (string, error) {
	dir := filepath.Join(root, fmt.Sprintf("calls.%d", firstPid))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	t := newTree("/bin/prog")
	at := t.add(0, rootObject, 0)
	for n := range depth {
		at = t.add(at, 1, address(n%symbols))
		t.count(at)
	}
	return dir, os.WriteFile(filepath.Join(dir, "calls"), t.file(), 0o600)
}
