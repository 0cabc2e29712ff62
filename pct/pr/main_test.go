package pr

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pct-pr": func() { os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, visible.Writer(os.Stderr))) }})
}

// TestScripts runs testdata/*.txtar on the real command beside the real pct,
// translator and filters, on programs compiled there.
func TestScripts(t *testing.T) {
	bin := t.TempDir()
	for name, pkg := range map[string]string{"pct": "..", translators.Default: "../../tools"} {
		build := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(bin, name), pkg)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	scripts, err := filepath.Abs("../../scripts")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", strings.Join([]string{e.Getenv("PATH"), bin, scripts}, string(os.PathListSeparator)))
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else a race detector waits a second for reports
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"mkcounts": makeCounts, "fails": fails},
	})
}

// fails is the command "fails STATUS COMMAND ARG...": COMMAND must end with STATUS.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fails STATUS COMMAND ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != args[0] {
		ts.Fatalf("%v, want exit status %s", err, args[0])
	}
}

// makeCounts is the command "mkcounts FILE OBJECT WHERE=COUNT...": it makes a count
// file of an ELF object, where WHERE is a symbol, or 0xADDRESS; or, for every byte
// of every function, "mkcounts FILE OBJECT all". An OBJECT in brackets is no file.
func makeCounts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mkcounts FILE OBJECT WHERE=COUNT...")
	}
	path := args[1]
	c := data.Counts{Object: path, Clock: "prof", Resource: "cpu", Period: 10 * time.Millisecond, Start: time.Unix(1, 0), Bias: 0x10000}
	counts := map[uint64]uint64{}
	symbols := map[string]elf.Symbol{}
	if !strings.HasPrefix(path, "[") {
		c.Object = ts.MkAbs(path)
		f, err := object.Open(c.Object)
		ts.Check(err)
		defer f.Close()
		c.BuildID = f.BuildID()
		all, err := f.Symbols()
		ts.Check(err)
		for _, s := range all {
			symbols[s.Name] = s
			if elf.ST_TYPE(s.Info) != elf.STT_FUNC || len(args) != 3 || args[2] != "all" {
				continue
			}
			for vaddr := s.Value; vaddr < s.Value+s.Size; vaddr++ {
				counts[vaddr] = 1 + vaddr*vaddr%97
			}
		}
	}
	for _, arg := range args[2:] {
		where, number, ok := strings.Cut(arg, "=")
		if !ok {
			continue
		}
		vaddr, err := strconv.ParseUint(where, 0, 64)
		if err != nil {
			vaddr = symbols[where].Value
		}
		n, err := strconv.ParseUint(number, 10, 64)
		ts.Check(err)
		if vaddr == 0 {
			ts.Fatalf("%s: no symbol %s", path, where)
		}
		counts[vaddr] = n
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
	ts.Check(data.WriteCounts(ts.MkAbs(args[0]), &c, counts))
}

func TestFormat(t *testing.T) {
	s := spot{
		count: 12, object: "/lib/libm.so.6", buildID: "ab12", vaddr: 0x4a10, bias: 0x7f0000000000,
		label: "e_pow.c:7", function: "pow", file: "e_pow.c", line: 7,
	}
	for _, tt := range []struct{ format, want string }{
		{`%c\t%l\n`, "12\te_pow.c:7\n"},
		{`%a %x %d %B`, "0x4a10 4a10 18960 0x7f0000004a10\n"},
		{`%o %O %b`, "/lib/libm.so.6 libm.so.6 ab12\n"},
		{`%f %F:%L%%`, "pow e_pow.c:7%\n"},
		{`[%6f|%-6f|%08x|%2x]`, "[   pow|pow   |00004a10|4a10]\n"},
		{`a\\b\n\n`, "a\\b\n\n"},
		{``, "\n"},
	} {
		f, err := parseFormat(tt.format, requestVerbs+outputVerbs)
		if err != nil {
			t.Errorf("%s: %v", tt.format, err)
			continue
		}
		if got := string(f.append(nil, &s)); got != tt.want {
			t.Errorf("%s printed %q, want %q", tt.format, got, tt.want)
		}
	}
	f, _ := parseFormat("%b|%f|%F|%L", requestVerbs+outputVerbs)
	if got := string(f.append(nil, &spot{})); got != "|?|?|?\n" {
		t.Errorf("of what is not known it printed %q", got)
	}
	for _, tt := range []struct{ format, verbs, want string }{
		{`%q`, requestVerbs, `unknown verb %q in "%q"`},
		{`%`, requestVerbs, `lone % in "%"`},
		{`%9999c`, outputVerbs, `width 9999 is more than 1000 in "%9999c"`},
		{`%l`, requestVerbs, `%l, which is only known from the answer, in "%l"`},
		{`a\`, requestVerbs, `lone \ at the end of "a\\"`},
		{`\x`, requestVerbs, `unknown escape \x in "\\x": there are \t, \n and \\`},
	} {
		if _, err := parseFormat(tt.format, tt.verbs); fmt.Sprint(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.format, err, tt.want)
		}
	}
}
