package data

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// testNode is a node of a calls file, in a chunk of its own as a rule.
type testNode struct {
	object  uint16
	address uint64
	parent  int // number of its node, from 1; the root has 0
	self    uint32
	calls   uint32
}

// inChunk says that a node is in the chunk of the one before, which is its parent.
const inChunk = -1

// onlyCount is the object of what is no node, but a counter of its parent.
const onlyCount = 0xffff

// testTree is where the tree of a test's calls file begins.
const testTree = callsHeaderSize

// callsOf makes the bytes of a calls file as a collector does; nodes begin with the root.
func callsOf(objects string, nodes ...testNode) []byte {
	return countedCallsOf(false, objects, nodes...)
}

// countedCallsOf does that with activations, if they are counted.
func countedCallsOf(counted bool, objects string, nodes ...testNode) []byte {
	words := []uint32{0}
	head := 0 // of the last chunk
	length := func() { words[head] = words[head]&chunkText | uint32(len(words)-head)<<chunkParentBits }
	for text := []byte(objects); len(text) > 0; {
		head, words = len(words), append(words, chunkText)
		for n := 0; n < 254 && len(text) > 0; n++ {
			var word [4]byte
			text = text[copy(word[:], text):]
			words = append(words, binary.LittleEndian.Uint32(word[:]))
		}
		length()
	}
	at := make([]uint32, len(nodes)+10)
	for i, n := range nodes {
		if n.parent != inChunk {
			head = len(words)
			words = append(words, at[n.parent])
		} else {
			words = words[:len(words)-1]
		}
		if n.object == onlyCount {
			words = append(words, n.self)
			length()
			continue
		}
		at[i+1] = uint32(len(words))
		if n.object > 0 && n.object < longPlace && n.address < 1<<placeAddressBits {
			words = append(words, uint32(n.object)<<placeAddressBits|uint32(n.address))
		} else {
			words = append(words, longPlace<<placeAddressBits, uint32(n.address), uint32(n.object)<<16|uint32(n.address>>32))
		}
		if counted {
			words = append(words, n.calls)
		}
		words = append(words, n.self)
		length()
	}
	b := make([]byte, testTree+contextsHeaderSize+treeWord*len(words))
	u32 := func(at, v int) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }
	u64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }
	copy(b, callsMagic)
	u32(16, callsHeaderSize)
	u32(atCallsUsed, len(objects))
	u64(atCallsTree, testTree)
	u64(atCallsPeriod, uint64(time.Millisecond))
	u64(atCallsStart, uint64(time.Hour))
	u64(atCallsInterval, 1000)
	u64(atCallsLost, 2)
	u32(atCallsPid, 4711)
	copy(b[atCallsClock:], "perf")
	copy(b[atCallsResource:], "cpu")
	copy(b[atCallsUnit:], "µs")
	copy(b[testTree:], contextsMagic)
	u32(testTree+atTreeHeader, contextsHeaderSize)
	if counted {
		u32(testTree+atTreeCalls, 1)
	}
	u32(testTree+atTreeCount, len(words))
	u32(testTree+atTreeCapacity, len(words))
	u64(testTree+atTreeLost, 3)
	for i, word := range words {
		binary.LittleEndian.PutUint32(b[testTree+contextsHeaderSize+treeWord*i:], word)
	}
	return b
}

const testObjects = "1\t0\t1000\t2000\tc00\tab12\t/bin/p\n2\t2\t7000\t8000\t0\t\t[anon]\n"

// testCalls has two threads, a partial path, and a node that hangs in no tree.
func testCalls() []byte { return countedTestCalls(false) }

func countedTestCalls(counted bool) []byte {
	return countedCallsOf(counted, testObjects,
		testNode{objectRoot, 0, 0, 0, 0},
		testNode{objectRoot, 7, 1, 0, 0},
		testNode{1, 0x400, 2, 0, 2},
		testNode{1, 0x500, 3, 5, 4},
		testNode{objectRoot, 8, 1, 0, 0},
		testNode{objectPartial, 1, 5, 0, 0},
		testNode{2, 0x7010, 6, 3, 3},
		testNode{1, 0x500, 0, 0, 9},
		testNode{objectGuessed, 0, 5, 0, 0},
		testNode{0, 0xffff, 9, 1, 1},
	)
}

