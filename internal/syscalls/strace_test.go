package syscalls

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryCall compares with strace what is printed of every call, with arguments at random and each of some results.
func TestEveryCall(t *testing.T) {
	program := built(t, "every.c", "-O1", "-static", "-nostdlib", "-fno-stack-protector", "-DROUNDS=8")
	for _, r := range []struct{ strace, ours string }{{"error=ENOENT", "-2"}, {"retval=0", "0"}, {"retval=1", "1"}, {"retval=5", "5"}, {"retval=64", "64"}} {
		compareInjected(t, program, r.strace, r.ours)
	}
}

// TestFlags compares in which order flags are shown.
func TestFlags(t *testing.T) {
	compareInjected(t, built(t, "flags.c", "-O1", "-static", "-nostdlib", "-fno-stack-protector"), "error=ENOENT", "-2")
}

// compareInjected compares the calls of a program that get a result in place of what they ask for.
func compareInjected(t *testing.T, program, strace, result string) {
	t.Helper()
	theirs := straced(t, "", []string{"-e", "inject=!exit_group,execve:" + strace}, program)
	ours := traced(t, "", result, program)
	theirs = theirs[1:]
	compared := 0
	for i := range min(len(ours), len(theirs)) {
		_, a, _ := strings.Cut(ours[i], " ")
		_, b, _ := strings.Cut(theirs[i], " ")
		b = strings.TrimSuffix(strings.TrimLeft(b, " "), " (INJECTED)")
		b = aligned.ReplaceAllString(b, ") = ")
		if !decoded(a) {
			continue
		}
		compared++
		b = resuming.ReplaceAllString(b, "(")
		if xattr.MatchString(a) {
			a = strings.ReplaceAll(a, `\0"...`, `"`)
		}
		if strings.HasPrefix(a, "epoll_pwait") && strings.Contains(b, "= -1") || elsewhere.MatchString(b) {
			continue
		}
		if a != b {
			t.Errorf("%s\n  ours   %s\n  strace %s", strace, a, b)
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("%d lines, strace has %d", len(ours), len(theirs))
	}
	if compared < 40 {
		t.Errorf("only %d calls compared", compared)
	}
}

// resuming is what strace adds to restart_syscall: what it took for the call before.
var resuming = regexp.MustCompile(`\(<\.\.\. resuming interrupted \w+ \.\.\.>`)

// xattr are calls of whose value strace does not tell that there is more, where it is cut after a zero byte.
var xattr = regexp.MustCompile(`^[fl]?[sg]etxattr\(`)

// aligned is strace's space before a result.
var aligned = regexp.MustCompile(`\) += `)

// decoded reports whether the call of a line is decoded.
func decoded(line string) bool {
	name, _, _ := strings.Cut(line, "(")
	n := slices.Index(names[:], name)
	return n >= 0 && n < len(rows) && rows[n].params != nil
}

// elsewhere is what strace tells of nonsense, of which ours only tells that it is nonsense. It also tells neither time
// nor signals of an epoll_pwait that failed, and no more of poll's result than has room in its buffer.
var elsewhere = regexp.MustCompile(`d_reclen \d+ bytes|=> \{/\* bytes 88|^(sem|msg|shm)get\(.*[ |]0x[0-9a-f]+0[0-7]{2,3}\)|xattr\(.*, 0\) = [1-9]|= \d+ \(\)$|^p?poll.*\.\.\.\](, (left|\.\.\.).*)?\)$`)
