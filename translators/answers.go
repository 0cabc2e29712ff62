package translators

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"
)

// answers are what was answered about one object, by address.
type answers struct {
	vaddrs []uint64 // sorted
	frames [][]Location
}

type answer struct {
	vaddr  uint64
	frames []Location
}

// find enters what is known into all, and returns the other addresses, with where
// their answers belong.
func (a *answers) find(vaddrs []uint64, all [][]Location) (fresh []uint64, places []int) {
	at, last := 0, uint64(0)
	for i, vaddr := range vaddrs {
		if vaddr < last {
			at = 0
		}
		last = vaddr
		// They mostly come sorted, and near each other.
		if at < len(a.vaddrs) && a.vaddrs[at] < vaddr {
			step := 1
			for at+step < len(a.vaddrs) && a.vaddrs[at+step] < vaddr {
				at += step
				step *= 2
			}
			n, _ := slices.BinarySearch(a.vaddrs[at:min(at+step+1, len(a.vaddrs))], vaddr)
			at += n
		}
		if at < len(a.vaddrs) && a.vaddrs[at] == vaddr {
			all[i] = a.frames[at]
			continue
		}
		fresh, places = append(fresh, vaddr), append(places, i)
	}
	return fresh, places
}

// with returns the answers and others.
func (a *answers) with(others []answer) *answers {
	slices.SortStableFunc(others, func(a, b answer) int { return cmp.Compare(a.vaddr, b.vaddr) })
	others = slices.CompactFunc(others, func(a, b answer) bool { return a.vaddr == b.vaddr })
	both := &answers{}
	add := func(vaddr uint64, frames []Location) {
		both.vaddrs, both.frames = append(both.vaddrs, vaddr), append(both.frames, frames)
	}
	for i, vaddr := range a.vaddrs {
		for len(others) > 0 && others[0].vaddr < vaddr {
			add(others[0].vaddr, others[0].frames)
			others = others[1:]
		}
		add(vaddr, a.frames[i])
	}
	for _, o := range others {
		add(o.vaddr, o.frames)
	}
	return both
}

// A file of answers is a head of lines, which says what they are of and ends with an empty one;
// then, in numbers as of encoding/binary.Uvarint, the texts; the chains of frames, which are the
// same for many addresses; lists of addresses, each as the distance to the one before, with the
// number of its chain; and a check sum of it all.
const (
	answersMagic = "pct-answers 2\n"
	mostAnswers  = 64 << 20 // bytes of a file
)

// load finds what is kept of an object, and still true.
func (c *Cached) load(object, buildID string) *keptObject {
	k := &keptObject{known: &answers{}}
	path, err := filepath.Abs(object)
	if err != nil {
		return k
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{path, buildID}, c.argv...), "\x00")))
	k.file = hex.EncodeToString(sum[:16]) + ".answers"
	if b, ok := c.dir.Load(k.file); ok {
		if content, ok := checked(b); ok {
			if stamps, rest, ok := c.cutHead(content); ok && same(stamps) {
				if lists, ok := decodeAnswers(rest); ok && len(lists) == 1 {
					k.known, k.stamps = lists[0], stamps
					return k
				}
			}
		}
	}
	files, known := sources(object, buildID)
	if !known {
		k.file = ""
	}
	k.stamps = append([]stampOf{{c.argv[0], c.program}}, stampFiles(files)...)
	return k
}

// store keeps what was learned of an object, unless a file has changed meanwhile, so
// that it is not known what the answers are of.
func (c *Cached) store(k *keptObject) {
	if k.file == "" || len(k.learned) == 0 || !same(k.stamps) {
		return
	}
	head := appendHead(nil, k.stamps)
	b := encodeAnswers(head, []*answers{k.known})
	if len(b) > mostAnswers {
		b = encodeAnswers(head, []*answers{(&answers{}).with(k.learned)})
	}
	if len(b) <= mostAnswers {
		// Where they can't be kept they are asked for again.
		_ = c.dir.Store(k.file, b)
	}
}

// appendHead appends the lines that tell which files the answers are of.
func appendHead(b []byte, stamps []stampOf) []byte {
	b = append(b, answersMagic...)
	for _, s := range stamps {
		b = fmt.Appendf(b, "%t %d %d %d %d %q\n", s.present, s.inode, s.size, s.modified, s.changed, s.path)
	}
	return append(b, '\n')
}

