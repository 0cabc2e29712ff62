package debuginfo

import (
	"bytes"
	"sync"
)

// A rarity is how rare bytes are in a section. To look for one byte is much faster than to look for several: of a text, that
// which is rarest is looked for. The zero value is ready; any goroutine may use it.
type rarity struct {
	count sync.Once
	often [256]uint32 // of each byte, in samples of the section
}

// Samples of a section: so many, of so many bytes.
const (
	raritySamples = 256
	raritySample  = 256
)

func (r *rarity) sample(section []byte) {
	step := max(raritySample, len(section)/raritySamples)
	for from := 0; from < len(section); from += step {
		for _, b := range section[from:min(from+raritySample, len(section))] {
			r.often[b]++
		}
	}
}

// contains reports whether a text stands in a part of the section.
func (r *rarity) contains(section, part, text []byte) bool {
	r.count.Do(func() { r.sample(section) })
	rare := 0
	for i, b := range text {
		if r.often[b] < r.often[text[rare]] {
			rare = i
		}
	}
	if len(text) == 0 || len(part) < len(text) {
		return len(text) == 0
	}
	// Where the rare byte may stand.
	for in := part[rare : len(part)-len(text)+rare+1]; ; {
		i := bytes.IndexByte(in, text[rare])
		if i < 0 {
			return false
		}
		at := len(part) - len(text) + 1 - len(in) + i
		if bytes.Equal(part[at:at+len(text)], text) {
			return true
		}
		in = in[i+1:]
	}
}
