package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

// Names in the data steer no terminal and turn no writing, in whatever is made of them.
func TestHostileNames(t *testing.T) {
	const hostile = "a\x1b[2J\x7f\u009b\u061c\u202e\u2066b"
	root := t.TempDir()
	d, err := data.Create(root, hostile, 7)
	check(t, err)
	w, err := d.NewWriter(data.Header{Resource: resource.CPU, Unit: resource.Microsecond, Clock: "perf", Period: time.Millisecond})
	check(t, err)
	object := w.Object("/bin/"+hostile, "", 0, 0x1000, 0x2000, 0x1000)
	w.Names(object, 0x1000, []data.Name{{Function: hostile, File: "/" + hostile + ".c", Line: 3}})
	check(t, w.Sample(data.Sample{Thread: 7, Node: w.Node(0, object, 0x1000), Weight: 1000}))
	check(t, errors.Join(w.Close(), d.WriteMeta(data.Meta{
		Argv: []string{hostile}, Exe: "/bin/" + hostile, Pid: 7, Clock: "perf", Period: time.Millisecond, Samples: 1, State: "complete",
		Status: "exit 0", Notes: []string{hostile},
	}), d.Close()))
	translator := filepath.Join(t.TempDir(), "translator")
	check(t, os.WriteFile(translator, []byte(callTranslator), 0o600))
	for _, report := range strings.Fields("paths addr line sym src obj phases fn body tree gprof summary ps info " +
		"flame pprof folded callgrind speedscope firefox json dot") {
		var out, said bytes.Buffer
		args := []string{report, "-translator", "sh " + translator, d.Path()}
		if report == "ps" || report == "info" {
			args = []string{report, d.Path()}
		}
		if status := run(args, strings.NewReader(""), &out, &said); status != succeeded {
			t.Errorf("pct %s: status %d: %s", report, status, &said)
			continue
		}
		made := out.String()
		if report == "pprof" {
			unpacked, err := gzip.NewReader(&out)
			check(t, err)
			text, err := io.ReadAll(unpacked)
			check(t, err)
			// Protocol buffers have bytes below a blank and above ~, but not next to each other as in the name.
			made = strings.NewReplacer("\x1b", "", "\x7f", "").Replace(string(text))
		}
		if at := strings.IndexAny(made+said.String(), "\x1b\x7f\u009b\u061c\u202e\u2066"); at >= 0 {
			t.Errorf("pct %s: has %q", report, (made + said.String())[max(at-40, 0):at+1])
		}
	}
}
