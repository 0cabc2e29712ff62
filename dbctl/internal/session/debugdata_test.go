package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a program's file has is prepared once for each expression.
func TestPrepareOnce(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "a.c"), filepath.Join(dir, "a")
	if err := os.WriteFile(source, []byte("int main(int argc, char **argv) { return argc + 1; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-g", "-O0", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var d debugData
	for _, evals := range [][]evaluation{{{"main", "argc", false}}, {{"main", "argc", false}, {"main", "argv", true}}, {{"main", "argv", true}}} {
		d.prepare(program, evals)
	}
	o := d.of(program, "")
	if o == nil || len(o.prepared) != 2 || len(o.scopes) != 1 || len(o.scopes[0].codes) != 2 {
		t.Fatalf("prepared: %+v", o)
	}
}