func openCalls(t testing.TB, b []byte) (*Run, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "calls")
	check(t, os.WriteFile(path, b, 0o600))
	return Open(path)
}

func TestCalls(t *testing.T) {
	r, err := openCalls(t, testCalls())
	check(t, err)
	want := Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: time.Millisecond, Start: time.Unix(3600, 0), Interval: 1000}
	if r.Header != want {
		t.Errorf("header %+v, want %+v", r.Header, want)
	}
	objects := []Object{{},
		{Path: "/bin/p", BuildID: "ab12", Start: 0x1000, End: 0x2000, Bias: 0xc00},
		{Path: "[anon]", Kind: 2, Start: 0x7000, End: 0x8000},
	}
	if !reflect.DeepEqual(r.Objects, objects) {
		t.Errorf("objects %+v", r.Objects)
	}
	if nodes := []Node{{}, {0, 1, 0x400}, {1, 1, 0x500}, {0, 2, 0x7010}, {0, 0, 0xffff}}; !reflect.DeepEqual(r.Nodes, nodes) {
		t.Errorf("nodes %+v", r.Nodes)
	}
	samples := []Sample{
		{Thread: 7, Node: 2, Weight: 5000, Count: 5, Untimed: true},
		{Thread: 8, Node: 3, Weight: 3000, Count: 3, Partial: true, Untimed: true},
		{Thread: 8, Node: 4, Weight: 1000, Count: 1, Untimed: true},
	}
	if !reflect.DeepEqual(r.Samples(), samples) {
		t.Errorf("samples %+v", r.Samples())
	}
	if m := r.Meta; m.Samples != 9 || m.Partial != 3 || m.Lost != 5 || m.Pid != 4711 || r.Lost[LostCounts] != 5 {
		t.Errorf("meta %+v, lost %v", m, r.Lost)
	}
	if want := []string{"call paths through code without call frame information, followed by its frame pointers: 1"}; !reflect.DeepEqual(r.Meta.Notes, want) {
		t.Errorf("notes %q", r.Meta.Notes)
	}
}

// A chunk has what one sample found new, and a counter of its last node; others have counters when they need them.
func TestChains(t *testing.T) {
	for _, counted := range []bool{false, true} {
		r, err := openCalls(t, countedCallsOf(counted, testObjects,
			testNode{objectRoot, 0, 0, 0, 0},
			testNode{objectRoot, 7, 1, 0, 0},
			testNode{1, 0x3ffffff, 2, 0, 1},
			testNode{1, 0x4000000, inChunk, 0, 2}, // takes three words
			testNode{2, 0x30, inChunk, 0, 3},
			testNode{0, 0x40, inChunk, 4, 4},
			testNode{onlyCount, 0, 3, 2, 0},
			testNode{1, 0x50, 5, 0, 5}, // below the middle of the chunk
			testNode{1, 0x60, inChunk, 1, 6},
			testNode{onlyCount, 0, 5, 0, 0}, // of two threads one was late
			testNode{onlyCount, 0, 5, 6, 0},
		))
		check(t, err)
		nodes := []Node{{}, {0, 1, 0x3ffffff}, {1, 1, 0x4000000}, {2, 2, 0x30}, {3, 0, 0x40}, {3, 1, 0x50}, {5, 1, 0x60}}
		if !reflect.DeepEqual(r.Nodes, nodes) {
			t.Errorf("nodes %+v", r.Nodes)
		}
		counts := map[NodeID]uint64{}
		for _, s := range r.Samples() {
			counts[s.Node] += s.Count
		}
		if want := map[NodeID]uint64{4: 4, 1: 2, 6: 1, 3: 6}; !reflect.DeepEqual(counts, want) || len(r.Samples()) != 4 {
			t.Errorf("samples %+v", r.Samples())
		}
		if calls := []uint32{0, 1, 2, 3, 4, 5, 6}; counted && !reflect.DeepEqual(r.Calls, calls) {
			t.Errorf("calls %v", r.Calls)
		}
	}
}

