// Package unwind_test drives the in-process unwinder in real programs: an instruction at
// a time beside the calls that are executed, and beside libgcc's unwinder in the
// handlers of a clock.
package unwind_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// built is where TestMain puts the libraries and programs of testdata.
var built string

func TestMain(m *testing.M) { os.Exit(run(m)) }

// parts are the sources of the unwinder.
func parts() []string {
	list, _ := filepath.Glob("../*.c")
	return list
}

// compile builds one program or library into built.
func compile(name, compiler string, args ...string) error {
	args = append([]string{"-Wall", "-Wextra", "-Werror", "-o", filepath.Join(built, name)}, args...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", compiler, strings.Join(args, " "), err, out)
	}
	return nil
}

// c11 are the flags of all C.
var c11 = []string{"-std=gnu11", "-O2", "-D_GNU_SOURCE"}

// library are the flags of what is preloaded.
var library = []string{"-std=gnu11", "-O2", "-g", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden"}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "unwind")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	steps := append(append(library, "-fno-asynchronous-unwind-tables", "testdata/stepper.c"), parts()...)
	for _, err := range []error{
		compile("stepper.so", "gcc", append(steps, "-ldl")...),
		compile("sampler.so", "gcc", append(append(append([]string{}, library...), "testdata/sampler.c"), append(parts(), "-ldl")...)...),
		compile("plugin.so", "gcc", "-O2", "-fPIC", "-shared", "testdata/plugin.c"),
		compile("leaver.so", "g++", "-O2", "-fPIC", "-shared", "testdata/leaver.cc"),
		compile("loader", "gcc", "-O2", "testdata/loader.c", "-ldl"),
		compile("abuse", "g++", "-O2", "testdata/abuse.cc", "-ldl", "-lpthread"),
		compile("cost", "gcc", append([]string{"-std=gnu11", "-O2", "-D_GNU_SOURCE", "-fno-stack-protector", "testdata/cost.c"}, parts()...)...),
		compile("units", "gcc", append([]string{"-std=gnu11", "-O2", "-D_GNU_SOURCE", "testdata/units.c"}, parts()...)...),
	} {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// execute runs a program with a library preloaded and returns the numbers that its
// last line names.
func execute(t *testing.T, preload, environment string, argv ...string) map[string]int {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), environment)
	if preload != "" {
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+filepath.Join(built, preload))
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(argv, " "), err, out, errs.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	last := strings.Fields(lines[len(lines)-1])
	numbers := map[string]int{}
	for i := 0; i+1 < len(last); i += 2 {
		var n int
		if _, err := fmt.Sscan(last[i+1], &n); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
		}
		numbers[last[i]] = n
	}
	t.Log(strings.Join(last, " "))
	if numbers["wrong"] != 0 {
		t.Errorf("%s wrong\n%s", last[0], errs.String())
	}
	return numbers
}

func TestEveryInstruction(t *testing.T) {
	dir := "../../../unwind/testdata/"
	tests := []struct {
		name, compiler, flags, modes string // each letter of modes is a $STEPPER, - is none
	}{
		{dir + "calls.c", "gcc", "-O0", "-"},
		{dir + "calls.c", "gcc", "-O0 -fomit-frame-pointer", "-"},
		{dir + "calls.c", "gcc", "-O2", "-wgfs"},
		{dir + "calls.c", "gcc", "-O2 -no-pie -s", "-"},
		{dir + "calls.c", "gcc", "-O3 -march=x86-64-v3", "-"},
		{dir + "calls.c", "gcc", "-Os -Wl,-z,now", "-"},
		{dir + "calls.c", "gcc", "-O1 -fuse-ld=gold", "-"},
		{dir + "calls.c", "gcc", "-O2 -fcf-protection=full", "-"},
		{dir + "throw.cc", "g++", "-O2", "g"},
		{dir + "throw.cc", "g++", "-O2 -static-libgcc", "-"},
		{dir + "throw.cc", "g++", "-O1 -fno-omit-frame-pointer -static-libgcc -static-libstdc++", "f"},
		{"testdata/frames.cc", "g++", "-O0 testdata/frames.S -ldl", "-"},
		{"testdata/frames.cc", "g++", "-O3 -march=x86-64-v3 testdata/frames.S -ldl", "w"},
		// By frame pointers alone.
		{dir + "calls.c", "gcc", "-O0 -fno-asynchronous-unwind-tables", "-"},
	}
	for i, tt := range tests {
		program := fmt.Sprintf("stepped%d", i)
		if err := compile(program, tt.compiler, append([]string{tt.name}, strings.Fields(tt.flags)...)...); err != nil {
			t.Fatal(err)
		}
		for _, mode := range strings.Split(tt.modes, "") {
			t.Run(filepath.Base(tt.name)+" "+tt.flags+" "+mode, func(t *testing.T) {
				n := execute(t, "stepper.so", "STEPPER="+mode, filepath.Join(built, program))
				if n["steps"] < 1000 || n["installing"]*10 > n["steps"] || n["partial"] != 0 {
					t.Errorf("%v", n)
				}
				if throws := tt.compiler == "g++"; throws != (n["landed"] > 0) {
					t.Errorf("%d handlers entered", n["landed"])
				}
				if none := strings.Contains(tt.flags, "-fno-async"); none != (n["guessed"] > 0) {
					t.Errorf("%d paths of %d without call frame information", n["guessed"], n["steps"])
				}
			})
		}
	}
}

