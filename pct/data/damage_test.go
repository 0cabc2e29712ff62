package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// newRun is an empty run for decode.
func newRun() *Run {
	return &Run{Objects: make([]Object, 1), Nodes: make([]Node, 1), Fields: make([]string, 1), Lost: map[string]uint64{}}
}

// frames returns where the whole frames of a paths file end.
func frames(t testing.TB, src []byte) []int {
	t.Helper()
	at := len(magic)
	ends := []int{at}
	for at < len(src) {
		length, n := binary.Uvarint(src[at:])
		at += n + int(length) + crc32.Size
		ends = append(ends, at)
	}
	if at != len(src) {
		t.Fatalf("frames end at %d of %d", at, len(src))
	}
	return ends
}

func TestTruncatedAtEveryByte(t *testing.T) {
	want := sampleRun(t)
	path := filepath.Join(want.Dir, pathsOf("cpu"))
	src, err := os.ReadFile(path)
	check(t, err)
	ends := frames(t, src)
	// Header, sample, lost, sample, sample, sample, lost, node.
	samplesAfter := []int{0, 0, 1, 1, 2, 3, 4, 4, 4}
	if len(ends) != len(samplesAfter) {
		t.Fatalf("%d frames, want one for each write: %d", len(ends), len(samplesAfter))
	}
	for cut := len(src); cut >= 0; cut-- {
		check(t, os.Truncate(path, int64(cut)))
		whole, samples := -1, 0
		for i, end := range ends {
			if end <= cut {
				whole, samples = end, samplesAfter[i]
			}
		}
		got, err := Open(want.Dir)
		offset := max(whole, 0)
		var truncated *Truncated
		switch {
		case whole == cut && err != nil:
			t.Fatalf("cut at the frame end %d: %v", cut, err)
		case whole != cut && (!errors.As(err, &truncated) || truncated.Offset != int64(offset) || truncated.Size != int64(cut)):
			t.Fatalf("cut at %d: %v, want whole records up to %d", cut, err, offset)
		case got == nil:
			t.Fatalf("cut at %d: no run", cut)
		case len(got.Samples()) != samples || samples > 0 && !reflect.DeepEqual(got.Samples(), want.Samples()[:samples]):
			t.Fatalf("cut at %d: samples %+v, want the first %d", cut, got.Samples(), samples)
		}
	}
}

// A flipped bit is found by the checksum, so that what stands before is right
// and nothing after is believed.
func TestFlippedBits(t *testing.T) {
	want := sampleRun(t)
	path := filepath.Join(want.Dir, pathsOf("cpu"))
	src, err := os.ReadFile(path)
	check(t, err)
	for i := range src {
		for bit := range 8 {
			bad := bytes.Clone(src)
			bad[i] ^= 1 << bit
			r := newRun()
			whole, err := r.decode(bytes.NewReader(bad))
			if err == nil || whole > i {
				t.Fatalf("bit %d of byte %d flipped: believed up to %d, %v", bit, i, whole, err)
			}
			if n := len(r.Samples()); n > 0 && !reflect.DeepEqual(r.Samples(), want.Samples()[:n]) {
				t.Fatalf("bit %d of byte %d flipped: samples %+v", bit, i, r.Samples())
			}
		}
	}
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	if err == nil || !strings.Contains(err.Error(), "the disk was full") {
		t.Errorf("an empty directory: %v", err)
	}
	want := sampleRun(t).Dir
	if _, err := Open(filepath.Dir(want)); err == nil || !strings.HasSuffix(err.Error(), "it holds some, such as "+want) {
		t.Errorf("the directory above: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent directory: %v", err)
	}
	path := filepath.Join(dir, pathsOf("cpu"))
	check(t, os.WriteFile(path, []byte("PCTpaths2\n"), 0o600))
	r, err := Open(path)
	if r != nil || err == nil || !strings.Contains(err.Error(), "version") {
		t.Errorf("a paths file of another version: %v, %v", r, err)
	}
}

func TestSkipsUnknownItems(t *testing.T) {
	r := newRun()
	known := appendString([]byte{itemField}, "\x01n\x00\x00 later addition")
	src := append(appendString([]byte{'?'}, "of a later version"), known...)
	check(t, r.payload(string(src), new(Sample)))
	if !reflect.DeepEqual(r.Fields, []string{"", "n"}) {
		t.Errorf("fields %q", r.Fields)
	}
}

