package data

import (
	"errors"
	"os/signal"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func newTestWriter(t testing.TB) (*Writer, string) {
	t.Helper()
	d, err := Create(t.TempDir(), "p", 1)
	check(t, err)
	w, err := d.NewWriter(Header{})
	check(t, err)
	return w, d.Path()
}

func TestInterned(t *testing.T) {
	w, _ := newTestWriter(t)
	o := w.Object("a", "", 'f', 1, 2, 3)
	if again := w.Object("a", "", 'f', 1, 2, 3); again != o || o != 1 {
		t.Errorf("objects %d and %d", o, again)
	}
	if other := w.Object("a", "", 'f', 1, 2, 4); other != 2 {
		t.Errorf("object %d", other)
	}
	n := w.Node(0, o, 5)
	if again := w.Node(0, o, 5); again != n || n != 1 {
		t.Errorf("nodes %d and %d", n, again)
	}
	if other := w.Node(n, o, 5); other != 2 {
		t.Errorf("node %d", other)
	}
	if f := w.Field("x"); f != 1 || w.Field("x") != 1 || w.Field("y") != 2 {
		t.Errorf("field %d", f)
	}
}

func TestSampleRefusesForeignIDs(t *testing.T) {
	w, _ := newTestWriter(t)
	for _, s := range []Sample{{Node: 1}, {Fields: []FieldValue{{1, ""}}}, {Fields: []FieldValue{{0, ""}}}} {
		if err := w.Sample(s); err == nil {
			t.Errorf("%+v was taken", s)
		}
	}
}

// What is gathered is in the file when there is enough of it, and at the end.
func TestGather(t *testing.T) {
	w, dir := newTestWriter(t)
	w.Gather(1000)
	for n := 1; n <= 500; n++ {
		check(t, w.Sample(Sample{Node: w.Node(0, 0, uint64(n)), Weight: uint64(n)}))
		if n == 1 || n == 400 {
			r, err := Open(dir)
			check(t, err)
			if early := len(r.Samples()); n == 1 && early != 0 || n == 400 && (early < 300 || early > 400) {
				t.Errorf("after %d samples %d are in the file", n, early)
			}
		}
	}
	check(t, w.Close())
	r, err := Open(dir)
	check(t, err)
	if len(r.Samples()) != 500 || r.Samples()[499].Weight != 500 || r.Nodes[r.Samples()[499].Node].Vaddr != 500 {
		t.Errorf("%d samples are in the file", len(r.Samples()))
	}
}

// A file that can't grow: the torn frame is taken back, and once there is room
// again nothing that was named is missing.
func TestNoRoom(t *testing.T) {
	w, dir := newTestWriter(t)
	node := w.Node(0, w.Object("obj", "", 'f', 0, 0, 0), 1)
	check(t, w.Sample(Sample{Node: node}))

	node = w.Node(node, 0, 2)
	withFileLimit(t, uint64(w.size)+5, func() {
		if err := w.Sample(Sample{Node: node, Thread: 99}); !errors.Is(err, unix.EFBIG) {
			t.Errorf("in a full file: %v", err)
		}
	})
	if _, err := Open(dir); err != nil {
		t.Errorf("the torn frame was left: %v", err)
	}

	node = w.Node(node, 0, 3)
	check(t, w.Sample(Sample{Node: node, Thread: 100}))
	check(t, w.Close())
	r, err := Open(dir)
	check(t, err)
	wantNodes := []Node{{}, {0, 1, 1}, {1, 0, 2}, {2, 0, 3}}
	wantSamples := []Sample{{Node: 1, Count: 1}, {Node: 3, Thread: 100, Count: 1}}
	if !reflect.DeepEqual(r.Nodes, wantNodes) || !reflect.DeepEqual(r.Samples(), wantSamples) {
		t.Errorf("nodes %+v samples %+v", r.Nodes, r.Samples())
	}
}

// withFileLimit runs f while no file can grow beyond size bytes: a write(2)
// that does not fit is done in part.
func withFileLimit(t *testing.T, size uint64, f func()) {
	t.Helper()
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	var old unix.Rlimit
	check(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &old))
	check(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: old.Max}))
	f()
	check(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &old))
}

// Readers of a growing file always find a prefix of what was written.
func TestReadWhileWritten(t *testing.T) {
	w, dir := newTestWriter(t)
	const samples = 20000
	done := make(chan error, 1)
	go func() {
		o := w.Object("obj", "", 'f', 0, 0, 0)
		x := w.Field("x")
		for i := range samples {
			node := w.Node(w.Node(0, o, uint64(i%7)), o, uint64(i%101))
			err := w.Sample(Sample{Time: time.Duration(i), Node: node, Fields: []FieldValue{{x, "v"}}})
			if err != nil {
				done <- err
				return
			}
		}
		done <- w.Close()
	}()
	read := func() int {
		r, err := Open(filepath.Join(dir, pathsOf("")))
		var truncated *Truncated
		if err != nil && !errors.As(err, &truncated) {
			t.Fatal(err)
		}
		for i, s := range r.Samples() {
			n := r.Nodes[s.Node]
			if s.Time != time.Duration(i) || n.Vaddr != uint64(i%101) || r.Nodes[n.Parent].Vaddr != uint64(i%7) {
				t.Fatalf("sample %d is %+v at %+v", i, s, n)
			}
		}
		return len(r.Samples())
	}
	for seen := 0; ; {
		n := read()
		if n < seen {
			t.Fatalf("%d samples after %d", n, seen)
		}
		seen = n
		select {
		case err := <-done:
			check(t, err)
			if n := read(); n != samples {
				t.Fatalf("%d samples at the end", n)
			}
			return
		default:
		}
	}
}

// BenchmarkSample is a sample as dbctl writes it: 20 interned frames, a field.
func BenchmarkSample(b *testing.B) {
	w, _ := newTestWriter(b)
	o := w.Object("/bin/p", "", 'f', 0, 1<<20, 0)
	x := w.Field("x")
	fields := []FieldValue{{x, "123456"}}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		var node NodeID
		for depth := range 20 {
			node = w.Node(node, o, uint64(depth*64+i%3))
		}
		s := Sample{Time: time.Duration(i) * 1e7, CPU: time.Duration(i) * 1e7, Thread: 4242, Node: node, Weight: 10000, Fields: fields}
		if err := w.Sample(s); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(w.size)/float64(i), "bytes/sample")
}

func BenchmarkOpen100k(b *testing.B) {
	w, dir := newTestWriter(b)
	x := w.Field("x")
	for i := range 100000 {
		node := w.Node(w.Node(0, 0, uint64(i%100)), 0, uint64(i%1000))
		check(b, w.Sample(Sample{Time: time.Duration(i) * 1e7, Thread: 4242, Node: node, Weight: 10000, Fields: []FieldValue{{x, "123456"}}}))
	}
	check(b, w.Close())
	for b.Loop() {
		_, err := Open(dir)
		check(b, err)
	}
}
