package translators

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/translators/internal/cache"
)

// A Cached is a translator whose answers are kept for the next time, if it is one whose
// answers depend on nothing but files that are known here: Default, with options that
// say which part of an answer is wanted. It is started when there is an address that
// was not asked for before, or after one of the files has changed. Any other one is
// started at once and asked about everything. It is for one goroutine at a time.
type Cached struct {
	// Timeout is that of Client.
	Timeout time.Duration

	argv    []string
	client  *Client // nil: not started
	dir     *cache.Dir
	program stamp // what the answers are from
	objects map[objectBuild]*keptObject
}

type objectBuild struct{ object, buildID string }

// A keptObject is what is known of an object.
type keptObject struct {
	known   *answers
	file    string    // where it is kept, "" nowhere
	stamps  []stampOf // of what the answers depend on, before any of them was given
	learned []answer  // of the known ones, those that are not kept yet
}

// reducing are the options of Default with which it reads the same files.
var reducing = []string{"-innermost", "-functions", "-lines"}

// StartCached is Start of a translator with what it answered before.
func StartCached(argv []string) (*Cached, error) {
	c := &Cached{Timeout: DefaultTimeout, argv: argv}
	if len(argv) > 0 && filepath.Base(argv[0]) == Default && !slices.ContainsFunc(argv[1:], changing) {
		// Without the directory it works as well, only slower.
		dir, err := cache.Open("")
		if program := stampFile(argv[0]); err == nil && dir != nil && program.present {
			c.dir, c.program, c.objects = dir, program, map[objectBuild]*keptObject{}
			return c, nil
		}
	}
	return c, c.start()
}

// changing reports whether an option may change what an answer depends on.
func changing(option string) bool { return !slices.Contains(reducing, option) }

func (c *Cached) start() (err error) {
	if c.client == nil {
		c.client, err = Start(c.argv)
	}
	return err
}

// TranslateBuild is that of Client.
func (c *Cached) TranslateBuild(object, buildID string, vaddrs []uint64) ([][]Location, error) {
	if c.dir == nil || object == "" {
		return c.ask(object, buildID, vaddrs)
	}
	if buildID == "" && strings.HasPrefix(object, "[") {
		return unknowns(len(vaddrs)), nil // memory of no file
	}
	k := c.object(object, buildID)
	all := make([][]Location, len(vaddrs))
	fresh, places := k.known.find(vaddrs, all)
	if len(fresh) == 0 {
		return all, nil
	}
	found, err := c.ask(object, buildID, fresh)
	if err != nil {
		return nil, err
	}
	learned := make([]answer, len(fresh))
	for i, place := range places {
		all[place] = found[i]
		learned[i] = answer{fresh[i], found[i]}
	}
	if k.file != "" {
		k.learned = append(k.learned, learned...)
		k.known = k.known.with(learned)
	}
	return all, nil
}

// unknowns are answers that say nothing.
func unknowns(n int) [][]Location {
	return slices.Repeat([][]Location{{{}}}, n)
}

// ask asks the translator itself.
func (c *Cached) ask(object, buildID string, vaddrs []uint64) ([][]Location, error) {
	if err := c.start(); err != nil {
		return nil, err
	}
	c.client.Timeout = c.Timeout
	return c.client.TranslateBuild(object, buildID, vaddrs)
}

// object returns what is known of an object.
func (c *Cached) object(object, buildID string) *keptObject {
	id := objectBuild{object, buildID}
	k, ok := c.objects[id]
	if !ok {
		k = c.load(object, buildID)
		c.objects[id] = k
	}
	return k
}

// Close keeps what was learned, and ends the translator as Client.Close does.
func (c *Cached) Close() error {
	for _, k := range c.objects {
		c.store(k)
	}
	c.objects = nil
	c.dir.Close()
	c.dir = nil
	if c.client == nil {
		return nil
	}
	return c.client.Close()
}
