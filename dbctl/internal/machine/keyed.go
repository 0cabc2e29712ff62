package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// Keyed variables: ${size[$e.value]} is the variable size for a key. Each key has a value of its own; without one
// it is empty.

// mostKeys bounds the keys of all variables of one machine.
const mostKeys = 1_000_000

// keyed are the values by variable and key.
type keyed struct {
	values   map[string]map[string]string
	count    int
	complain func(string) // told when there are too many, once
}

// set gives a variable a value for a key; an empty one takes the key away.
func (k *keyed) set(name, key, text string) {
	of := k.values[name]
	_, there := of[key]
	switch {
	case text == "" && there:
		delete(of, key)
		k.count--
	case text == "":
	case !there && k.count >= mostKeys:
		if k.complain != nil {
			k.complain(fmt.Sprintf("variables with keys have %d keys, and get no more: take keys away by SET(\"%s[…]\", \"\")", mostKeys, name))
			k.complain = nil
		}
	default:
		if of == nil {
			if k.values == nil {
				k.values = make(map[string]map[string]string)
			}
			of = make(map[string]string)
			k.values[name] = of
		}
		if !there {
			k.count++
		}
		of[key] = text
	}
}

// Complain has a function told, once, that there are more keys of variables than can be kept.
func (m *Machine) Complain(f func(string)) { m.keyed.complain = f }

// assignKeyed sets a variable for a key, which is worked out now.
func (m *Machine) assignKeyed(to reference, text string) {
	key := m.text(to.key)
	m.keyed.set(to.name, key, text)
	if m.trace != nil {
		m.trace(fmt.Sprintf("  %s[%s] = %s", to.name, key, strconv.Quote(text)))
	}
}

// keyedSuffix tells the name of a variable with keys from that of one without.
const keyedSuffix = "[]"

// Keyed is the name by which Mentions and a checker know a variable with keys, of a text name[key]; "" if it is none.
func Keyed(text string) string {
	r, n := variable("${"+text+"}", 0)
	if n != len(text)+len("${}") || r.key == nil {
		return ""
	}
	return r.known()
}

// Written is how a script writes a variable of that name.
func Written(name string) string {
	if plain, ok := strings.CutSuffix(name, keyedSuffix); ok {
		return "${" + plain + "[…]}"
	}
	return "$" + name
}
