package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/pct/data"
	"github.com/rogpeppe/go-internal/testscript"
)

// makeCounts is the command "mkcounts FILE OBJECT [FIELD=VALUE]... WHERE:COUNT...": it
// makes a count file of an ELF object, or of one in brackets that is no file. FIELD is
// translator, period, clock, resource, width, bin, kind (of the object) or pid; WHERE is as in makeRun's SPEC, or @LIST, a file
// with an address and a count a line.
func makeCounts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mkcounts FILE OBJECT [FIELD=VALUE]... WHERE:COUNT...")
	}
	path := args[1]
	c := data.Counts{Object: path, Clock: "prof", Resource: "cpu", Period: 10 * time.Millisecond, Start: time.Unix(1, 0), Bias: 0x10000}
	if !strings.HasPrefix(path, "[") {
		c.Object = ts.MkAbs(path)
		f, err := object.Open(c.Object)
		ts.Check(err)
		c.BuildID = f.BuildID()
		ts.Check(f.Close())
	}
	counts := map[uint64]uint64{}
	for _, arg := range args[2:] {
		if list, ok := strings.CutPrefix(arg, "@"); ok {
			for line := range strings.Lines(ts.ReadFile(list)) {
				var vaddr, n uint64
				_, err := fmt.Sscanf(line, "0x%x %d", &vaddr, &n)
				ts.Check(err)
				counts[vaddr] += n
			}
			continue
		}
		if field, value, ok := strings.Cut(arg, "="); ok {
			ts.Check(setField(&c, field, value))
			continue
		}
		colon := strings.LastIndex(arg, ":")
		vaddr, err := address(c.Object, arg[:max(0, colon)])
		ts.Check(err)
		n, err := strconv.ParseUint(arg[colon+1:], 10, 64)
		ts.Check(err)
		counts[vaddr] += n
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
	ts.Check(data.WriteCounts(ts.MkAbs(args[0]), &c, counts))
}

func setField(c *data.Counts, field, value string) (err error) {
	switch field {
	case "translator":
		c.Translator = value
	case "period":
		c.Period, err = time.ParseDuration(value)
	case "clock":
		c.Clock = value
	case "resource":
		c.Resource = value
	case "width":
		c.Width, err = strconv.Atoi(value)
	case "bin":
		c.BinSize, err = strconv.Atoi(value)
	case "kind":
		c.ObjectKind = value[0] - '0'
	case "pid":
		c.Pid, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("no field %s", field)
	}
	return err
}
