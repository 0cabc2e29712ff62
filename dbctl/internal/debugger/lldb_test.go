package debugger

import (
	"strings"
	"testing"
)

// An lldb of a pool is prepared, answers, and ends with the pool.
func TestLLDB(t *testing.T) {
	p := NewPool(PoolConfig{Path: "lldb", Limit: 1})
	defer p.Close()
	c := get(t, p, &Object{Path: "/proc/self/exe", Bias: 0x1000})
	for command, want := range map[string]string{
		"do 0 print 6 * 7":  "$1 = 42\n",
		"do 0 help version": "Show the LLDB debugger version.",
		"frames 12":         "lldb does not see the thread",
		"do 0 pro laun":     `"process" does not work with lldb here`,
		"do 0 c":            `"process" does not work with lldb here`,
		"do 0 nosuch":       "'nosuch' is not a valid command.",
		"look 12":           "lldb has lost its process",
		"symbols 0x0 /":     "lldb cannot read it",
		"serve":             "unknown request serve",
	} {
		text, refused, err := exchange(c, soon(), command)
		if err != nil {
			t.Fatal(err)
		}
		if refused[0] != nil {
			text = refused[0].Error()
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", command, text, want)
		}
	}
	p.Close()
	if how := died(t, c); how != "signal SIGKILL" {
		t.Errorf("it ended by %s", how)
	}
	p.Put(c)
}

// A debugger is known by the name of its file.
func TestOf(t *testing.T) {
	for path, want := range map[string]string{
		"": "gdb", "gdb": "gdb", "lldb": "lldb", "/usr/bin/lldb-14": "lldb", "/opt/lldb/bin/gdb": "gdb",
	} {
		if got := Of(path).Name; got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

// Versions that are too old are refused, and what is no lldb.
func TestSupportedLLDB(t *testing.T) {
	for text, want := range map[string]string{
		"lldb version 14.0.6\n": "", "lldb version 19.1.7": "",
		"lldb version 13.0.1": "it is version 13.0, and 14 is the oldest that works",
		"GNU gdb 13.1":        "it does not say that it is lldb",
	} {
		got := ""
		if err := supportedLLDB(text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
