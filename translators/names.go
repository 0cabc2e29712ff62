package translators

import (
	"bytes"
	"fmt"
	"os"
	"slices"
)

// Names are what was answered about an object, to be kept with the addresses.
type Names struct {
	Object, BuildID string
	File            FileID // of an object without a build-id

	of *answers
}

// A FileID tells one content of a file from others, where no build-id does. Its zero value
// is that of none.
type FileID struct {
	Size     int64
	Modified int64 // ns since 1970
}

// FileIDOf is that of a file as it is now, zero if it is no regular one.
func FileIDOf(path string) FileID {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return FileID{}
	}
	return FileID{st.Size(), st.ModTime().UnixNano()}
}

// Add adds the frames of an address, of which Find returns the first that was added.
func (n *Names) Add(vaddr uint64, frames []Location) {
	if n.of == nil {
		n.of = &answers{}
	}
	n.of.vaddrs, n.of.frames = append(n.of.vaddrs, vaddr), append(n.of.frames, frames)
}

// Find returns the frames of an address, innermost first; nil if it has none.
func (n *Names) Find(vaddr uint64) []Location {
	if i, ok := slices.BinarySearch(n.of.vaddrs, vaddr); ok {
		return n.of.frames[i]
	}
	return nil
}

const namesMagic = "PCTnames1\n"

// EncodeNames writes names as a file: of answers, with a list for each line of its head.
func EncodeNames(all []Names) ([]byte, error) {
	head := []byte(namesMagic)
	lists := make([]*answers, len(all))
	for i, n := range all {
		head = fmt.Appendf(head, "%q %d %d %q\n", n.BuildID, n.File.Size, n.File.Modified, n.Object)
		var each []answer
		for j, vaddr := range n.of.vaddrs {
			each = append(each, answer{vaddr, n.of.frames[j]})
		}
		lists[i] = (&answers{}).with(each)
	}
	b := encodeAnswers(append(head, '\n'), lists)
	if len(b) > mostAnswers {
		return nil, fmt.Errorf("the names take %d MB, more than the %d that are kept", len(b)>>20, mostAnswers>>20)
	}
	return b, nil
}

// DecodeNames reads what EncodeNames wrote, false if it is anything else.
func DecodeNames(b []byte) ([]Names, bool) {
	content, ok := checked(b)
	rest, found := bytes.CutPrefix(content, []byte(namesMagic))
	if !ok || !found {
		return nil, false
	}
	var all []Names
	for {
		var line []byte
		if line, rest, ok = bytes.Cut(rest, []byte("\n")); !ok {
			return nil, false
		}
		if len(line) == 0 {
			break
		}
		var n Names
		if _, err := fmt.Sscanf(string(line), "%q %d %d %q", &n.BuildID, &n.File.Size, &n.File.Modified, &n.Object); err != nil {
			return nil, false
		}
		all = append(all, n)
	}
	lists, ok := decodeAnswers(rest)
	if !ok || len(lists) != len(all) {
		return nil, false
	}
	for i := range all {
		all[i].of = lists[i]
	}
	return all, true
}
