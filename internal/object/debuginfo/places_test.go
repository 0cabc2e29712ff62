package debuginfo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profilecollection/pct/internal/object"
)

// A line's places: one in each function, behind its prologue; else the next line that has code.
func TestLinePlaces(t *testing.T) {
	const program = `int twice(int n) { return 2 * n; } int thrice(int n) { return 3 * n; }

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += twice(i) + thrice(i);
	return sum;
}
`
	for _, compiler := range []string{"gcc", "clang"} {
		dir := t.TempDir()
		source, target := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
		if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(compiler, "-g", "-O0", "-o", target, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		f, err := object.Map(target)
		if err != nil {
			t.Fatal(err)
		}
		d := Open(object.Installed(), f, f.LowestCode())
		for _, c := range []struct {
			file       string
			line, want int
			next       int
		}{{"p.c", 1, 2, 0}, {source, 6, 1, 0}, {"p.c", 7, 1, 0}, {"p.c", 2, 0, 4}, {"p.c", 100, 0, 0}, {"q.c", 1, 0, 0}, {".c", 1, 0, 0}} {
			places, next := d.LinePlaces(c.file, c.line)
			// Compilers may count the function's own line as that of its name or of its brace.
			if len(places) != c.want || next != c.next && next != c.next-1 {
				t.Errorf("%s: %s:%d: %d places, next %d; want %d, %d", compiler, c.file, c.line, len(places), next, c.want, c.next)
			}
			for _, at := range places {
				if begins, _ := d.ScopeAt(at.Addr).Blocks[0].Begins(); begins == at.Addr || begins != at.Function {
					t.Errorf("%s: %s:%d is before the prologue", compiler, c.file, c.line)
				}
			}
		}
	}
}
