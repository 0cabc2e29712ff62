package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is one that is sampled: about a second of CPU time.
type program struct {
	name string
	argv []string
	tree bool // of many short processes
}

const (
	sortRows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 700000)
SELECT i*7919%700001 AS x FROM n ORDER BY x LIMIT 1 OFFSET 350000`
	sieve = `
n = 5000000
prime = bytearray([1]) * n
for i in range(2, int(n ** .5) + 1):
    if prime[i]:
        for k in range(i * i, n, i):
            prime[k] = 0
words = {}
for i in range(900000):
    words["w%d" % (i % 5003)] = words.get("w%d" % (i % 5003), 0) + 1
print(sum(prime), len(words))`
)

// makePrograms returns those whose name matches, with their input made.
func (b *bench) makePrograms() ([]program, error) {
	text, source := filepath.Join(b.Dir, "text"), filepath.Join(b.Dir, "big.c")
	threads, err := b.compile("threads", threadsSource)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(text, prose(12<<20), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(source, []byte(bigSource(190)), 0o600); err != nil {
		return nil, err
	}
	cc1, err := exec.Command("gcc", "-print-prog-name=cc1").Output()
	if err != nil {
		return nil, err
	}
	var chosen []program
	for _, p := range []program{
		{name: "bzip2", argv: []string{"bzip2", "-k", "-f", text}},
		{name: "sqlite3", argv: []string{"sqlite3", ":memory:", sortRows}},
		{name: "gcc", argv: []string{strings.TrimSpace(string(cc1)), "-quiet", "-O1", source, "-o", os.DevNull}},
		{name: "python3", argv: []string{"/usr/bin/python3", "-c", sieve}},
		{name: "4 threads", argv: []string{threads, "4", "2500"}},
		{name: "500 processes", argv: []string{"sh", "-c", "i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i+1)); done"}, tree: true},
	} {
		if b.Match.MatchString(p.name) || b.distorts(p) {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// prose makes text of words in no order, the same each time.
func prose(size int) []byte {
	text := make([]byte, 0, size+16)
	for x := uint64(1); len(text) < size; {
		x = x*6364136223846793005 + 1442695040888963407
		word := x >> 33 % 4096
		for range 2 + word%7 {
			text = append(text, "etaoinshrdlucmfw"[word%16])
			word = word*31 + 7
		}
		text = append(text, " \n"[(x>>60)/12])
	}
	return text
}

// bigSource is a C program of that many functions.
func bigSource(functions int) string {
	var c strings.Builder
	for i := range functions {
		fmt.Fprintf(&c, `
struct s%[1]d { int key; struct s%[1]d *next; double weight[%[2]d]; };
int f%[1]d(struct s%[1]d *list, int n, const char *text) {
	int sum = %[1]d;
	for (struct s%[1]d *p = list; p; p = p->next) {
		switch ((p->key + n) %% 7) {
		case 0: sum += p->key * 3; break;
		case 1: sum ^= (int)p->weight[n %% %[2]d]; break;
		case 2: for (int i = 0; text[i]; i++) sum += text[i] << (i %% 5); break;
		case 3: if (p->next) p->next->key += sum / (1 + (n & 15)); break;
		default: p->weight[sum & 1] += 0.5 * n; sum -= %[1]d;
		}
	}
	return sum;
}
`, i, 2+i%9)
	}
	return c.String()
}
