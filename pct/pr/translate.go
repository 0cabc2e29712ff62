package pr

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

// command returns the translator that an object is to be asked of, "" for the
// default one.
func (p *printer) command(object objectKey) string {
	return cmp.Or(p.translator, p.objects[object].Translator)
}

// words returns those of the translator's command, none for the default one.
func (p *printer) words(object objectKey) []string {
	words := strings.Fields(p.command(object))
	fill := strings.NewReplacer("%o", object.path, "%O", filepath.Base(object.path), "%b", object.buildID, "%%", "%")
	for i, word := range words {
		words[i] = fill.Replace(word)
	}
	return words
}

// clients are the translators that keep to the protocol, by their commands.
type clients struct {
	running   map[string]*translators.Cached
	timeout   time.Duration
	arguments []string // of the default one
}

// start starts a translator, "" the default one, unless it runs already.
func (c *clients) start(command string) (path.Translator, error) {
	if client, ok := c.running[command]; ok {
		return client, nil
	}
	if strings.Contains(command, "%o") {
		return nil, fmt.Errorf("translator %s: %%o stands for an object with -req only", command)
	}
	argv := strings.Fields(command)
	if len(argv) == 0 {
		argv = append([]string{translators.Default}, c.arguments...)
	}
	var err error
	if argv[0], err = translators.Find(argv[0]); err != nil {
		return nil, err
	}
	client, err := translators.StartCached(argv)
	if err != nil {
		return nil, err
	}
	client.Timeout = c.timeout
	c.running[command] = client
	return client, nil
}

// close ends the translators. How they do does not matter any more, as all have
// answered.
func (c *clients) close() {
	for _, client := range c.running {
		client.Close()
	}
}

// askForeign has programs that know nothing of the protocol label the spots. An
// object that can't be asked about keeps its addresses.
func (p *printer) askForeign(spots []spot) error {
	type batch struct {
		argv  []string
		spots []*spot
	}
	var batches []*batch
	byCommand := map[string]*batch{}
	mayAsk := map[objectKey]bool{}
	for i := range spots {
		s := &spots[i]
		key := objectKey{s.object, s.buildID}
		argv := p.words(key)
		if len(argv) == 0 {
			return fmt.Errorf("no program for -req: %s is not stamped with one; -translator names one", s.object)
		}
		ask, known := mayAsk[key]
		if !known {
			var err error
			if ask, err = p.mayAsk(key); err != nil {
				p.warn(fmt.Errorf("%w; its addresses are printed as they are", err))
			}
			mayAsk[key] = ask
		}
		if !ask {
			continue
		}
		command := strings.Join(argv, "\x00")
		if byCommand[command] == nil {
			byCommand[command] = &batch{argv: argv}
			batches = append(batches, byCommand[command])
		}
		byCommand[command].spots = append(byCommand[command].spots, s)
	}
	for _, b := range batches {
		var err error
		if b.argv[0], err = translators.Find(b.argv[0]); err != nil {
			return err
		}
		var requests []byte
		for _, s := range b.spots {
			requests = p.request.append(requests, s)
		}
		lines, err := translators.Ask(b.argv, requests, p.lines*len(b.spots), p.timeout)
		if err != nil {
			return err
		}
		for i, answer := range slices.Collect(slices.Chunk(lines, p.lines)) {
			b.spots[i].label = strings.Join(answer, "\t")
		}
	}
	return nil
}

// mayAsk reports whether a program that knows nothing of build-ids can be asked
// about an object, and why not where that is news. Where the command names the
// object there must be such a file, and wherever it is named it must be the one
// that was sampled: its lines would be wrong otherwise.
func (p *printer) mayAsk(o objectKey) (bool, error) {
	command := p.command(o)
	opened := strings.Contains(command, "%o") || strings.Contains(command, "%O")
	if !opened && !p.request.uses("oO") {
		return true, nil
	}
	if o.path == nowhere || strings.HasPrefix(o.path, "[") {
		return !opened, nil
	}
	if strings.Contains(o.path, "\n") {
		return false, fmt.Errorf("%q cannot be named in a line", o.path)
	}
	f, err := object.Open(o.path)
	if err != nil {
		return !opened, fmt.Errorf("%s: %w", o.path, err)
	}
	defer f.Close()
	if !f.IsBuild(o.buildID) {
		return false, fmt.Errorf("%s was built again since", o.path)
	}
	return true, nil
}
