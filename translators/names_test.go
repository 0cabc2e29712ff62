package translators

import (
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"testing"
)

// testNames are of two objects whose texts and chains are partly the same.
func testNames() []Names {
	a := Names{Object: "/bin/a b\n\"c\"", BuildID: "ab12"}
	inlined := []Location{{"inner", "/src/a.c", 7, true}, {"outer", "/src/a.c", 9, false}}
	a.Add(0x1000, inlined)
	a.Add(0x1004, inlined)
	a.Add(0xffffffffffffffff, []Location{{"last", "", 0, false}})
	b := Names{Object: "/bin/b", File: FileID{4096, 1700000000123456789}}
	b.Add(0, []Location{{"outer", "/src/a.c", 9, false}})
	return []Names{a, b}
}

func TestNames(t *testing.T) {
	in := testNames()
	in[0].of.vaddrs[0], in[0].of.vaddrs[1] = in[0].of.vaddrs[1], in[0].of.vaddrs[0] // any order will do
	b, err := EncodeNames(in)
	if err != nil {
		t.Fatal(err)
	}
	out, ok := DecodeNames(b)
	if want := testNames(); !ok || !reflect.DeepEqual(out, want) {
		t.Fatalf("%v, %+v\nwant %+v", ok, out, want)
	}
	for vaddr, want := range map[uint64]string{0x1000: "inner", 0x1004: "inner", 0xffffffffffffffff: "last"} {
		if got := out[0].Find(vaddr); len(got) == 0 || got[0].Func != want {
			t.Errorf("%#x is %v, want %s", vaddr, got, want)
		}
	}
	if got := out[0].Find(0x1001); got != nil {
		t.Errorf("an address that was not kept is %v", got)
	}
}

// What is cut off or changed anywhere gives no names at all, and no others.
func TestDamagedNames(t *testing.T) {
	whole, err := EncodeNames(testNames())
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		if _, ok := DecodeNames(whole[:i]); ok {
			t.Errorf("the first %d bytes of %d are taken for names", i, len(whole))
		}
		for bit := range 8 {
			changed := append([]byte(nil), whole...)
			changed[i] ^= 1 << bit
			if _, ok := DecodeNames(changed); ok {
				t.Errorf("with bit %d of byte %d changed they are taken for names", bit, i)
			}
		}
	}
	if _, ok := DecodeNames(append(whole, 0)); ok {
		t.Error("with a byte behind them they are taken for names")
	}
}

// A file whose check sum is right may be of anybody: whatever it holds must end, in bounded memory.
func FuzzNames(f *testing.F) {
	whole, err := EncodeNames(testNames())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[:len(whole)-crc32.Size])
	f.Add([]byte(namesMagic + "\n"))
	f.Add([]byte(namesMagic + "\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, content []byte) {
		all, ok := DecodeNames(binary.LittleEndian.AppendUint32(content[:len(content):len(content)], crc32.Checksum(content, castagnoli)))
		if !ok {
			return
		}
		for i := range all {
			for _, vaddr := range all[i].of.vaddrs {
				if len(all[i].Find(vaddr)) == 0 {
					t.Errorf("%#x of %q is in the list, and is not found", vaddr, all[i].Object)
				}
			}
		}
	})
}
