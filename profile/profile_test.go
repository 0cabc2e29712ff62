package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// built is where the command is; nothing that it runs is beside it.
var built string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "profile-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		built = dir
		var out []byte
		if out, err = exec.Command("go", "build", "-o", dir+"/profile", ".").CombinedOutput(); err == nil {
			return m.Run()
		}
		os.Stderr.Write(out)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// aloneIn puts the command into a directory where a test has others that it runs.
func aloneIn(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(built, "profile"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "profile"), string(text), 0o755)
	return filepath.Join(dir, "profile")
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// shell runs a command line.
func shell(t *testing.T, command string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// TestProfileMisuse: a wrong command line is one line on stderr, exit status 2,
// and nothing is run.
func TestProfileMisuse(t *testing.T) {
	const explains = " (profile -h explains)\n"
	const (
		times  = "a time with its unit, s, ms, us or ns, such as 10ms"
		bytes  = "a number of bytes from 1, also with k, M, G (of 1024), kB, MB, GB (of 1000) or KiB, MiB, GiB, such as 4096 or 64k"
		events = "a number from 1, also with k, M or G (of 1000), such as 100 or 10k"
	)
	tests := []struct{ command, stderr string }{
		{"profile", "profile: no program given: profile PROG [ARG...] or profile -p PID" + explains},
		{"profile -gdb", "profile: no program given: profile PROG [ARG...] or profile -p PID" + explains},
		{"profile -gdb -x echo RAN", "profile: unknown option -x" + explains},
		{"profile -path echo RAN", "profile: unknown option -path: did you mean -paths?" + explains},
		{"profile -thresh 1% echo RAN", "profile: unknown option -thresh: did you mean -threshold?" + explains},
		{"profile -max echo RAN", "profile: unknown option -max" + explains},
		{"profile -gdb=yes echo RAN", "profile: -gdb takes no value" + explains},
		{"profile -gdb -F", "profile: -F needs a value" + explains},
		{"profile -gdb -F 0 echo RAN", "profile: -F 0: want samples per second, such as 200" + explains},
		{"profile -gdb -F -5 echo RAN", "profile: -F -5: want samples per second, such as 200" + explains},
		{"profile -gdb -F=fast echo RAN", "profile: -F fast: want samples per second, such as 200" + explains},
		{"profile -gdb -i 10 echo RAN", "profile: -i 10: want an interval with its unit, such as 10ms or 500us" + explains},
		{"profile -gdb -i 0ms echo RAN", "profile: -i 0ms: want an interval with its unit, such as 10ms or 500us" + explains},
		{"profile -gdb -i ms echo RAN", "profile: -i ms: want an interval with its unit, such as 10ms or 500us" + explains},
		{"profile -gdb -F 100 -i 10ms echo RAN", "profile: -F and -i cannot be combined" + explains},
		{"profile -gdb -l0 echo RAN", "profile: -l 0: want a number of levels from 1" + explains},
		{"profile -gdb -l three echo RAN", "profile: -l three: want a number of levels from 1" + explains},
		{"profile -gdb -clock sun echo RAN", "profile: -clock sun: want best, perf, itimer or poll with -gdb" + explains},
		{"profile -expr worker@n int-avg echo RAN", "profile: -expr worker@n: want PROG@FUNCTION@EXPRESSION, such as 'hier-test@worker@n'" + explains},
		{"profile -expr @worker@n int-avg echo RAN", "profile: -expr @worker@n: want PROG@FUNCTION@EXPRESSION, such as 'hier-test@worker@n'" + explains},
		{"profile -expr 'echo@main@n'", "profile: -expr echo@main@n: a FILTER must follow, such as int-avg" + explains},
		{"profile -gdb -p 12 echo RAN", "profile: -p attaches to running processes: leave out the program echo" + explains},
		{"profile -gdb -p 12,x", "profile: -p 12,x: want process IDs, such as 4711 or 4711,4712" + explains},
		{"profile -gdb -p 12 -p ''", "profile: -p 12,: want process IDs, such as 4711 or 4711,4712" + explains},
		{"profile -gdb -p 0", "profile: -p 0: want process IDs, such as 4711 or 4711,4712" + explains},
		{"profile -gdb -wait echo RAN", "profile: -wait cannot be combined with -gdb and -expr, which detach from daemons" + explains},
		{"profile -wait -t 1 echo RAN", "profile: -wait needs a launched program: it cannot be combined with -p, -t and -n" + explains},
		{"profile -gdb -tree echo RAN", "profile: -tree needs -p: all processes of a launched program are followed anyway" + explains},
		{"profile -by words echo RAN", "profile: -by words: want line, sym, addr, src or obj, or with -paths or -gdb paths, with -args args" + explains},
		{"profile -by args echo RAN", "profile: -by args needs -args" + explains},
		{"profile -args -expr echo@main@n int-avg echo RAN", "profile: -args cannot be combined with -expr: its filters print the report" + explains},
		{"profile -args -k echo RAN", "profile: -args cannot be combined with -k: the kernel does not record arguments" + explains},
		{"profile -paths -args echo RAN", "profile: -args cannot be combined with -paths: both collect call paths" + explains},
		{"profile -calls -args echo RAN", "profile: -args cannot be combined with -calls: its call paths have no arguments" + explains},
		{"profile -args -r faults echo RAN", "profile: -args cannot be combined with -r: arguments are sampled by CPU time" + explains},
		{"profile -args -last 3 echo RAN", "profile: -args cannot be combined with -log, -last and -verbose: they need the library, and dbctl may sample" + explains},
		{"profile -args -wait echo RAN", "profile: -args cannot be combined with -wait: dbctl detaches from daemons" + explains},
		{"profile -args -by sym -l3 echo RAN", "profile: -l needs call paths: -paths or -gdb, without -by" + explains},
		{"profile -by paths echo RAN", "profile: -by paths needs -paths" + explains},
		{"profile -l3 echo RAN", "profile: -l needs call paths: -paths or -gdb, without -by" + explains},
		{"profile -gdb -by sym -l 3 echo RAN", "profile: -l needs call paths: -paths or -gdb, without -by" + explains},
		{"profile -paths -gdb echo RAN", "profile: -paths and -gdb cannot be combined: both collect call paths" + explains},
		{"profile -paths -log echo RAN", "profile: -log and -last cannot be combined with -paths, which stores counts only" + explains},
		{"profile -paths -expr echo@main@n int-avg echo RAN", "profile: -paths cannot be combined with -expr; use -expr alone or with -gdb" + explains},
		{"profile -paths=yes echo RAN", "profile: -paths takes no value" + explains},
		{"profile -calls -gdb echo RAN", "profile: -calls cannot be combined with -gdb" + explains},
		{"profile -calls -r faults echo RAN", "profile: -calls cannot be combined with -r" + explains},
		{"profile -calls -by line echo RAN", "profile: -calls cannot be combined with -by: it reports call paths" + explains},
		{"profile -calls -R echo RAN", "profile: -calls cannot be combined with -R: it needs regular intervals" + explains},
		{"profile -calls -l3 echo RAN", "profile: -calls cannot be combined with -l: it needs whole call paths" + explains},
		{"profile -calls -p 12", "profile: -calls needs a launched program: it cannot be combined with -p, -t, -n and -k" + explains},
		{"profile -r echo RAN", `profile: -r echo: there is no resource "echo": want one of alignment, alloc, branch-misses, cache-misses, calls:FUNCTION, cpu, cycles, faults, ` +
			"fpe, fpe-denormal, fpe-divide, fpe-inexact, fpe-invalid, fpe-overflow, fpe-underflow, instructions, io, major-faults, migrations, minor-faults, read, real, switches, syscalls, user, write" + explains},
		{"profile -r faults:0 echo RAN", "profile: -r faults:0: \"0\" is not an interval: want " + events + explains},
		{"profile -r faults:1ms echo RAN", `profile: -r faults:1ms: "1ms" is not an interval: want ` + events + explains},
		{"profile -r alloc:1XB echo RAN", `profile: -r alloc:1XB: "1XB" is not an interval: want ` + bytes + explains},
		{"profile -r cpu:100 echo RAN", `profile: -r cpu:100: "100" is not an interval: want ` + times + explains},
		{"profile -r real:10us echo RAN", "profile: -r real:10us: interval too short: 10us; the minimum is 100µs" + explains},
		{"profile -r real -r real:1s echo RAN", "profile: -r real:1s: real is given twice" + explains},
		{"profile -r faults -gdb echo RAN", "profile: -r cannot be combined with -gdb" + explains},
		{"profile -r alloc -F 100 echo RAN", "profile: -F and -i apply to cpu, user and real without an interval: use -r alloc:INTERVAL" + explains},
		{"profile -r cpu:1ms -i 10ms echo RAN", "profile: -F and -i apply to cpu, user and real without an interval: use -r cpu:INTERVAL" + explains},
		{"profile -r page-fault echo RAN", `profile: -r page-fault: there is no resource "page-fault": did you mean faults?` + explains},
		{"profile -r faults -R echo RAN", "profile: -R cannot be combined with -r, whose intervals are random anyway" + explains},
		{"profile -r fpe -p 12", "profile: -r fpe is measured by the library and cannot be combined with -p, -t, -n and -k" + explains},
		{"profile -r alloc:100 -r faults -p 12", "profile: -r alloc:100 faults: alloc is counted by breakpoints here and cannot be combined with other resources" + explains},
		{"profile -r alloc:100 -r switches echo RAN", "profile: -r alloc:100 switches: one run cannot measure both alloc (by the library only) and switches (by the kernel only): use two runs" + explains},
		{"profile -r alloc -r faults -r minor-faults echo RAN", "profile: -r alloc faults minor-faults: one run cannot measure both alloc (by the library only) and faults beside a part of them (by the kernel only): use two runs" + explains},
		{"profile -r alloc -r faults -t 1 echo RAN", "profile: -r alloc faults: alloc is counted by breakpoints here and cannot be combined with other resources" + explains},
		{"profile -r alloc -r cpu -r real echo RAN", "profile: -r alloc cpu real: one run cannot measure both alloc (by the library only) and real (by the kernel only): use two runs" + explains},
		{"profile -r cpu -r real -r alloc -r faults -r switches -r io echo RAN", "profile: -r cpu real alloc faults switches io: one run cannot measure both alloc and io (by the library only) and real and switches (by the kernel only): use two runs" + explains},
		{"profile -r cpu -r user -r fpe echo RAN", "profile: -r cpu user fpe: one run cannot measure both fpe (by the library only) and cpu beside user (by the kernel only): use two runs" + explains},
		{"profile -rows none echo RAN", "profile: -rows none: want a number of rows from 1" + explains},
		{"profile -last 0 echo RAN", "profile: -last 0: want a number of samples from 1" + explains},
		{"profile -gdb -k echo RAN", "profile: -k cannot be combined with -gdb and -expr, which sample user code only" + explains},
		{"profile -k -R echo RAN", "profile: -R cannot be combined with -k, whose intervals are regular" + explains},
		{"profile -gdb -log echo RAN", "profile: -log, -last and -verbose need the library: they cannot be combined with -gdb and -expr" + explains},
		{"profile -vmlinux vmlinux echo RAN", "profile: -vmlinux needs -k" + explains},
		{"profile -expr echo@main@n int-avg -by sym echo RAN", "profile: -by, -threshold, -rows, -l and -e cannot be combined with -expr, whose filters print the report" + explains},
		{"profile -clock perf echo RAN", "profile: -clock perf: want best, prof, virtual or real, or -gdb" + explains},
		{"profile -clock real -t 1 echo RAN", "profile: -clock, -log, -last and -verbose need the library: they cannot be combined with -p, -t, -n, -k and most of -r" + explains},
		{"profile -F 20000 echo RAN", "profile: sampling rate too high: the maximum is 10,000 Hz (-i 100us)" + explains},
		{"profile -gdb -t soon echo RAN", "profile: -t soon: want a time in seconds, such as 10 or 0.5" + explains},
		{"profile -gdb -t 0 echo RAN", "profile: -t 0: want a time in seconds, such as 10 or 0.5" + explains},
		{"profile -gdb -n 0 echo RAN", "profile: -n 0: want a number of samples from 1" + explains},
		{"profile -gdb -n few echo RAN", "profile: -n few: want a number of samples from 1" + explains},
		{"profile -gdb -threshold 2 echo RAN", "profile: -threshold 2: want a fraction from 0 to 1, such as 0.01 or 1%" + explains},
		{"profile -gdb -threshold 101% echo RAN", "profile: -threshold 101%: want a fraction from 0 to 1, such as 0.01 or 1%" + explains},
		{"profile -gdb -threshold some echo RAN", "profile: -threshold some: want a fraction from 0 to 1, such as 0.01 or 1%" + explains},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			stdout, stderr, status := shell(t, filepath.Join(built, tt.command))
			if stdout != "" || stderr != tt.stderr || status != 2 {
				t.Errorf("stdout %q, stderr %q, exit status %d; want nothing, %q, 2", stdout, stderr, status, tt.stderr)
			}
		})
	}
}

