package syscalls

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/alike"
)

// A Set is of system calls, by their numbers.
type Set [8]uint64

// Has reports whether the set has a call.
func (s *Set) Has(number uint64) bool {
	return number < uint64(len(s))*64 && s[number/64]>>(number%64)&1 != 0
}

// Numbers are the calls of the set, in order.
func (s *Set) Numbers() []uint64 {
	var all []uint64
	for n := range uint64(len(s)) * 64 {
		if s.Has(n) {
			all = append(all, n)
		}
	}
	return all
}

func (s *Set) add(number uint64) { s[number/64] |= 1 << (number % 64) }

// ParseSet reads what a user names as strace's -e does: calls and classes (openat,%network), all, none, or with ! all
// but those. Names of which strace knows the call by an older name are right, too: trace=, and classes without %.
func ParseSet(text string) (Set, error) {
	rest := strings.TrimPrefix(text, "trace=")
	rest, but := strings.CutPrefix(rest, "!")
	var s Set
	for name := range strings.SplitSeq(rest, ",") {
		if err := s.addNamed(name); err != nil {
			return Set{}, err
		}
	}
	if but {
		for i := range s {
			s[i] = ^s[i]
		}
	}
	return s, nil
}

// addNamed adds a call or a class.
func (s *Set) addNamed(name string) error {
	switch name {
	case "":
		return fmt.Errorf("no system call named: give names and classes with commas between them, as openat,%%network")
	case "none":
		return nil
	case "all":
		for i := range s {
			s[i] = ^uint64(0)
		}
		return nil
	}
	if n := slices.Index(names[:], name); n >= 0 {
		s.add(uint64(n))
		return nil
	}
	members, ok := classes[strings.TrimPrefix(name, "%")]
	if !ok {
		return unknownName(name)
	}
	for member := range strings.FieldsSeq(members) {
		s.add(uint64(slices.Index(names[:], member)))
	}
	return nil
}

// unknownName is the error that tells which name is meant.
func unknownName(name string) error {
	nearest, edits := "", max(2, len(name)/3)+1
	consider := func(known string) {
		if e := alike.Edits(name, known); e < edits {
			nearest, edits = known, e
		}
	}
	for _, known := range names {
		if known != "" {
			consider(known)
		}
	}
	for _, class := range Classes() {
		consider("%" + class)
	}
	what := "system call"
	if strings.HasPrefix(name, "%") {
		what = "class of system calls"
	}
	if nearest == "" {
		return fmt.Errorf("no %s %q; the classes are %%%s", what, name, strings.Join(Classes(), ", %"))
	}
	return fmt.Errorf("no %s %q: is %s meant?", what, name, nearest)
}

// Classes are the names of the classes, sorted.
func Classes() []string {
	var all []string
	for name := range classes {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