// A process that is killed while it writes a chunk, or a line, leaves what stood before.
func TestHalfWrittenCalls(t *testing.T) {
	objects := testObjects + strings.Repeat("x", 2000)
	nodes := []testNode{{objectRoot, 0, 0, 0, 0}, {1, 0x400, 1, 3, 0}, {1, 0x500, 2, 0, 0}, {1, 0x600, inChunk, 0, 0}, {2, 0x1_0000_0000, inChunk, 0, 0}}
	whole := callsOf(objects, nodes...)
	binary.LittleEndian.PutUint32(whole[atCallsUsed:], uint32(len(testObjects))) // the line after them is not finished
	last := len(whole) - treeWord*7                                              // the last chunk: head, 1, 1 and 3 words, count
	for end := last; end <= len(whole); end += treeWord {
		half := append([]byte{}, whole...)
		clear(half[end:])
		if end == last { // its head is not written, nor counted
			count := half[testTree+atTreeCount:]
			binary.LittleEndian.PutUint32(count, binary.LittleEndian.Uint32(count)-7)
		}
		r, err := openCalls(t, half)
		check(t, err)
		if len(r.Objects) != 3 || len(r.Nodes) < 2 || len(r.Samples()) != 1 || r.Samples()[0].Count != 3 {
			t.Errorf("up to byte %d of %d: objects %+v, nodes %+v, samples %+v", end, len(whole), r.Objects, r.Nodes, r.Samples())
		}
	}
}

// Activations are counted by each node, or by none.
func TestCountedCalls(t *testing.T) {
	plain, err := openCalls(t, testCalls())
	check(t, err)
	if plain.Calls != nil {
		t.Errorf("counts %v of activations that are not counted", plain.Calls)
	}
	r, err := openCalls(t, countedTestCalls(true))
	check(t, err)
	if want := []uint32{0, 2, 4, 3, 1}; !reflect.DeepEqual(r.Calls, want) {
		t.Errorf("calls %v, want %v", r.Calls, want)
	}
	if !reflect.DeepEqual(r.Nodes, plain.Nodes) || !reflect.DeepEqual(r.Samples(), plain.Samples()) {
		t.Errorf("nodes %+v, samples %+v", r.Nodes, r.Samples())
	}
	// Beside others that are not counted they stay parallel to the nodes.
	dir := t.TempDir()
	for i, b := range [][]byte{testCalls(), countedTestCalls(true), testCalls()} {
		check(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))), b, 0o600))
	}
	both, err := OpenFiles(dir, []string{"a", "b", "c"})
	check(t, err)
	if want := []uint32{0, 0, 0, 0, 0, 2, 4, 3, 1, 0, 0, 0, 0}; len(both.Damage) > 0 || !reflect.DeepEqual(both.Calls, want) {
		t.Errorf("calls %v, want %v; %v", both.Calls, want, both.Damage)
	}
}

// A calls file that is cut off gives what stands before, and a message.
func TestCutCalls(t *testing.T) {
	whole := testCalls()
	for cut := 1; cut < len(whole); cut++ {
		if cut > 100 && cut < testTree && cut%512 > 1 {
			continue
		}
		r, err := openCalls(t, whole[:cut])
		if err == nil {
			t.Fatalf("cut at %d: no message", cut)
		}
		var torn *Truncated
		if r == nil && cut >= testTree+contextsHeaderSize || r != nil && !errors.As(err, &torn) {
			t.Fatalf("cut at %d: %v, %v", cut, r, err)
		}
		if r != nil {
			consistent(t, r)
		}
	}
}

// One that is just being made has no tree yet, or none of its nodes.
func TestCallsBeingMade(t *testing.T) {
	b := callsOf("")
	if _, err := openCalls(t, b); err != nil {
		t.Error(err)
	}
	copy(b[testTree:], make([]byte, contextsHeaderSize))
	if r, err := openCalls(t, b); err != nil || len(r.Samples()) != 0 {
		t.Errorf("without a tree: %v, %v", r, err)
	}
}

