// Package scripts_test runs the shell scripts of this directory.
package scripts_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var filters = []string{"int-avg", "int-hist", "quantile", "top", "corr", "pct-merge", "pct-%"}

// TestFilterExamples executes the example in each filter's header.
func TestFilterExamples(t *testing.T) { inShells(t, testFilterExamples) }

func testFilterExamples(t *testing.T) {
	for _, name := range filters {
		t.Run(name, func(t *testing.T) {
			command, want := headerExample(t, name)
			stdout, stderr, status := shell(t, command, "")
			if stdout != want || stderr != "" || status != 0 {
				t.Errorf("%s\nprinted\n%s%s(exit status %d), its header says\n%s", command, stdout, stderr, status, want)
			}
		})
	}
}

func TestFilters(t *testing.T) { inShells(t, testFilters) }

func testFilters(t *testing.T) {
	tests := []struct {
		name, command, stdin string
		stdout, stderr       string
		status               int
	}{
		{name: "as the paper prints it", command: "int-avg", stdin: "8380000\n8390000\n8370000\n", stdout: "8.38e+06\n"},
		{name: "a small mean", command: "int-avg", stdin: "1\n2\n", stdout: "1.5\n"},
		{name: "what gdb prints", command: "int-avg", stdin: "0x10\n97 'a'\n0x20 <buf+4>\n-1.5e1\n", stdout: "32.5\n"},
		{name: "no final newline", command: "int-avg", stdin: "3\n5", stdout: "4\n"},
		{name: "lines without a number", command: "int-avg", stdin: "1\n<optimized out>\n3\n1x\n", stdout: "2\n",
			stderr: "int-avg: 2 of 4 lines skipped: no number\n"},
		{name: "only lines without a number", command: "int-avg", stdin: "RED\n", status: 1,
			stderr: "int-avg: 1 of 1 lines skipped: no number\nint-avg: no values\n"},
		{name: "misuse", command: "int-avg 3", status: 2, stderr: "int-avg: takes no arguments (int-avg -h explains)\n"},

		{name: "negative, zero and positive", command: "int-hist", stdin: "-7\n-1\n0\n1\n", stdout: "" +
			"        from           to    count       %\n" +
			"         -10           -5        1   25.0%  ########################################\n" +
			"          -5           -2        0    0.0%\n" +
			"          -2           -1        1   25.0%  ########################################\n" +
			"           0            0        1   25.0%  ########################################\n" +
			"           1            2        1   25.0%  ########################################\n"},
		{name: "a long gap", command: "int-hist", stdin: "2\n5e9\n", stdout: "" +
			"        from           to    count       %\n" +
			"           2            5        1   50.0%  ########################################\n" +
			"         ...          ...        0\n" +
			"  5000000000  10000000000        1   50.0%  ########################################\n"},
		{name: "edges belong to the step that begins there", command: "int-hist", stdin: "0.1\n0.2\n1000\n", stdout: "" +
			"        from           to    count       %\n" +
			"         0.1          0.2        1   33.3%  ########################################\n" +
			"         0.2          0.5        1   33.3%  ########################################\n" +
			"         ...          ...        0\n" +
			"        1000         2000        1   33.3%  ########################################\n"},

		{name: "default quantiles", command: "quantile", stdin: "30\n10\n20\n", stdout: "" +
			"0     10\n.25   10\n.5    20\n.75   30\n.9    30\n.99   30\n1     30\n"},
		{name: "order of numbers, not of text", command: "quantile 0 0.5 1.0", stdin: "1e3\n-5\n9\n", stdout: "0     -5\n0.5   9\n1.0   1e3\n"},
		{name: "64-bit values stay exact", command: "quantile 1", stdin: "18446744073709551615\n1\n", stdout: "1     18446744073709551615\n"},
		{name: "a word among numbers", command: "quantile 1", stdin: "end\n4\n", stdout: "1     4\n", stderr: "quantile: 1 of 2 lines skipped: no number\n"},
		{name: "not a fraction", command: "quantile 1.5", status: 2, stderr: "quantile: 1.5 is not a number from 0 to 1 (quantile -h explains)\n"},

		{name: "any text", command: "top 3", stdin: "\"a  b\"\n\"a  b\"\n{x = 1, y = 2}\n", stdout: "" +
			" 66.7%       2  \"a  b\"\n 33.3%       1  {x = 1, y = 2}\n"},
		{name: "text that begins with numbers", command: "top", stdin: "  7 up\n  7 up\n12\n", stdout: "" +
			" 66.7%       2    7 up\n 33.3%       1  12\n"},
		{name: "ten by default", command: "top", stdin: "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n", stdout: "" +
			"  8.3%       1  a\n  8.3%       1  b\n  8.3%       1  c\n  8.3%       1  d\n  8.3%       1  e\n" +
			"  8.3%       1  f\n  8.3%       1  g\n  8.3%       1  h\n  8.3%       1  i\n  8.3%       1  j\n" +
			" 16.7%       2  (2 other values)\n"},
		{name: "not a number", command: "top ten", status: 2, stderr: "top: ten is not a number of values (top -h explains)\n"},

		{name: "perfect and falling", command: "corr", stdin: "1\t3\n2\t1\n", stdout: "pairs      2\nr          -1\nslope      -2\nintercept  5\n"},
		{name: "large values near each other", command: "corr", stdin: "1000000001 1\n1000000002 2\n1000000003 3\n", stdout: "pairs      3\nr          1\nslope      1\nintercept  -1e+09\n"},
		{name: "constant x", command: "corr", stdin: "1 2\n1 3\n", stdout: "pairs      2\nr          undefined: x is constant\n"},
		{name: "constant y", command: "corr", stdin: "1 2\n2 2\n", stdout: "pairs      2\nr          undefined: y is constant\nslope      0\nintercept  2\n"},
		{name: "half a pair", command: "corr", stdin: "1 2\n5\n3 4\n", stdout: "pairs      2\nr          1\nslope      1\nintercept  1\n",
			stderr: "corr: 1 of 3 lines skipped: no pair of numbers\n"},
		{name: "one pair", command: "corr", stdin: "1 2\n", status: 1, stderr: "corr: fewer than two pairs\n"},

		{name: "only neighbours merge", command: "pct-merge", stdin: "1\ta\n2\tb\n3\ta\n4\ta\n", stdout: "1\ta\n2\tb\n7\ta\n"},
		{name: "labels are compared byte by byte", command: "pct-merge", stdout: "3\ta  b \xff\n4\ta  b \xfe\n5\ta b \xfe\n1\t\tx\n1\t%s\n3\t7\n3\t07\n",
			stdin: "1\ta  b \xff\n2\ta  b \xff\n4\ta  b \xfe\n5\ta b \xfe\n1\t\tx\n1\t%s\n3\t7\n3\t07\n"},
		{name: "sums are exact", command: "pct-merge", stdout: "9007199254740993\ta\n36893488147419103230\tb\n1000000000000\tc\n",
			stdin: "9007199254740992\ta\n1\ta\n18446744073709551615\tb\n18446744073709551615\tb\n999999999999\tc\n1\tc"},
		{name: "after uniq -c", command: "sort | uniq -c | pct-merge", stdin: "b c\na\nb c\n", stdout: "1\ta\n2\tb c\n"},
		{name: "a report", command: "pct-merge", stdin: "# gzip.7\n     80   a.c:30\n     20   a.c:30\n", stdout: "100\ta.c:30\n"},
		{name: "lines without a count", command: "pct-merge", stdin: "1\ta\nfoo\n2\ta\n-3\ta\n12\n1234567890123456789012\ta\n", stdout: "3\ta\n", status: 1,
			stderr: "pct-merge: line 2 has no count and label, nor have 3 others\n"},
		{name: "nothing to merge", command: "pct-merge"},
		{name: "misuse of pct-merge", command: "pct-merge f", status: 2, stderr: "pct-merge: takes no arguments (pct-merge -h explains)\n"},

		{name: "shares", command: "pct-%", stdin: "2\ta  b\n1\t%d\n0\t\n", stdout: " 66.7%\ta  b\n 33.3%\t%d\n  0.0%\t\n"},
		{name: "all of it", command: "pct-% -e", stdin: "7 a\n", stdout: "100.0% ± 0.00%\ta\n"},
		{name: "shares of nothing", command: "pct-% -e", stdin: "0\ta\n", stdout: "  0.0% ± 0.00%\ta\n"},
		{name: "a line without a count", command: "pct-%", stdin: "3\ta\nfoo\n1\tb\n", stdout: " 75.0%\ta\n 25.0%\tb\n", status: 1,
			stderr: "pct-%: line 2 has no count and label\n"},
		{name: "nothing to share", command: "pct-%"},
		{name: "misuse of pct-%", command: "pct-% -e x", status: 2, stderr: "pct-%: unknown arguments: -e x (pct-% -h explains)\n"},
	}
	for _, name := range []string{"int-avg", "int-hist", "quantile", "top"} {
		tests = append(tests, struct {
			name, command, stdin string
			stdout, stderr       string
			status               int
		}{name: name + " of nothing", command: name, status: 1, stderr: name + ": no values\n"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, status := shell(t, tt.command, tt.stdin)
			if stdout != tt.stdout {
				t.Errorf("%s printed\n%swant\n%s", tt.command, stdout, tt.stdout)
			}
			if stderr != tt.stderr {
				t.Errorf("%s said\n%swant\n%s", tt.command, stderr, tt.stderr)
			}
			if status != tt.status {
				t.Errorf("%s: exit status %d, want %d", tt.command, status, tt.status)
			}
		})
	}
}

