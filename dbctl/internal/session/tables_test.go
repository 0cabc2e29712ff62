package session

import (
	"fmt"
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	var ts tables
	add := func(name string, hist bool, key, number string) {
		t.Helper()
		if err := ts.add(tableName{name, hist}, key, number); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		add("calls", false, "worker", "")
	}
	add("calls", false, "other", "")
	for _, v := range []string{"0.5", "1.5", "-1", "120 'x'"} {
		add("time", false, "worker", v)
	}
	add("time", false, "none", "")
	for _, v := range []string{"0", "1", "1.9", "2", "9", "-3"} {
		add("time", true, "worker", v)
	}
	if err := ts.add(tableName{"time", false}, "x", "void"); err == nil || err.Error() != `"void" is not a number` {
		t.Errorf("%v", err)
	}
	if err := ts.add(tableName{"none", true}, "x", ""); err == nil || err.Error() != `"" is not a number` {
		t.Errorf("%v", err)
	}
	var b strings.Builder
	ts.print(&b)
	want := `     count  calls
         3  worker
         1  other
time worker: 6, mean 1.81667, from -3 to 9
        <= 0          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
           1          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
           2          1 |@@@@@@@@@@@@@@@@@@@@                    |
           4          0 |                                        |
           8          1 |@@@@@@@@@@@@@@@@@@@@                    |
     count        total         mean        least         most  time
         4          121        30.25           -1          120  worker
         1                                                      none
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// However many keys there are, all is counted.
func TestTablesOfManyKeys(t *testing.T) {
	var ts tables
	for i := range 2 * mostKeys {
		if err := ts.add(tableName{"n", false}, fmt.Sprint(i), ""); err != nil {
			t.Fatal(err)
		}
	}
	rows := ts.list[tableName{"n", false}]
	if len(rows) != mostKeys+1 || rows[otherKeys].count != mostKeys {
		t.Errorf("%d keys, others %v", len(rows), rows[otherKeys])
	}
}
