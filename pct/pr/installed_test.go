package pr

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

// Installed programs find the toolkit's translators by their names alone, though these
// are not in PATH; so do stamps.
func TestInstalledTranslators(t *testing.T) {
	prefix := t.TempDir()
	bin, libexec := filepath.Join(prefix, "bin"), filepath.Join(prefix, "libexec", "pct")
	for name, pkg := range map[string]string{
		filepath.Join(bin, "pct"): "..", filepath.Join(bin, "pct-pr"): "../../tools",
		filepath.Join(libexec, translators.Default): "../../tools",
	} {
		if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", name, pkg).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for name, answer := range map[string]string{filepath.Join(libexec, "pct-far"): "far", filepath.Join(bin, "pct-near"): "near"} {
		script := "#!/bin/sh\nwhile read -r line; do echo '" + answer + "|/" + answer + ".c|7'; done\n"
		if err := os.WriteFile(name, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	file, stamped := filepath.Join(prefix, "file"), filepath.Join(prefix, "stamped")
	for name, translator := range map[string]string{file: "", stamped: "pct-far"} {
		c := data.Counts{Object: "/bin/sh", Clock: "prof", Resource: "cpu", Period: time.Millisecond, Translator: translator}
		if err := data.WriteCounts(name, &c, map[uint64]uint64{0x10: 3}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		want string
	}{
		{"pct line -translator pct-far " + file, "      3   /far.c:7"},
		{"pct line -translator pct-near " + file, "      3   /near.c:7"},
		{"pct line " + stamped, "      3   /far.c:7"},
		{"pct-pr -translator pct-far " + file, "3\t/far.c:7"},
		{"pct-pr -translator pct-near " + file, "3\t/near.c:7"},
		{"pct-pr " + stamped, "3\t/far.c:7"},
		{`pct-pr -translator pct-far -req %o\n ` + file, "3\tfar|/far.c|7"},
	} {
		args := strings.Fields(c.args)
		out, err := exec.Command(filepath.Join(bin, args[0]), args[1:]...).CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), c.want+"\n") {
			t.Errorf("%s: %v\n%swant %q at the end", c.args, err, out, c.want)
		}
	}
	for _, program := range []string{"pct line", "pct-pr"} {
		args := strings.Fields(program + " -translator pct-absent " + file)
		out, err := exec.Command(filepath.Join(bin, args[0]), args[1:]...).CombinedOutput()
		if want := "translator pct-absent is in none of " + bin; err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%swant %q", program, err, out, want)
		}
	}
}
