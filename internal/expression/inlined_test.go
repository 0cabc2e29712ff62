package expression

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// Inlined calls of both compilers: one in another comes after it, and begins in its own code.
func TestInlined(t *testing.T) {
	const program = `volatile int sink;
static inline __attribute__((always_inline)) void twice(int n) { sink = 2 * n; }
static inline __attribute__((always_inline)) void both(int n) { twice(n); sink = n; }
int main(void) { both(1); both(2); return 0; }
`
	for _, compiler := range []string{"gcc", "clang"} {
		dir := t.TempDir()
		source, target := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
		if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(compiler, "-g", "-O1", "-o", target, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		f, err := object.Map(target)
		if err != nil {
			t.Fatal(err)
		}
		o := NewObject(debuginfo.Open(object.Installed(), f, f.LowestCode()))
		meant, err := NewMeant("both|twice")
		if err != nil {
			t.Fatal(err)
		}
		calls := o.Inlined(meant)
		count := map[string]int{}
		for i := range calls {
			c := &calls[i]
			count[c.Name]++
			if !c.Contains(c.Entry) || i > 0 && c.Entry < calls[i-1].Entry ||
				i > 0 && c.Entry == calls[i-1].Entry && c.Name == "both" {
				t.Errorf("%s: %+v after %+v", compiler, c, calls[max(0, i-1)])
			}
		}
		if count["both"] != 2 || count["twice"] != 2 {
			t.Errorf("%s: %v", compiler, calls)
		}
	}
}