// A library's _init has no call frame information, and is left in the middle of dlopen: the
// path is partial for these few instructions, and right in all others.
func TestEveryInstructionOfLoading(t *testing.T) {
	if err := compile("loading", "g++", "-O2", "testdata/frames.cc", "testdata/frames.S", "-ldl"); err != nil {
		t.Fatal(err)
	}
	n := execute(t, "stepper.so", "STEPPER=d", filepath.Join(built, "loading"), filepath.Join(built, "plugin.so"))
	if n["steps"] < 1000 || n["partial"] > 20 {
		t.Errorf("%v", n)
	}
}

func TestBesideLibgcc(t *testing.T) {
	at := func(name string) string { return filepath.Join(built, name) }
	for _, argv := range [][]string{
		{at("abuse"), "4", at("plugin.so")},
		{"/usr/bin/python3", "-c", "import json, re\nfor i in range(60): json.loads(json.dumps([{'a': i}] * 2000)); re.findall('(a|b)+c', 'ababc' * 2000)"},
		{"perl", "-e", `sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) } f(22); my @a = sort { $a <=> $b } map { rand } 1..100000; print scalar(@a), "\n"`},
		{"gdb", "-batch", "-ex", "info functions step", at("sampler.so")},
		{"openssl", "speed", "-seconds", "1", "sha256"},
	} {
		t.Run(filepath.Base(argv[0]), func(t *testing.T) {
			n := execute(t, "sampler.so", "SAMPLER_PERIOD=300000", argv...)
			if n["samples"] < 50 || n["nodes"] < 20 {
				t.Errorf("%v", n)
			}
			// In no call frame information: code that is generated, _init, and what is being unloaded.
			if allowed := 1 + n["samples"]/200; n["partial"] > allowed {
				t.Errorf("%d of %d paths are partial", n["partial"], n["samples"])
			}
			if n["unknown"] > 1+n["samples"]/200 {
				t.Errorf("libgcc finds no path in %d of %d samples", n["unknown"], n["samples"])
			}
			if filepath.Base(argv[0]) == "abuse" && n["deepest"] < 5000 {
				t.Errorf("the deepest path has %d frames", n["deepest"])
			}
		})
	}
}

// Where libgcc has no call frame information ours goes on, and the frames up to there are the same.
func TestBeyondLibgcc(t *testing.T) {
	n := execute(t, "sampler.so", "SAMPLER_PERIOD=300000", filepath.Join(built, "loader"), filepath.Join(built, "leaver.so"))
	if n["unknown"] < 100 || n["guessed"] < n["unknown"] {
		t.Errorf("%v", n)
	}
}

// Every path that is timed must be whole, or the program aborts.
func TestCostProgram(t *testing.T) {
	if n := execute(t, "", "", filepath.Join(built, "cost"), "5", "50"); n["walk"] == 0 {
		t.Errorf("%v", n)
	}
}

// The same sources for aarch64, in an emulator.
func TestUnitsOnAarch64(t *testing.T) {
	if err := compile("units-aarch64", "aarch64-linux-gnu-gcc", append(append(c11, "testdata/units.c"), parts()...)...); err != nil {
		t.Fatal(err)
	}
	if n := execute(t, "", "", "qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", filepath.Join(built, "units-aarch64")); n["checks"] < 10 {
		t.Errorf("%v", n)
	}
}

func TestUnits(t *testing.T) {
	if n := execute(t, "", "", filepath.Join(built, "units")); n["checks"] < 10 {
		t.Errorf("%v", n)
	}
}
