package machine

import (
	"strings"
	"testing"
)

func TestFormatEvent(t *testing.T) {
	for _, test := range []struct {
		kind  string
		pairs []string
		want  string
	}{
		{"eof", nil, "eof"},
		{"stopped", []string{"signal", "SIGVTALRM", "pc", "0x1"}, `stopped signal="SIGVTALRM" pc="0x1"`},
		{"error", []string{"message", "No symbol \"n\" in\n\tC:\\x\x01\x7fé"}, `error message="No symbol \"n\" in\n\tC:\\x\x01\x7fé"`},
		{"odd", []string{"key"}, `odd key=""`},
	} {
		if got := FormatEvent(test.kind, test.pairs...); got != test.want {
			t.Errorf("FormatEvent gives %s, want %s", got, test.want)
		}
	}
}

func TestEventField(t *testing.T) {
	line := FormatEvent("error", "command", `print "a=\"b"`, "a", "1", "empty", "", "message", "x\ny")
	for key, want := range map[string]string{
		"command": `print "a=\"b"`, "a": "1", "empty": "", "message": "x\ny", "error": "", "b": "",
	} {
		if got := EventField(line, key); got != want {
			t.Errorf("EventField(%q) is %q, want %q", key, got, want)
		}
	}
	for _, broken := range []string{"", "x", `x a="`, `x a="b`, `x a=`, `x a="\`, `x a="\x`, `x a="\x4"`, `x a="\q"`, `x  a="1"`} {
		EventField(broken, "a") // what it gives is of no interest
		EventField(broken, "b")
	}
	if got := EventField(`x a="\x41\xzz\q" b="c"`, "a"); got != "Axzzq" {
		t.Errorf("escapes give %q", got)
	}
}

func FuzzEvent(f *testing.F) {
	f.Add("message", "No symbol \"n\"\n", "a=\"")
	f.Add("k", "\\", "\x00\xff")
	f.Fuzz(func(t *testing.T, key, first, second string) {
		if nameLength(key) < len(key) || key == "" || key == "other" {
			return // keys are words
		}
		line := FormatEvent("kind", "other", first, key, second)
		if strings.ContainsAny(line, "\n\r") {
			t.Fatalf("an event of several lines: %q", line)
		}
		if got := EventField(line, key); got != second {
			t.Fatalf("%q has %s=%q, want %q", line, key, got, second)
		}
		if got := EventField(line, "other"); got != first {
			t.Fatalf("%q has other=%q, want %q", line, got, first)
		}
	})
}
