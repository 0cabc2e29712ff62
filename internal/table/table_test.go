package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// some are tables of all kinds.
func some(t *testing.T) *Tables {
	var ts Tables
	add := func(name string, kind Kind, key, number string) {
		t.Helper()
		if err := ts.Add(Name{name, kind}, key, number); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		add("calls", Count, "worker", "")
	}
	add("calls", Count, "other", "")
	for _, v := range []string{"0.5", "1.5", "-1", "120 'x'"} {
		add("time", Count, "worker", v)
	}
	add("time", Count, "none", "")
	for _, v := range []string{"0", "1", "1.9", "2", "9", "-3"} {
		add("time", Hist, "worker", v)
	}
	for _, of := range [][2]string{
		{"a <- \"main\"\n", "0x12d687"}, {"b", "16"}, {"b", "-0x10"}, {"c", "0.1"}, {"c", "0.2"}, {"c", "-0.3"}, {"d", "-1"}, {"e", "0.25"},
	} {
		add("leaked", Sum, of[0], of[1])
	}
	return &ts
}

const printed = `     count  calls
         3  worker
         1  other
       total  leaked
     1234567  a <- "main"

        0.25  e
          -1  d
time worker: 6, mean 1.81667, median 1, 90 % 9, 99 % 9, from -3 to 9
        <= 0          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
           1          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
           2          1 |@@@@@@@@@@@@@@@@@@@@                    |
           4          0 |                                        |
           8          1 |@@@@@@@@@@@@@@@@@@@@                    |
     count        total         mean        least         most  time
         4          121        30.25           -1          120  worker
         1                                                      none
`

func TestPrint(t *testing.T) {
	var b strings.Builder
	some(t).Print(&b)
	if b.String() != printed {
		t.Errorf("got\n%s\nwant\n%s", b.String(), printed)
	}
}

func TestNoNumber(t *testing.T) {
	var ts Tables
	for _, of := range []struct {
		kind   Kind
		number string
	}{{Count, "void"}, {Count, "NaN"}, {Count, "--1"}, {Hist, ""}, {Sum, ""}, {Sum, "-"}, {Sum, "0x"}} {
		if err := ts.Add(Name{"x", of.kind}, "x", of.number); err == nil || err.Error() != strconv.Quote(of.number)+" is not a number" {
			t.Errorf("%v", err)
		}
	}
	if len(ts.list) != 0 {
		t.Error("what is no number was counted")
	}
}

// However many keys there are, all is counted.
func TestManyKeys(t *testing.T) {
	var ts Tables
	for i := range 2 * mostKeys {
		if err := ts.Add(Name{"n", Count}, fmt.Sprint(i), ""); err != nil {
			t.Fatal(err)
		}
	}
	rows := ts.list[Name{"n", Count}]
	if len(rows) != mostKeys+1 || rows[otherKeys].count != mostKeys {
		t.Errorf("%d keys, others %v", len(rows), rows[otherKeys])
	}
}

// Quantiles are at most 2 % off, whatever the numbers.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, draw := range map[string]func() float64{
		"uniform": r.Float64, "exponential": r.ExpFloat64, "spread": func() float64 { return math.Exp(20 * r.NormFloat64()) },
		"tiny": func() float64 { return 5e-324 * float64(1+r.Intn(100)) }, "whole": func() float64 { return float64(1 + r.Intn(100)) },
	} {
		var ts Tables
		var all []float64
		for range 5000 {
			v := draw()
			all = append(all, v)
			if err := ts.Add(Name{"h", Hist}, "k", strconv.FormatFloat(v, 'g', -1, 64)); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(all)
		for _, share := range []float64{0.001, 0.1, 0.5, 0.9, 0.99, 1} {
			want := all[int(math.Ceil(share*float64(len(all))))-1]
			got, known := ts.list[Name{"h", Hist}]["k"].quantile(share)
			if !known || math.Abs(got-want) > 0.02*want {
				t.Errorf("%v of them: %v, %v, want %v", share, got, known, want)
			}
		}
	}
	var ts Tables
	for _, v := range []string{"-1", "-5", "3"} {
		_ = ts.Add(Name{"h", Hist}, "k", v)
	}
	if _, known := ts.list[Name{"h", Hist}]["k"].quantile(0.5); known {
		t.Error("a median below 0 is known")
	}
}

// What is written is read again, and prints as it did.
func TestFile(t *testing.T) {
	ts := some(t)
	text := ts.Encode()
	again, err := Decode(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var b strings.Builder
	again.Print(&b)
	if b.String() != printed || !bytes.Equal(again.Encode(), text) {
		t.Errorf("read again it is\n%s", b.String())
	}
	for _, wrong := range []string{
		"", "PCTtables2\n", "PCTtables1\nrow 1 0 0 0 0 \"x\"\n", "PCTtables1\nhist \"x\"\nbucket 1 1 1\n", "PCTtables1\ncount x\n",
		"PCTtables1\ncount \"x\"\ncount \"x\"\n", "PCTtables1\ncount \"x\"\nrow 1 2 0 0 0 \"x\"\n", "PCTtables1\ncount \"x\"\nrow 1 0 0 0 0 \"x\"",
		"PCTtables1\nhist \"x\"\nrow 1 1 0 0 0 \"x\"\nbucket 999999 1 1\n", "PCTtables1\nsum \"x\"\nrow 1 1 0 0 0 \"x\"\nbucket 1 1 1\n",
	} {
		if _, err := Decode([]byte(wrong)); err == nil {
			t.Errorf("no error in\n%s", wrong)
		}
	}
}

// Whatever the file holds, it is read and printed, or refused.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("PCTtables1\nhist \"x\"\nrow 3 3 5 1 3 \"k\"\nbucket 0 1 1\nbucket below 2 -1\ncount \"y\"\nrow 1 1 5 5 5 \"\\n\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if ts, err := Decode(text); err == nil {
			var b strings.Builder
			ts.Print(&b)
			if again, err := Decode(ts.Encode()); err != nil || !bytes.Equal(again.Encode(), ts.Encode()) {
				t.Errorf("written again it is %v\n%s", err, ts.Encode())
			}
		}
	})
}