// headerExample reads, from the comment at the top of a filter, the line after
// "Example:" that begins with "$ ", and the output below it.
func headerExample(t *testing.T, name string) (command, want string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "# Example:\n#   $ ")
	if !found {
		t.Fatalf("%s: no example in its header", name)
	}
	command, after, _ = strings.Cut(after, "\n")
	for line := range strings.Lines(after) {
		output, ok := strings.CutPrefix(line, "#   ")
		if !ok {
			break
		}
		want += output
	}
	return command, want
}

// shells are shells that scripts are to work in, each with an awk.
var shells = []struct{ shell, awk string }{{"dash", "mawk"}, {"bash --posix", "gawk"}, {"busybox sh", "busybox awk"}}

// inShells runs a test in each of the shells: as sh and awk in PATH, and for our scripts.
func inShells(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shells {
		t.Run(s.shell+" and "+s.awk, func(t *testing.T) {
			bin := t.TempDir()
			for name, command := range map[string]string{"sh": s.shell, "awk": s.awk} {
				writeFile(t, filepath.Join(bin, name), "#!/bin/sh\nexec "+command+" \"$@\"\n", 0o755)
			}
			for _, name := range filters {
				writeFile(t, filepath.Join(bin, name), "#!/bin/sh\nexec "+s.shell+" "+filepath.Join(here, name)+" \"$@\"\n", 0o755)
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			test(t)
		})
	}
}

// shell runs a command line with this directory's scripts in PATH.
func shell(t *testing.T, command, stdin string) (stdout, stderr string, status int) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":"+dir)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
