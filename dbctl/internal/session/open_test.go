package session

import (
	"os"
	"testing"
	"time"
)

func TestOpenTime(t *testing.T) {
	path := os.Getenv("OPEN")
	if path == "" {
		t.Skip()
	}
	t0 := time.Now()
	writes(cFamily, "n")
	t1 := time.Now()
	writes(cFamily, "n > 1")
	t2 := time.Now()
	var d debugData
	o := d.of(path, "")
	t3 := time.Now()
	var pc uint64
	for e := range o.data.Named(os.Getenv("FN")) {
		if b := begins(e); b != 0 {
			pc = b
		}
	}
	t4 := time.Now()
	s := o.scopeAt(pc + 10)
	t5 := time.Now()
	_, err := o.code(s, s.outermost(), os.Getenv("EX"), pc+10)
	t6 := time.Now()
	_, err2 := o.code(s, s.outermost(), "nosuchthing", pc+10)
	t7 := time.Now()
	t.Log("parser", t1.Sub(t0), "parse", t2.Sub(t1), "open", t3.Sub(t2), "named", t4.Sub(t3), "scope", t5.Sub(t4), "compile", t6.Sub(t5), err, "nosuch", t7.Sub(t6), err2)
}