// cutHead reads those lines. The first is of the translator.
func (c *Cached) cutHead(b []byte) (stamps []stampOf, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(b, []byte(answersMagic))
	for ok {
		var line []byte
		if line, rest, ok = bytes.Cut(rest, []byte("\n")); len(line) == 0 {
			break
		}
		var s stampOf
		n, err := fmt.Sscanf(string(line), "%t %d %d %d %d %q", &s.present, &s.inode, &s.size, &s.modified, &s.changed, &s.path)
		ok = ok && err == nil && n == 6
		stamps = append(stamps, s)
	}
	return stamps, rest, ok && len(stamps) > 0 && stamps[0] == stampOf{c.argv[0], c.program}
}

// encodeAnswers writes a file with this head.
func encodeAnswers(head []byte, lists []*answers) []byte {
	e := encoder{texts: map[string]uint64{}, chains: map[string]uint64{}}
	for _, a := range lists {
		var last uint64
		e.addresses = binary.AppendUvarint(e.addresses, uint64(len(a.vaddrs)))
		for i, vaddr := range a.vaddrs {
			e.addresses = binary.AppendUvarint(e.addresses, vaddr-last)
			e.addresses = binary.AppendUvarint(e.addresses, e.chain(a.frames[i]))
			last = vaddr
		}
	}
	b := binary.AppendUvarint(slices.Clip(head), uint64(len(e.texts)))
	b = binary.AppendUvarint(b, uint64(len(e.text)))
	b = append(b, e.text...)
	b = append(b, e.lengths...)
	b = binary.AppendUvarint(b, uint64(len(e.chains)))
	b = binary.AppendUvarint(b, e.frames)
	b = append(b, e.chainText...)
	b = binary.AppendUvarint(b, uint64(len(lists)))
	b = append(b, e.addresses...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checked takes the check sum off, false if it is not right.
func checked(b []byte) ([]byte, bool) {
	end := len(b) - crc32.Size
	if end < 0 || crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, false
	}
	return b[:end], true
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// An encoder gives numbers to texts and chains.
type encoder struct {
	texts, chains                             map[string]uint64
	text, lengths, chainText, addresses, room []byte
	frames                                    uint64
}

func (e *encoder) string(s string) uint64 {
	n, ok := e.texts[s]
	if !ok {
		n = uint64(len(e.texts))
		e.texts[s] = n
		e.text = append(e.text, s...)
		e.lengths = binary.AppendUvarint(e.lengths, uint64(len(s)))
	}
	return n
}

func (e *encoder) chain(frames []Location) uint64 {
	b := binary.AppendUvarint(e.room[:0], uint64(len(frames)))
	for _, f := range frames {
		b = binary.AppendUvarint(b, e.string(f.Func))
		b = binary.AppendUvarint(b, e.string(f.File))
		b = binary.AppendUvarint(b, uint64(f.Line))
	}
	e.room = b
	n, ok := e.chains[string(b)]
	if !ok {
		n = uint64(len(e.chains))
		e.chains[string(b)] = n
		e.chainText = append(e.chainText, b...)
		e.frames += uint64(len(frames))
	}
	return n
}

// decodeAnswers reads the lists that encodeAnswers wrote behind the head, false if it is
// anything else.
func decodeAnswers(b []byte) ([]*answers, bool) {
	d := decoder{rest: b}
	texts := make([]string, d.count())
	whole := d.text()
	for i := range texts {
		n := d.number()
		if n > uint64(len(whole)) {
			return nil, false
		}
		texts[i], whole = whole[:n], whole[n:]
	}
	chains := make([][]Location, d.count())
	slab := make([]Location, d.count())
	for i := range chains {
		n := d.number()
		if n == 0 || n > uint64(len(slab)) {
			return nil, false
		}
		chains[i], slab = slab[:n:n], slab[n:]
		for j := range chains[i] {
			function, file, line := d.number(), d.number(), d.number()
			if max(function, file) >= uint64(len(texts)) || line > mostLine {
				return nil, false
			}
			chains[i][j] = Location{texts[function], texts[file], int(line), j+1 < int(n)}
		}
	}
	lists := make([]*answers, d.count())
	for l := range lists {
		n := d.count()
		a := &answers{make([]uint64, n), make([][]Location, n)}
		lists[l] = a
		var last uint64
		for i := range a.vaddrs {
			distance, chain := d.number(), d.number()
			if chain >= uint64(len(chains)) || i > 0 && last+distance <= last {
				return nil, false
			}
			last += distance
			a.vaddrs[i], a.frames[i] = last, chains[chain]
		}
	}
	return lists, !d.bad && len(d.rest) == 0
}

// mostLine bounds the numbers of lines.
const mostLine = 1<<31 - 1

// A decoder reads numbers. What it returns after bad is set means nothing.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// count is a number of things that take a byte or more each: a false one must not allocate.
func (d *decoder) count() uint64 {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return 0
	}
	return n
}

func (d *decoder) text() string {
	n := d.count()
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}
