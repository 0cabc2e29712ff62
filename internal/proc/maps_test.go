package proc

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

func TestParseMaps(t *testing.T) {
	const text = `55d0c8a3e000-55d0c8a3f000 r-xp 00001000 fe:00 1234                       /tmp/with  space
55d0c8a40000-55d0c8a41000 rw-p 00000000 00:00 0 
7f0000000000-7f0000001000 r-xs 00000000 00:05 77 /new\012line (deleted)
garbage
7fff00000000-7fff00002000 r-xp 00000000 00:00 0                          [vdso]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
zz-7fff00002000 r-xp 00000000 00:00 0
7fff00000000-7fff00002000
7fff00000000-7fff00002000 r-xp 0 0:0 x`
	want := []Mapping{
		{0x55d0c8a3e000, 0x55d0c8a3f000, 0x1000, 1234, true, "/tmp/with  space"},
		{0x55d0c8a40000, 0x55d0c8a41000, 0, 0, false, ""},
		{0x7f0000000000, 0x7f0000001000, 0, 77, true, "/new\nline (deleted)"},
		{0x7fff00000000, 0x7fff00002000, 0, 0, true, "[vdso]"},
		{0xffffffffff600000, 0xffffffffff601000, 0, 0, true, "[vsyscall]"},
	}
	if got := parseMaps([]byte(text)); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func FuzzMaps(f *testing.F) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		if n := len(parseMaps(text)); n > bytes.Count(text, []byte{'\n'})+1 {
			t.Errorf("%d mappings", n)
		}
	})
}