// TestProfileRefusesFaults: what can be measured in the program alone and page faults, where the kernel
// permits no events, are one message, and nothing is run.
func TestProfileRefusesFaults(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PCT_DIR", filepath.Join(dir, "data"))
	profile := aloneIn(t, dir)
	writeFile(t, filepath.Join(dir, "pct"), "", 0o755)
	writeFile(t, filepath.Join(dir, "pct-launch"), "#!/bin/sh\n", 0o755)
	writeFile(t, filepath.Join(dir, "pct-ring"), "#!/bin/sh\necho 'the kernel says no'\nexit 1\n", 0o755)
	for command, want := range map[string]string{
		"-r alloc -r faults -r cpu": "profile: -r alloc faults cpu: the library cannot measure page faults here, and alloc needs the library: the kernel says no\n",
		"-r faults -r cpu":          "profile: -r faults cpu: the kernel says no\n",
	} {
		stdout, stderr, status := shell(t, profile+" "+command+" echo RAN")
		if stdout != "" || stderr != want || status != 1 {
			t.Errorf("%s: stdout %q, stderr %q, exit status %d; want nothing, %q, 1", command, stdout, stderr, status, want)
		}
	}
}

// TestProfileTellsWhyNone: where the library has told why there are no samples, that is the reason.
func TestProfileTellsWhyNone(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PCT_DIR", filepath.Join(dir, "data"))
	profile := aloneIn(t, dir)
	writeFile(t, filepath.Join(dir, "pct"), "#!/bin/sh\n", 0o755)
	writeFile(t, filepath.Join(dir, "pct-ring"), "#!/bin/sh\n", 0o755)
	writeFile(t, filepath.Join(dir, "libpct.so"), "", 0o755)
	for told, want := range map[string]string{
		`EVENTS_REFUSED\tpage faults are not sampled: a debugger holds it`: "# true\n# no samples of faults: page faults are not sampled: a debugger holds it\n",
		`NO_CLOCK\ta thread was not sampled`:                               "# true\n# no samples of faults: less than one interval was used\n",
	} {
		writeFile(t, filepath.Join(dir, "pct-launch"), "#!/bin/sh\n"+`while [ $# -gt 1 ] && [ "$1" != -- ]; do
	case $2 in PCT_RUN=*) printf 'note\t1\t`+told+`\n' >"${2#PCT_RUN=}" ;; esac
	shift
done
`, 0o755)
		stdout, stderr, status := shell(t, profile+" -r faults true")
		if stdout != want || status != 0 {
			t.Errorf("%s: stdout %q, stderr %q, exit status %d; want %q", told, stdout, stderr, status, want)
		}
	}
}

// TestFilterReadsLittle: a filter that ends early ends what sends it values.
func TestFilterReadsLittle(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PCT_DIR", filepath.Join(dir, "data"))
	profile := aloneIn(t, dir)
	writeFile(t, filepath.Join(dir, "pct"), "#!/bin/sh\nexec yes 7\n", 0o755)
	writeFile(t, filepath.Join(dir, "pct-launch"), "#!/bin/sh\n", 0o755)
	writeFile(t, filepath.Join(dir, "dbctl"), "#!/bin/sh\n"+`while [ $# -gt 1 ]; do
	[ "$1" != -dirfile ] || echo /nowhere >"$2"
	shift
done
`, 0o755)
	stdout, stderr, status := shell(t, "timeout 60 "+profile+" -expr true@main@n 'head -n 1' true")
	if stdout != "7\n" || stderr != "" || status != 0 {
		t.Errorf("stdout %q, stderr %q, exit status %d; want 7", stdout, stderr, status)
	}
}
