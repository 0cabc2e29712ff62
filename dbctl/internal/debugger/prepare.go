package debugger

import (
	"strings"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// prepare checks a debugger's version and sends it the commands of its setup.
// What it says to them is not kept.
func prepare(c *mi.Client, table *Table, setup []string, deadline time.Time) error {
	if _, err := c.Send(table.Version); err != nil {
		return err
	}
	text, err := results(c, 1, deadline)
	if err != nil {
		return err
	}
	if err := table.Supported(text); err != nil {
		return err
	}
	first, err := c.Send(setup...)
	if err != nil {
		return err
	}
	_, err = results(c, len(setup), deadline)
	if refused, ok := err.(*refusal); ok {
		return &mi.CommandError{Command: setup[refused.token-first], Message: refused.message}
	}
	return err
}

// refusal is the first ^error among results.
type refusal struct {
	token   int
	message string
}

func (r *refusal) Error() string { return r.message }

// results reads n results and returns what the console said meanwhile.
func results(c *mi.Client, n int, deadline time.Time) (console string, err error) {
	var text strings.Builder
	var refused error
	for n > 0 {
		r, err := c.Next(deadline)
		if err != nil {
			return "", err
		}
		switch r.Kind {
		case mi.Console:
			text.WriteString(r.Text)
		case mi.Result:
			n--
			if r.Class == "error" && refused == nil {
				refused = &refusal{token: r.Token, message: r.Str("msg")}
			}
		}
	}
	return text.String(), refused
}
