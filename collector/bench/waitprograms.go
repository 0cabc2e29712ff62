package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// waitingPrograms returns the programs whose name matches.
func (b *bench) waitingPrograms() []waiting {
	var chosen []waiting
	for _, kind := range []string{"pipes", "sockets", "turns", "futex", "disk", "faults", "cpu"} {
		if b.Match.MatchString("waits/" + kind) {
			chosen = append(chosen, b.truth(kind))
		}
	}
	if b.Match.MatchString("waits/postgres") {
		p, err := b.postgres()
		if err != nil {
			p.missing = oneLine(err.Error())
		}
		chosen = append(chosen, p)
	}
	return chosen
}

// truth is a program that measures its parts, which are functions.
func (b *bench) truth(kind string) waiting {
	seconds := "0.4"
	if b.quick {
		seconds = "0.05"
	}
	program, err := b.compile("truth", truthSource)
	p := waiting{name: kind, process: "truth", argv: []string{program, kind, seconds}, told: parseShares}
	if err != nil {
		p.missing = oneLine(err.Error())
	}
	p.part = func(label string) string {
		part, found := strings.CutPrefix(label, program+":")
		// What the rounds and their clock take is no part.
		if !found || part == "now" || part == "run" || part == "measure" {
			return ""
		}
		return part
	}
	return p
}

// parseShares reads lines NAME NS; of several of a name, the sum.
func parseShares(text string) (shares, error) {
	s := make(shares)
	for line := range strings.Lines(text) {
		var name string
		var ns float64
		if _, err := fmt.Sscan(line, &name, &ns); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		s[name] += ns
	}
	if s.total() == 0 {
		return nil, errors.New("the program measured nothing")
	}
	return s, nil
}

// The script runs a server on the database $1 until a client, whose sockets are in $2, has made $3 transactions.
const postgresScript = `
server=$$
{
	until pg_isready -q -h "$2"; do sleep 0.05; done
	pgbench -n -S -t "$3" -h "$2" postgres >/dev/null
	kill -INT $server
} &
exec env LD_PRELOAD="$4${LD_PRELOAD:+:$LD_PRELOAD}" postgres -D "$1" -k "$2" -h ''`

// postgres is a database server of which one process answers a client's queries.
func (b *bench) postgres() (waiting, error) {
	p := waiting{name: "postgres", process: "postgres", public: true}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) == 0 {
		return p, errors.New("no postgres (Debian: postgresql)")
	}
	calls, err := b.compile("calls.so", callsSource, "-shared", "-fPIC")
	if err != nil {
		return p, err
	}
	// The server runs as no root.
	as := []string{"env", "PATH=" + filepath.Dir(found[0]) + ":" + os.Getenv("PATH")}
	home, database, told := filepath.Join(b.Dir, "postgres"), filepath.Join(b.Dir, "postgres", "data"), filepath.Join(b.Dir, "postgres", "told")
	if err := errors.Join(os.Chmod(b.Dir, 0o755), os.Mkdir(home, 0o777), os.Chmod(home, 0o777|fs.ModeSticky)); err != nil {
		return p, err
	}
	if os.Geteuid() == 0 {
		as = append(as, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
	}
	transactions := 4000
	if b.quick {
		transactions = 200
	}
	for _, command := range [][]string{
		{"initdb", "-D", database, "-A", "trust", "-U", "postgres", "--no-sync"},
		{"sh", "-c", `pg_ctl -s -w -D "$1" -l "$1/log" -o "-k $2 -h ''" start && pgbench -q -i -h "$2" -U postgres postgres; s=$?; pg_ctl -s -D "$1" stop; exit $s`,
			"sh", database, home},
	} {
		if out, err := exec.Command(as[0], append(as[1:], command...)...).CombinedOutput(); err != nil {
			return p, fmt.Errorf("%s: %w: %s", command[0], err, out)
		}
	}
	as = append(as, "env", "CALLS="+told, "PGUSER=postgres")
	p.argv = append(as, "sh", "-c", postgresScript, "sh", database, home, strconv.Itoa(transactions), calls)
	p.told = func(string) (shares, error) {
		text, err := os.ReadFile(told)
		if err := errors.Join(err, os.Remove(told)); err != nil {
			return nil, err
		}
		return parseShares(string(text))
	}
	p.part = func(label string) string {
		// The C library has other names for its functions, too.
		_, name, _ := strings.Cut(filepath.Base(label), ":")
		switch name = strings.TrimLeft(name, "_"); name {
		case "send", "recv", "epoll_wait":
			return name
		}
		return "rest"
	}
	return p, nil
}