// lastHead makes the last chunk of a calls file so many words long, and the file end there if that is less.
func lastHead(length uint32, nodes ...testNode) []byte {
	b := callsOf(testObjects, nodes...)
	words := treeWord * 3
	if nodes[len(nodes)-1].object == 0 {
		words = treeWord * 5
	}
	head := len(b) - words
	binary.LittleEndian.PutUint32(b[head:], length<<chunkParentBits|binary.LittleEndian.Uint32(b[head:])&chunkText)
	if length > 1 && int(length)*treeWord < words {
		b = b[:head+int(length)*treeWord]
		binary.LittleEndian.PutUint32(b[testTree+atTreeCount:], uint32(len(b)-testTree-contextsHeaderSize)/treeWord)
	}
	return b
}

// What contradicts itself is told, and the rest is read.
func TestDamagedCalls(t *testing.T) {
	tests := []struct {
		why   string
		bytes []byte
	}{
		{"belong to no tree", callsOf(testObjects, testNode{objectRoot, 0, 0, 1, 0}, testNode{1, 1, 2, 1, 0}, testNode{1, 2, 9, 1, 0}, testNode{1, 2, 0, 1, 0})},
		{"in unknown objects", callsOf(testObjects, testNode{objectRoot, 0, 0, 0, 0}, testNode{7, 1, 1, 1, 0})},
		{"a chunk of 200 words", lastHead(200, testNode{objectRoot, 0, 0, 1, 0}, testNode{1, 1, 1, 1, 0})},
		{"a chunk of 1 words", lastHead(1, testNode{objectRoot, 0, 0, 1, 0}, testNode{1, 1, 1, 1, 0})},
		{"belong to no tree", lastHead(3, testNode{objectRoot, 0, 0, 1, 0}, testNode{0, 1, 1, 1, 0})}, // a place of three words, and the count
		{"line about objects", callsOf("1\tx\n"+testObjects, testNode{objectRoot, 0, 0, 0, 0}, testNode{1, 1, 1, 1, 0})},
		{"line about objects", callsOf(testObjects+"3\t0\t10", testNode{objectRoot, 0, 0, 0, 0}, testNode{1, 1, 1, 1, 0})},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "calls")
		check(t, os.WriteFile(path, tt.bytes, 0o600))
		r, err := OpenFiles(filepath.Dir(path), []string{"calls", "calls"})
		if err != nil || len(r.Damage) != 2 || !strings.Contains(r.Damage[0].Error(), tt.why) || r.Packed.Len() == 0 {
			t.Errorf("want %q: %v, %+v", tt.why, err, r)
		}
	}
}

func FuzzCalls(f *testing.F) {
	f.Add(testCalls())
	f.Add(countedTestCalls(true))
	f.Fuzz(func(t *testing.T, src []byte) {
		path := filepath.Join(t.TempDir(), "calls")
		check(t, os.WriteFile(path, src, 0o600))
		r := newRun()
		if err := r.readCalls(path); err == nil && len(src) < callsHeaderSize {
			t.Fatalf("%d bytes are taken for whole", len(src))
		}
		consistent(t, r)
	})
}

// Whatever a byte becomes, what is read is consistent.
func TestFlippedCalls(t *testing.T) {
	whole := countedTestCalls(true)
	path := filepath.Join(t.TempDir(), "calls")
	for i := range whole {
		if whole[i] == 0 && i%64 > 0 {
			continue
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := append([]byte{}, whole...)
			bad[i] ^= flip
			check(t, os.WriteFile(path, bad, 0o600))
			r := newRun()
			_ = r.readCalls(path)
			consistent(t, r)
		}
	}
}

