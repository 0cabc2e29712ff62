package tracer_test

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// What a child of ours meets is what the kernel counts of our own writes.
func TestDebugRegisters(t *testing.T) {
	err := tracer.DebugRegisters()
	if err != nil && !errors.Is(err, tracer.ErrNoTraps) {
		t.Fatal(err)
	}
	const writes = 10
	want := uint64(writes)
	if err != nil {
		want = 0
	}
	if got := countWrites(t, writes); got != want {
		t.Errorf("the kernel counts %d of %d writes; the children of ours: %v", got, writes, err)
	}
}

// countWrites is how many writes to a word of ours a debug register meets.
func countWrites(t *testing.T, writes uint64) uint64 {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(page)
	const onWrite = 2 // HW_BREAKPOINT_W
	fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{
		Type: unix.PERF_TYPE_BREAKPOINT, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bp_type: onWrite,
		Ext1: uint64(uintptr(unsafe.Pointer(&page[0]))), Ext2: 8, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for i := range writes {
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&page[0])), i)
	}
	var count [8]byte
	if _, err := unix.Read(fd, count[:]); err != nil {
		t.Fatal(err)
	}
	return binary.NativeEndian.Uint64(count[:])
}
