package data

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Version is the Meta.Version of this package's format.
const Version = 1

// Meta is what is known of a run besides its samples.
type Meta struct {
	Version       int // 0 is written as the current one
	Argv          []string
	Exe           string // path of the executable
	BuildID, Host string
	Pid, Ppid     int
	Collector     string // what took the samples: "libpct", "" dbctl
	Started       uint64 // of the process, in clock ticks since boot: field 22 of /proc/PID/stat
	Start, End    time.Time
	Clock         string        // as in Header
	Period        time.Duration // as in Header
	Asked         float64       // rate asked, samples a second
	Samples       uint64
	Lost          uint64
	Partial       uint64        // samples whose call path is not complete
	CPU           time.Duration // of the process
	Unsampled     time.Duration // of that what is in no sample: before its clock began, and of the collector itself
	State         string        // "running", "complete", "killed", "detached"
	Status        string        // how it ended: "exit 3", "signal SIGSEGV"
	Tree          string        // name of the run directory, beside this one or it itself, that holds the file tree; "" if none
	Resources     []string      // that were asked for; none: one that the file of call paths names
	Notes         []string      // for the reader of a report, a sentence each
}

// metaKey is one key of the file: how its value is written, "" to leave it out,
// and read.
type metaKey struct {
	name string
	get  func(m *Meta) string
	set  func(m *Meta, value string) error
}

// metaKeys are the keys that stand once, in the order of the file. argv,
// note and resource stand once for each of their values.
var metaKeys = []metaKey{
	number("version", func(m *Meta) *int { return &m.Version }),
	text("exe", func(m *Meta) *string { return &m.Exe }),
	text("build-id", func(m *Meta) *string { return &m.BuildID }),
	text("host", func(m *Meta) *string { return &m.Host }),
	number("pid", func(m *Meta) *int { return &m.Pid }),
	number("ppid", func(m *Meta) *int { return &m.Ppid }),
	text("collector", func(m *Meta) *string { return &m.Collector }),
	count("started", func(m *Meta) *uint64 { return &m.Started }),
	instant("start", func(m *Meta) *time.Time { return &m.Start }),
	instant("end", func(m *Meta) *time.Time { return &m.End }),
	text("clock", func(m *Meta) *string { return &m.Clock }),
	duration("period", func(m *Meta) *time.Duration { return &m.Period }),
	rate("asked", func(m *Meta) *float64 { return &m.Asked }),
	count("samples", func(m *Meta) *uint64 { return &m.Samples }),
	count("lost", func(m *Meta) *uint64 { return &m.Lost }),
	count("partial", func(m *Meta) *uint64 { return &m.Partial }),
	duration("cpu", func(m *Meta) *time.Duration { return &m.CPU }),
	duration("unsampled", func(m *Meta) *time.Duration { return &m.Unsampled }),
	text("state", func(m *Meta) *string { return &m.State }),
	text("status", func(m *Meta) *string { return &m.Status }),
	text("tree", func(m *Meta) *string { return &m.Tree }),
}

const (
	stateRunning = "running"
	stateKilled  = "killed"
)

const (
	argvKey     = "argv"
	noteKey     = "note"
	resourceKey = "resource"
)

// key makes a metaKey of a field of type T, which is left out while zero.
func key[T comparable](name string, field func(*Meta) *T, format func(T) string, parse func(string) (T, error)) metaKey {
	var zero T
	return metaKey{
		name: name,
		get: func(m *Meta) string {
			if *field(m) == zero {
				return ""
			}
			return format(*field(m))
		},
		set: func(m *Meta, value string) error {
			v, err := parse(value)
			if err == nil {
				*field(m) = v
			}
			return err
		},
	}
}

func text(name string, field func(*Meta) *string) metaKey {
	same := func(s string) string { return s }
	return key(name, field, same, func(s string) (string, error) { return s, nil })
}

func number(name string, field func(*Meta) *int) metaKey {
	return key(name, field, strconv.Itoa, strconv.Atoi)
}

func count(name string, field func(*Meta) *uint64) metaKey {
	return key(name, field,
		func(n uint64) string { return strconv.FormatUint(n, 10) },
		func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
}

func rate(name string, field func(*Meta) *float64) metaKey {
	return key(name, field,
		func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) },
		func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
}

func duration(name string, field func(*Meta) *time.Duration) metaKey {
	return key(name, field, time.Duration.String, time.ParseDuration)
}

func instant(name string, field func(*Meta) *time.Time) metaKey {
	return key(name, field,
		func(t time.Time) string { return t.Format(time.RFC3339Nano) },
		func(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) })
}

// encode gives the text of the file.
func (m Meta) encode() []byte {
	if m.Version == 0 {
		m.Version = Version
	}
	var b bytes.Buffer
	line := func(key, value string) { fmt.Fprintf(&b, "%s=%s\n", key, escape(value)) }
	for _, k := range metaKeys {
		if value := k.get(&m); value != "" {
			line(k.name, value)
		}
	}
	for _, name := range m.Resources {
		line(resourceKey, name)
	}
	for _, arg := range m.Argv {
		line(argvKey, arg)
	}
	for _, note := range m.Notes {
		line(noteKey, note)
	}
	return b.Bytes()
}

// decodeMeta reads the text of the file. Unknown keys are passed over: they are
// of a later version. A last line without its end is not read: its writer was killed.
func decodeMeta(src []byte) (Meta, error) {
	var m Meta
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			return m, fmt.Errorf("line %d is cut off; the data before it were read", n)
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return m, fmt.Errorf("line %d is not KEY=VALUE", n)
		}
		value, err := unescape(value)
		if err == nil {
			err = m.set(name, value)
		}
		if err != nil {
			return m, fmt.Errorf("line %d, %s: %w", n, name, err)
		}
	}
	return m, nil
}

func (m *Meta) set(name, value string) error {
	switch name {
	case argvKey:
		m.Argv = append(m.Argv, value)
	case noteKey:
		m.Notes = append(m.Notes, value)
	case resourceKey:
		m.Resources = append(m.Resources, value)
	}
	for _, k := range metaKeys {
		if k.name == name {
			return k.set(m, value)
		}
	}
	return nil
}

// escape keeps a value on its line: backslash, control characters and what is
// not UTF-8 become \\ and \xHH.
func escape(s string) string {
	var b strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r < ' ' || r == 0x7f || r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unescape(s string) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		if strings.HasPrefix(after, `\`) {
			b.WriteByte('\\')
			s = after[1:]
			continue
		}
		if len(after) < 3 || after[0] != 'x' {
			return "", fmt.Errorf("bad escape in %q", s)
		}
		c, err := strconv.ParseUint(after[1:3], 16, 8)
		if err != nil {
			return "", fmt.Errorf("bad escape in %q", s)
		}
		b.WriteByte(byte(c))
		s = after[3:]
	}
}