// A process that was measured by several resources has a file for each.
func TestOpenAll(t *testing.T) {
	dir := t.TempDir()
	put := func(name, resource string, samples uint32) {
		b := callsOf("1\t1\t400000\t500000\t0\tab\t/bin/a\n", testNode{object: objectRoot}, testNode{object: 1, address: 0x400010, parent: 1, self: samples})
		copy(b[atCallsResource:], resource+"\x00")
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	names := func() (names []string) {
		runs, err := OpenAll(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			if r.Dir != dir || len(r.Damage) > 0 || r.Packed.Len() != 1 || r.Meta.Samples != r.Packed.Count {
				t.Errorf("%s: %+v", r.Header.Resource, r)
			}
			names = append(names, r.Header.Resource)
		}
		return names
	}
	put("calls.io", "io", 3)
	put("calls.alloc", "alloc", 5)
	if got := names(); !reflect.DeepEqual(got, []string{"alloc", "io"}) {
		t.Errorf("without the first one: %v", got)
	}
	put("calls", "cpu", 7)
	if got := names(); !reflect.DeepEqual(got, []string{"cpu", "alloc", "io"}) {
		t.Errorf("resources %v", got)
	}
	if r, err := Open(dir); err != nil || r.Header.Resource != "cpu" || r.Meta.Samples != 7 {
		t.Errorf("Open: %+v, %v", r, err)
	}
	// What is no file of call paths is not another resource.
	if err := os.WriteFile(filepath.Join(dir, "calls.txt"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := names(); len(got) != 3 {
		t.Errorf("resources %v", got)
	}
}

// withLasting appends a chunk that tells of the activations of the first node at a place.
func withLasting(b []byte, place uint32, words ...uint32) []byte {
	at := 0
	for i := testTree + contextsHeaderSize; i < len(b) && at == 0; i += treeWord {
		if binary.LittleEndian.Uint32(b[i:]) == place {
			at = (i - testTree - contextsHeaderSize) / treeWord
		}
	}
	words = append([]uint32{uint32(at)}, words...)
	for len(words)%lastingWords > 0 {
		words = append(words, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(1+len(words))<<chunkParentBits|chunkLasting)
	for _, word := range words {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	n := uint32(len(b)-testTree-contextsHeaderSize) / treeWord
	binary.LittleEndian.PutUint32(b[testTree+atTreeCount:], n)
	binary.LittleEndian.PutUint32(b[testTree+atTreeCapacity:], n)
	return b
}

func TestLasting(t *testing.T) {
	const node = 1<<placeAddressBits | 0x500
	b := withLasting(countedTestCalls(true), node, 3, 2, 9, 1, 0)
	r, err := openCalls(t, b)
	check(t, err)
	if want := (map[NodeID]Lasting{2: {Twice: 3, Thrice: 2, Most: 9, Next: 1}}); !reflect.DeepEqual(r.Lasting, want) {
		t.Errorf("%+v, want %+v", r.Lasting, want)
	}
	// Of several in a chunk one that is not used is none.
	b = withLasting(countedTestCalls(true), node, append([]uint32{3, 2, 9, 1, 0}, make([]uint32, lastingWords)...)...)
	if r, err = openCalls(t, b); err != nil || len(r.Lasting) != 1 {
		t.Errorf("%+v, %v", r.Lasting, err)
	}
	b = withLasting(countedTestCalls(true), node, 3, 2, 9, 1, 0, 4, 2, 9, 41)
	r, err = openCalls(t, b)
	check(t, err)
	if want := (map[NodeID]Lasting{2: {Twice: 3, Thrice: 2, Most: 9, Next: 1, Alone: 4, Heavy: 2, Heavier: 9, Squares: 41}}); !reflect.DeepEqual(r.Lasting, want) {
		t.Errorf("%+v, want %+v", r.Lasting, want)
	}
	// One that is being made is none.
	b = withLasting(countedTestCalls(true), 1<<31, 1, 1, 1, 1, 1)
	if r, err = openCalls(t, b); err != nil || r.Lasting == nil || len(r.Lasting) > 0 {
		t.Errorf("%+v, %v", r.Lasting, err)
	}
	// The version before did not tell.
	b = countedTestCalls(true)
	copy(b[testTree:], contextsMagic3)
	if r, err = openCalls(t, b); err != nil || r.Lasting != nil || r.Calls == nil {
		t.Errorf("%+v, %v", r.Lasting, err)
	}
	// A node that is none.
	b = withLasting(countedTestCalls(true), node, 3, 2, 9, 1, 0)
	binary.LittleEndian.PutUint32(b[len(b)-lastingWords*treeWord:], 1)
	if _, err = openCalls(t, b); err == nil || !strings.Contains(err.Error(), "belong to no tree") {
		t.Errorf("%v", err)
	}
}
