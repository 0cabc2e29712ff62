package value

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pieces are what random texts are made of: whole characters, some without a shape, and what makes none.
var pieces = []string{
	"a", "b", "7", "'", "\"", "\\", "\n", "\x00", "\x1b", "\x7f", "é", "ß", "€", "漢", "😀", "\u00a0", "\u2028", "\u200b", "\u0378", "\ufffd", "\ue000",
	"\x80", "\xbf", "\xc0", "\xc1", "\xc2", "\xc3", "\xe0", "\xe2", "\xe2\x82", "\xed\xa0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf0", "\xf0\x9f", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5", "\xf7\xbf", "\xf8", "\xf8\x80\x80", "\xfb", "\xfc", "\xfd\x80", "\xfe", "\xff",
}

func randomText(random *rand.Rand) []byte {
	var b []byte
	most := []int{3, 30, 230, 450}[random.IntN(4)]
	some := pieces[random.IntN(len(pieces)):]
	some = some[:1+random.IntN(len(some))]
	for len(b) < most {
		p := some[random.IntN(len(some))]
		n := 1
		if random.IntN(5) == 0 {
			n += random.IntN(25)
		}
		b = append(b, strings.Repeat(p, n)...)
	}
	return b
}

// withoutSwallowed is how a text is shown without the character that gdb loses: a whole one before one that is incomplete.
func withoutSwallowed(b []byte) string {
	before := -1
	for i := 0; i < len(b); {
		c := firstCharacter(b[i:])
		if c.state == incomplete && before >= 0 {
			b = append(b[:before:before], b[i:]...)
			break
		}
		before = -1
		if c.state == whole {
			before = i
		}
		i += len(c.bytes)
	}
	v := Value{Type: array(tChar, int64(len(b))), Bytes: b}
	return v.Text(nil)
}

// Arrays of characters are shown as gdb shows them.
func TestCharacters(t *testing.T) {
	drawn := rand.Uint64()
	t.Logf("seed %d", drawn)
	var source, script strings.Builder
	var texts [][]byte
	for _, seed := range []uint64{1, drawn} {
		random := rand.New(rand.NewPCG(seed, 0))
		for range 300 {
			b := randomText(random)
			fmt.Fprintf(&source, "char t%d[] = {", len(texts))
			for _, c := range b {
				fmt.Fprintf(&source, "%d,", c)
			}
			source.WriteString("};\n")
			fmt.Fprintf(&script, "output t%d\necho \\n\n", len(texts))
			texts = append(texts, b)
		}
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program := filepath.Join(dir, "texts")
	if out, err := exec.Command("gcc", "-g", "-o", program, write("texts.c", source.String()+"int main(void) { return 0; }\n")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command("gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-x", write("script", script.String()), program)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(texts) {
		t.Fatalf("gdb shows %d of %d texts", len(lines), len(texts))
	}
	for i, b := range texts {
		v := Value{Type: array(tChar, int64(len(b))), Bytes: b}
		if got := v.Text(nil); got != lines[i] && withoutSwallowed(b) != lines[i] {
			t.Errorf("%q:\n  %s, by gdb\n  %s", b, got, lines[i])
		}
	}
}