// A sample that stands for none, and names of no object, or of more lines than there
// are, are damage.
func TestRefusesImpossibleItems(t *testing.T) {
	for _, body := range []string{
		"S" + "\x00\x00\x00\x00\x01\x00\x00\x00",         // count 0
		"Y" + "\x01\x05\x00",                             // object 1
		"Y" + "\x00\x05\x02\x00\x00\x00",                 // two names, one given
		"Y" + "\x00\x05\x01\x00\x00\x80\x80\x80\x80\x08", // line 2^31
	} {
		r := newRun()
		src := appendString([]byte{body[0]}, body[1:])
		if err := r.payload(string(src), new(Sample)); !errors.Is(err, errDamaged) || r.Packed.Len()+len(r.Names) > 0 {
			t.Errorf("%q: %v, %+v %+v", body, err, r.Packed, r.Names)
		}
	}
}

// consistent fails unless r keeps what Run promises.
func consistent(t *testing.T, r *Run) {
	t.Helper()
	for id, n := range r.Nodes[1:] {
		if int(n.Parent) > id || int(n.Object) >= len(r.Objects) {
			t.Fatalf("node %d is %+v", id+1, n)
		}
	}
	if r.Calls != nil && len(r.Calls) != len(r.Nodes) {
		t.Fatalf("%d counts of activations for %d nodes", len(r.Calls), len(r.Nodes))
	}
	for p := range r.Names {
		if int(p.Object) >= len(r.Objects) {
			t.Fatalf("names of %+v", p)
		}
	}
	for _, s := range r.Samples() {
		if int(s.Node) >= len(r.Nodes) || s.Count == 0 {
			t.Fatalf("sample %+v", s)
		}
		for _, f := range s.Fields {
			if f.Field == 0 || int(f.Field) >= len(r.Fields) {
				t.Fatalf("sample %+v", s)
			}
		}
	}
}

func FuzzFile(f *testing.F) {
	src, err := os.ReadFile(filepath.Join(sampleRun(f).Dir, pathsOf("cpu")))
	check(f, err)
	f.Add(src)
	f.Fuzz(func(t *testing.T, src []byte) {
		r := newRun()
		whole, err := r.decode(bytes.NewReader(src))
		if whole > len(src) || len(src) > 0 && whole == len(src) != (err == nil) {
			t.Fatalf("whole up to %d of %d with %v", whole, len(src), err)
		}
		consistent(t, r)
	})
}

// FuzzPayload goes past the checksum.
func FuzzPayload(f *testing.F) {
	src, err := os.ReadFile(filepath.Join(sampleRun(f).Dir, pathsOf("cpu")))
	check(f, err)
	ends := frames(f, src)
	for i := range ends[1:] {
		_, n := binary.Uvarint(src[ends[i]:])
		f.Add(src[ends[i]+n : ends[i+1]-crc32.Size])
	}
	w, dir := newTestWriter(f)
	w.Gather(1 << 20) // one payload
	argumentsOfSamples(f, w)
	check(f, w.Close())
	if src, err = os.ReadFile(filepath.Join(dir, pathsOf(""))); err != nil {
		f.Fatal(err)
	}
	ends = frames(f, src)
	_, n := binary.Uvarint(src[ends[len(ends)-2]:])
	f.Add(src[ends[len(ends)-2]+n : ends[len(ends)-1]-crc32.Size])
	f.Fuzz(func(t *testing.T, src []byte) {
		r := newRun()
		err := r.payload(string(src), new(Sample))
		if err != nil && !errors.Is(err, errDamaged) {
			t.Fatal(err)
		}
		r.settleValues()
		consistent(t, r)
	})
}

func FuzzMeta(f *testing.F) {
	src, err := os.ReadFile(filepath.Join(sampleRun(f).Dir, metaFile))
	check(f, err)
	f.Add(src)
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := decodeMeta(src)
		if err != nil {
			return
		}
		text := m.encode()
		again, err := decodeMeta(text)
		if err != nil {
			t.Fatalf("%v in what encode made: %q", err, text)
		}
		if !bytes.Equal(again.encode(), text) {
			t.Fatalf("%q becomes %q", text, again.encode())
		}
	})
}

// Of a run whose collector was killed at any instant, what is whole is read.
func TestKilledCollector(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, metaFile)
	check(t, os.WriteFile(file, []byte("version=1\nexe=/bin/prog\nstate=runn"), 0o600))
	if m, err := ReadMeta(dir); m.Exe != "/bin/prog" || m.State != "" || err == nil || !strings.Contains(err.Error(), "line 3 is cut off; the data before it were read") {
		t.Errorf("a meta that is cut off: %+v, %v", m, err)
	}
	for _, name := range []string{treeFile, "." + metaFile, ".paths.cpu.new7"} {
		dir := t.TempDir()
		check(t, os.WriteFile(filepath.Join(dir, name), []byte("1\n"), 0o600))
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "has no data: its collector was killed before it wrote any") {
			t.Errorf("a directory with %s alone: %v", name, err)
		}
	}
}
